"""Notifications: one for each event that makes one, and how many are unread (NOT-1)."""

from collections import Counter, defaultdict

# Events that make exactly one notification of a kind, and for whom.
MAKES = {
    ("social", "messages.sent"): ("messageReceived", "toAccountID"),
    ("social", "friendRequests.sent"): ("friendRequestReceived", "toAccountID"),
    ("social", "friendRequests.accepted"): ("friendRequestAccepted", "fromAccountID"),
    ("rewards", "coins.adjusted"): ("coinsAdjusted", "accountID"),
    ("rewards", "offers.redeemed"): ("offerRedeemed", "accountID"),
    ("rewards", "redemptions.voided"): ("rewardVoided", "accountID"),
}
# What the snapshots of their publishers hold, so that it is delivered whatever happens.
IN_SNAPSHOT = {"messages.sent", "coins.adjusted", "offers.redeemed"}
NOTICES = {
    "enrolled": "taskEnrolled", "removed": "taskRemoved", "optedOut": "taskOptedOut", "completed": "taskCompleted", "cancelled": "taskCancelled",
}
KINDS = {kind for kind, _ in MAKES.values()} | set(NOTICES.values())


def check(history, reads):
    expected, uncertain = defaultdict(Counter), defaultdict(Counter)
    removed = {row.body["messageID"] for row in history.logs["social"].rows if row.name == "messages.removed"}
    for (service, name), (kind, whose) in MAKES.items():
        for row in history.logs[service].rows:
            if row.name == name:
                open_ = (service, row.number) in reads["undelivered"] and (
                    name not in IN_SNAPSHOT or row.body.get("messageID") in removed)
                counts = uncertain if open_ else expected
                counts[row.body[whose]][kind] += 1
    apart = ever_apart(history)
    for row in history.logs["social"].rows:
        if row.name == "taskNotices.created" and row.body["notice"] in NOTICES:
            account = row.body["accountID"]
            # Neither of two who are apart is notified of what names the other.
            certain = ("social", row.number) not in reads["undelivered"] and (account, row.body.get("byAccountID")) not in apart
            (expected if certain else uncertain)[account][NOTICES[row.body["notice"]]] += 1
    created, last, there = defaultdict(Counter), defaultdict(int), defaultdict(dict)
    for row in history.logs["notifications"].rows:
        account = row.body.get("accountID")
        if row.name == "notifications.created":
            number, kind = row.body["number"], row.body["notification"]["kind"]
            if number != last[account] + 1:
                yield f"the inbox of {account} goes from {last[account]} to {number}"
            last[account] = number
            created[account][kind] += 1
            there[account][number] = row.body["notification"]
        elif row.name == "notifications.removed":
            if there[account].pop(row.body["number"], None) is None:
                yield f"what was removed from the inbox of {account} was not there: {row.body['number']}"
    for account in reads["members"]:
        for kind in KINDS:
            found, wanted = created[account][kind], expected[account][kind]
            if not wanted <= found <= wanted + uncertain[account][kind]:
                yield f"{account} was notified {found} times of {kind}, and should have been {wanted} times"
    yield from amended(history)
    yield from reading(history)
    yield from final(history, reads, there, apart)


def ever_apart(history):
    """Pairs of whom one has blocked the other at some time: what names the other has gone from the inbox."""
    return {
        (row.body["accountID"], row.body["otherAccountID"]) for row in history.logs["social"].rows
        if row.name == "relations.changed" and (row.body["relation"]["isBlocked"] or row.body["isBlockedByOther"])}


def amended(history):
    """Each change of a message changes its notification once."""
    changes, causes = Counter(), Counter()
    for row in history.logs["notifications"].rows:
        if row.name == "notifications.changed" and row.trace:
            changes[row.trace, row.body["accountID"], row.body["number"]] += 1
    for row in history.logs["social"].rows:
        if row.trace:
            causes[row.trace, row.body.get("accountID")] += 1
    for (trace, account, number), count in changes.items():
        if count > causes[trace, account]:
            yield f"notification {number} of {account} was changed {count} times by {causes[trace, account]} events (trace {trace})"


