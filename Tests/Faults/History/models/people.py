"""Friends, blocks and messages (SOC-2 to SOC-5, SOC-7)."""

from collections import defaultdict


def pair(first, second):
    return (first, second) if first < second else (second, first)


class Model:
    def __init__(self):
        self.friends, self.blocks = set(), set()
        self.messages = defaultdict(list)
        self.by_id = {}
        self.read = defaultdict(int)

    def relation(self, call, row):
        body = row.body
        if row.name == "friendRequests.accepted":
            self.friends.add(pair(body["fromAccountID"], body["toAccountID"]))
        elif call["op"] == "friends.remove":
            self.friends.discard(pair(call["account"], call["path"]["accountID"]))
        elif call["op"] == "blocks.create":
            self.blocks.add((call["account"], call["body"]["accountID"]))
            self.friends.discard(pair(call["account"], call["body"]["accountID"]))
        elif call["op"] == "blocks.delete":
            self.blocks.discard((call["account"], call["path"]["accountID"]))


def check(history, reads):
    model = Model()
    for write in history.writes("social"):
        call = write.call
        if call is None or call["flow"] == "any":
            continue
        for row in write.rows:
            yield from message(model, call, row)
            model.relation(call, row)
    yield from final(model, reads)
    yield from reading(history)


def message(model, call, row):
    body = row.body
    if row.name == "messages.sent":
        both = pair(body["fromAccountID"], body["toAccountID"])
        if both not in model.friends:
            yield f"messages.sent number {row.number}: the two are no friends"
        if body["messageID"] in model.by_id:
            yield f"the message {body['messageID']} was sent twice"
        if body["fromAccountID"] != call["account"] or body["text"] != call["body"]["text"]:
            yield f"messages.sent number {row.number} says {body['text']!r}, and {call['body']} was sent"
        if call["outcome"] == "acknowledged" and call["answer"]["id"] != body["messageID"]:
            yield f"messages.sent number {row.number} names {body['messageID']}, and the answer {call['answer']['id']}"
        entry = {"id": body["messageID"], "text": body["text"], "from": body["fromAccountID"], "removed": False}
        model.messages[both].append(entry)
        model.by_id[entry["id"]] = entry
    elif row.name == "messages.edited":
        entry = model.by_id.get(body["message"]["id"])
        if entry is None or entry["removed"] or entry["from"] != call["account"]:
            yield f"messages.edited number {row.number} changes what is not the caller's"
        else:
            entry["text"] = call["body"]["text"]
    elif row.name == "messages.removed":
        entry = model.by_id.get(body["messageID"])
        if entry is None or entry["from"] != call["account"]:
            yield f"messages.removed number {row.number} removes what is not the caller's"
        else:
            entry["text"], entry["removed"] = None, True
    elif row.name == "conversations.read" and body["readerAccountID"] == call["account"]:
        other = call["path"]["accountID"]
        known = [entry["id"] for entry in model.messages[pair(call["account"], other)]]
        if body["messageID"] not in known:
            yield f"conversations.read number {row.number} names a message that is not there"
        else:
            place = known.index(body["messageID"]) + 1
            model.read[call["account"], other] = max(model.read[call["account"], other], place)


def final(model, reads):
    for account, read in reads["members"].items():
        friends = {item["accountID"] for item in read["friends.list"]}
        known = {first if second == account else second for first, second in model.friends if account in (first, second)}
        if friends != known & set(reads["members"]) | friends - set(reads["members"]):
            yield f"the friends of {account} are {sorted(friends)}, and should be {sorted(known)}"
        blocked = {item["accountID"] for item in read["blocks.list"]}
        if blocked != {other for one, other in model.blocks if one == account}:
            yield f"{account} blocks {sorted(blocked)}, and should block {sorted(o for a, o in model.blocks if a == account)}"
        for other, found in read["messages"].items():
            if other in reads["apart"].get(account, ()):
                continue
            known = model.messages[pair(account, other)]
            given = [(item["id"], item.get("text")) for item in reversed(found["items"])]
            if given != [(entry["id"], entry["text"]) for entry in known]:
                yield f"the conversation of {account} with {other} is {given[-3:]} …, and should be {known[-3:]} …"
            unread = sum(
                1 for entry in known[model.read[account, other]:] if entry["from"] != account and not entry["removed"])
            if found["unreadCount"] != unread:
                yield f"{account} has {found['unreadCount']} unread messages of {other}, and should have {unread}"


def reading(history):
    """What a session has seen in a conversation stays there; a message it sent is there at once."""
    seen = defaultdict(list)
    for call in history.calls:
        if call["op"] != "messages.list" or call["outcome"] != "acknowledged":
            continue
        reads = seen[call["client"], call["session"], call["path"]["accountID"]]
        newest = {item["id"] for item in call["answer"]["items"]}
        earlier = history.latest(reads, call)
        if earlier and len(newest) < 100 and earlier[1] - newest:
            yield f"{call['client']} no longer sees messages that it has seen (trace {call['trace']})"
        reads.append((call, newest))