def reading(history):
    """The newest number that a session has seen in its inbox never goes back."""
    newest, deleted, apart = defaultdict(list), set(), set()
    for call in history.calls:
        if call["op"] == "notifications.delete":
            deleted.add((call["account"], call["path"]["notificationID"]))
        elif call["op"] == "blocks.create" and call["body"]:
            apart |= {(call["account"], call["body"].get("accountID")), (call["body"].get("accountID"), call["account"])}
    for call in history.calls:
        if call["op"] == "notifications.list" and call["outcome"] == "acknowledged" and not call["query"]:
            items, reads = call["answer"]["items"], newest[call["client"], call["session"]]
            numbers = [item["number"] for item in items]
            if numbers != sorted(numbers, reverse=True):
                yield f"{call['client']} read its inbox out of order (trace {call['trace']})"
            earlier = history.latest(reads, call)
            if earlier and max(numbers, default=0) < earlier[1]:
                yield f"{call['client']} read number {max(numbers, default=0)} as its newest after {earlier[1]} (trace {call['trace']})"
            # What the account itself deletes, or what names somebody who is blocked, may go: then another is the newest.
            reads.append((call, max((
                item["number"] for item in items if (call["account"], item["id"]) not in deleted
                and (call["account"], item["links"].get("accountID")) not in apart), default=0)))


def newest_seen(history, call):
    """The highest number that the account had seen in its inbox before that call, in what is still true for it."""
    return max((
        max((item["number"] for item in other["answer"]["items"]), default=0) for other in history.calls
        if other["op"] == "notifications.list" and other["account"] == call["account"] and other["outcome"] == "acknowledged"
        and other["end"] < call["start"] and history.still_true(other, call)), default=0)


def conversations_read(history, reads):
    """By account and conversation, what its reader has published: the number of the event, up to which message, and whether it is delivered for
    certain. The snapshot does not hold it."""
    found = defaultdict(list)
    for row in history.logs["social"].rows:
        if row.name == "conversations.read" and row.body["accountID"] == row.body["readerAccountID"]:
            certain = ("social", row.number) not in reads["undelivered"]
            found[row.body["accountID"], row.body["conversationID"]].append((row.number, row.body["messageID"], certain))
    return found


def final(history, reads, there, apart):
    conversations = conversations_read(history, reads)
    sent = {row.body["messageID"]: row.number for row in history.logs["social"].rows if row.name == "messages.sent"}
    asked, everything = defaultdict(set), defaultdict(int)
    certain, up_to = defaultdict(set), defaultdict(int)
    for call in history.calls:
        if call["flow"] != "inbox" or not call["writes"] or call["outcome"] in ("refused", "unsent") or call["effect"] == "undone":
            continue
        sure = call["outcome"] == "acknowledged" and not history.may_be_undone(call)
        if call["op"] == "notifications.markRead":
            asked[call["account"]].add(call["path"]["notificationID"])
            if sure:
                certain[call["account"]].add(call["path"]["notificationID"])
        elif call["op"] == "notifications.markAllRead":
            everything[call["account"]] = max(everything[call["account"]], call["body"]["upTo"])
            # After a restore numbers come again: the caller may have named one that was yet to come. What it had seen was there.
            if sure:
                up_to[call["account"]] = max(up_to[call["account"]], min(call["body"]["upTo"], newest_seen(history, call)))
    for account, read in reads["members"].items():
        found = {item["number"]: item for item in read["notifications.list"]}
        too_many = found.keys() - there[account].keys()
        lacking = {
            number for number in there[account].keys() - found.keys()
            if (account, there[account][number]["links"].get("accountID")) not in apart}
        if too_many or lacking:
            yield f"the inbox of {account} has {sorted(too_many)} too many, and lacks {sorted(lacking)}"
        unread = sum(1 for item in found.values() if item.get("readAt") is None)
        if read["notifications.countUnread"]["unreadCount"] != unread:
            yield f"{account} is said to have {read['notifications.countUnread']['unreadCount']} unread, and has {unread}"
        for number, item in found.items():
            is_read = item.get("readAt") is not None
            # Ids of messages sort as they were sent.
            message = item["links"].get("messageID")
            with_conversation = {
                delivered for event, last, delivered in conversations[account, item["links"].get("conversationID")]
                if message in sent and sent[message] < event and message <= last}
            if not is_read and (item["id"] in certain[account] or number <= up_to[account] or True in with_conversation):
                yield f"{account} has read its notification {number}, and it is unread"
            if is_read and item["id"] not in asked[account] and number > everything[account] and not with_conversation:
                yield f"{account} has not read its notification {number}, and it is read"
