"""What the clients of a soak do, and how each call is to be answered.

Members stand in circles of a few friends. Each does only what must succeed, as far as it and its circle know: so every call has one right
status, and many one right answer. Strangers call everything there is with paths and bodies made up from `/openapi.json`; they are held to the
statuses that the document names for the operation.
"""

import datetime
import random
import time
import urllib.parse

import generator
import moves

CIRCLE = 5
# How often each is chosen, of all; two thirds read, as people do.
OFTEN = {
    "accounts.getMe": 3, "settings.get": 1, "settings.update": 0.5, "profiles.get": 2, "profiles.update": 1, "sessions.list": 0.5,
    "directory.search": 0.5,
    "days.get": 6, "activities.list": 2, "entries.record": 8, "entries.increment": 4, "entries.get": 4, "entries.delete": 1,
    "calendars.get": 1, "statistics.get": 1, "history.list": 1, "dashboard.get": 2, "movementSamples.record": 4, "movementDays.list": 1,
    "friends.list": 3, "messages.send": 6, "messages.edit": 2, "messages.remove": 0.3, "messages.list": 4,
    "conversations.markRead": 2, "conversations.list": 2, "tasks.create": 1.5, "tasks.get": 2, "tasks.list": 2, "taskComments.create": 2,
    "taskComments.list": 1, "register.getCheckpoint": 0.5,
    "coins.getBalance": 4, "coins.listTransfers": 1, "offers.list": 2, "offers.redeem": 1.5, "redemptions.list": 1, "redemptions.get": 1,
    "badges.list": 1, "challenges.list": 1, "leaderboards.list": 2,
    "notifications.list": 4, "notifications.countUnread": 5, "notifications.markRead": 3, "notifications.markAllRead": 0.5,
    "notifications.delete": 1, "notificationPreferences.get": 0.5}
KEEPER = ("partners.list", "moderation.listCases", "incidents.list", "securityEvents.list", "broadcasts.list")
# Of all accounts.
STRANGERS = 0.05
# What guesses at secrets: it is slowed down for the address, which all clients have in common.
GUESSES = {
    "sessions.create", "sessions.refresh", "accounts.verify", "emailLinks.validate", "externalLogins.begin", "externalLogins.complete",
    "accountDeletions.getState", "identities.beginLinking", "identities.completeLinking", "loginAlerts.answer", "loginAlerts.answerByLink"}
CREDIT, COST = 500, 5
# An access token lives for ten minutes; it is changed for another before.
TOKEN_SECONDS = (420, 540)
EDITABLE_SECONDS = 600


class Call:
    """A call to be made, and what is to become of it: `right` are its statuses; `check` looks at the answer, and returns what is wrong with it."""

    __slots__ = ("operation", "path", "body", "key", "right", "check", "is_repeated", "status")

    def __init__(self, operation, values=None, query=None, body=None, right=None, check=None):
        path = operation.path
        for name, value in (values or {}).items():
            path = path.replace("{" + name + "}", urllib.parse.quote(str(value), safe=""))
        if query:
            path += "?" + urllib.parse.urlencode(query)
        self.operation, self.path, self.body, self.check = operation, path, body, check
        self.right = right or {operation.success}
        self.key = self.status = None
        self.is_repeated = False


def read_document(text):
    """Operations with the statuses that each may be answered with."""
    document = generator.Document(text)
    for methods in text["paths"].values():
        for declared in methods.values():
            operation = document.operations.get(declared.get("operationId"))
            if operation:
                operation.declared = {int(status) for status in declared["responses"] if status.isdigit()}
                operation.success = min(status for status in operation.declared if status >= 200)
    return document


class Account:
    """What all kinds of clients have in common."""

    def __init__(self, name, seed, document, world):
        self.name, self.document, self.world = name, document, world
        self.chooser = random.Random(f"{seed}/{name}")
        self.pools = generator.Pools(document)
        self.account_id = self.access = self.refresh = None
        self.renewal = 0.0
        self.repeated = None
        self.serial = 0

    def signed_in(self, answer):
        self.access, self.refresh = answer["accessToken"], answer["refreshToken"]
        self.renewal = time.monotonic() + self.chooser.uniform(*TOKEN_SECONDS)

    def next(self):
        """The next call."""
        if time.monotonic() > self.renewal:
            return Call(self.document.operations["sessions.refresh"], body={"refreshToken": self.refresh}, check=self.signed_in)
        if self.repeated:
            call, self.repeated = self.repeated, None
            return call
        call = self.choose()
        if call.operation.takes_key and self.chooser.random() < 0.7:
            self.serial += 1
            call.key = f"{self.name}-{self.serial}-{self.chooser.getrandbits(32):x}"
        return call

    def doubt(self):
        """A call was not answered: nobody knows what it did."""

    def repeat(self, call, status, answer):
        """Asks once more with the same key, now and then: what took effect must be answered the same way."""
        if not call.key or call.is_repeated or status >= 300 or self.chooser.random() >= 0.04:
            return
        again = Call(call.operation, right={status}, check=lambda other: None if other == answer else f"the first answer was {answer}")
        again.path, again.body, again.key, again.is_repeated = call.path, call.body, call.key, True
        self.repeated = again

    def answered(self, call, status, answer):
        """What is wrong with an answer; None if nothing is."""
        call.status = status
        if status not in call.right:
            return f"answered {status}, expected " + " or ".join(map(str, sorted(call.right)))
        if call.check:
            try:
                wrong = call.check(answer)
            except (KeyError, TypeError, IndexError, ValueError) as error:
                wrong = f"the answer is not as declared: {error!r}"
            if wrong:
                return wrong
        self.repeat(call, status, answer)
        return None


class Circle:
    """What `moves.py` asks of a world, for members that are friends of each other."""

    def __init__(self, world, offers):
        self.today, self.zone_hours, self.offers, self.redemptions = world.today, world.zone_hours, offers, []
        self.members, self.people = [], {}
        # Of the conversation of two, by their ids: how often a sending began or ended, how many are under way, and the newest message, which is not
        # known where two were under way at the same time.
        self.conversations = {}

    def add(self, member):
        self.members.append({"id": member.account_id, "username": member.name})
        self.people[member.name] = member

    def conversation(self, one, other):
        return self.conversations.setdefault(frozenset((one, other)), {"version": 0, "open": 0, "newest": None, "is_known": False})


class Member(Account):
    def __init__(self, name, seed, document, world, keeper):
        super().__init__(name, seed, document, world)
        self.keeper = keeper
        self.activities, self.newest, self.last_number = [], {}, None
        self.entries, self.tasks, self.sent, self.redemptions = {}, [], [], []
        self.notifications, self.gone = set(), set()
        self.todo = []
        self.credit, self.asked = 0, False
        self.knows_entries = True
        self.operations = [name for name in OFTEN if name in document.operations]
        self.weights = [OFTEN[name] for name in self.operations]

    def join(self, circle):
        self.circle = circle
        self.moves = moves.Moves(self, circle)
        circle.add(self)

    def choose(self):
        while True:
            if self.todo and self.chooser.random() < 0.2:
                return self.todo.pop(0)
            name = self.chooser.choices(self.operations, self.weights)[0]
            make = getattr(self, name.replace(".", "_"), None)
            call = make() if make else Call(self.document.operations[name])
            if call:
                return call

    def doubt(self):
        self.entries.clear()
        self.knows_entries = False

    def call(self, name, *values, **more):
        return Call(self.document.operations[name], *values, **more)

    def of_move(self, name, **more):
        """A call as the checked histories make it."""
        made = self.moves.make(name)
        return made and self.call(name, *made, **more)

    def friend(self):
        return self.moves.other()

    # Identity

    def settings_update(self):
        return self.call("settings.update", body={"givesReadReceipts": self.chooser.random() < 0.5})

    def profiles_update(self):
        return self.of_move("profiles.update")

    def profiles_get(self):
        other = self.friend()
        return self.call(
            "profiles.get", {"accountID": other["id"]},
            check=lambda answer: None if answer["username"] == other["username"] else "another's profile")

    def directory_search(self):
        return self.call("directory.search", query={"query": self.name[:4]})

    # Activity

    def days_get(self):
        return self.call("days.get", {"day": "today"})

    def movementDays_list(self):
        today = self.circle.today
        return self.call(
            "movementDays.list", query={"from": (today - datetime.timedelta(days=6)).isoformat(), "to": today.isoformat()})

    def calendars_get(self):
        return self.call("calendars.get", {"activityID": self.chooser.choice(self.activities)["id"]})

    def movementSamples_record(self):
        return self.of_move("movementSamples.record")

    def entries_record(self):
        call = self.of_move("entries.record")
        return call and self.keep_entry(call)

    def entries_increment(self):
        call = self.of_move("entries.increment")
        return call and self.keep_entry(call)

    def keep_entry(self, call):
        path, body = call.path, call.body
        place = tuple(path.removesuffix("/increments").split("/")[-3::2])

        def keep(answer):
            before, is_added = self.entries.get(place), path.endswith("/increments")
            self.entries[place] = answer
            is_known = before is not None or self.knows_entries or not is_added
            if answer.get("amount") is not None and "amount" in body and is_known:
                expected = body["amount"] + ((before or {}).get("amount") or 0 if is_added else 0)
                if answer["amount"] != expected:
                    return f"the amount is to be {expected}"
            return None

        call.check = keep
        return call

    def an_entry(self):
        return self.chooser.choice(sorted(self.entries)) if self.entries else None

    def entries_get(self):
        place = self.an_entry()
        if place is None:
            return None
        expected = self.entries[place]
        return self.call(
            "entries.get", {"activityID": place[0], "day": place[1]},
            check=lambda answer: None if all(answer.get(name) == expected.get(name) for name in ("amount", "isDone", "day"))
            else f"it was written as {expected}")

    def entries_delete(self):
        place = self.an_entry()
        if place is None:
            return None

        def forget(_):
            del self.entries[place]

        return self.call("entries.delete", {"activityID": place[0], "day": place[1]}, check=forget)

    # Social

    def friends_list(self):
        expected = {member["id"] for member in self.circle.members if member["id"] != self.account_id}
        return self.call(
            "friends.list",
            check=lambda answer: None if {item["accountID"] for item in answer["items"]} == expected else "other friends")

    def messages_send(self):
        other = self.friend()
        conversation = self.circle.conversation(self.account_id, other["id"])
        text = f"{self.name} {self.chooser.getrandbits(40):x}"
        was_quiet = not conversation["open"]
        conversation["open"] += 1
        conversation["version"] += 1
        version = conversation["version"]

        def sent(answer):
            conversation["newest"], conversation["is_known"] = answer["id"], was_quiet and conversation["version"] == version
            conversation["open"] -= 1
            conversation["version"] += 1
            self.sent.append((answer["id"], time.monotonic()))
            del self.sent[:-20]
            return None if answer["text"] == text else "another text"

        return self.call("messages.send", {"accountID": other["id"]}, body={"text": text}, check=sent)

    def own_message(self):
        fresh = [one for one in self.sent if time.monotonic() - one[1] < EDITABLE_SECONDS]
        return self.chooser.choice(fresh) if fresh else None

    def messages_edit(self):
        picked = self.own_message()
        if picked is None:
            return None
        text = f"changed {self.chooser.getrandbits(40):x}"
        return self.call(
            "messages.edit", {"messageID": picked[0]}, body={"text": text},
            check=lambda answer: None if answer["text"] == text else "another text")

    def messages_remove(self):
        picked = self.own_message()
        if picked is None:
            return None
        self.sent.remove(picked)
        return self.call("messages.remove", {"messageID": picked[0]})

    def a_conversation(self):
        others = [
            member for member in self.circle.members
            if member["id"] != self.account_id and self.circle.conversation(self.account_id, member["id"])["newest"]]
        return self.chooser.choice(others) if others else None

    def messages_list(self):
        other = self.a_conversation()
        if other is None:
            return None
        conversation = self.circle.conversation(self.account_id, other["id"])
        is_known, version, newest = conversation["is_known"] and not conversation["open"], conversation["version"], conversation["newest"]

        def check(answer):
            if is_known and conversation["version"] == version and answer["items"][0]["id"] != newest:
                return f"the newest message is to be {newest}"
            return None

        return self.call("messages.list", {"accountID": other["id"]}, {"limit": 20}, check=check)

    def conversations_markRead(self):
        other = self.a_conversation()
        if other is None:
            return None
        newest = self.circle.conversation(self.account_id, other["id"])["newest"]
        return self.call("conversations.markRead", {"accountID": other["id"]}, body={"messageID": newest})

    def tasks_create(self):
        made = self.moves.make("tasks.create")

        def created(answer):
            for name in (self.name, *made[2]["participants"]):
                one = self.circle.people[name]
                one.todo.append(one.call("taskCompletions.confirm", {"taskID": answer["id"]}))
                one.tasks.append(answer["id"])
                del one.tasks[:-20]

        return self.call("tasks.create", *made, check=created)

    def a_task(self, name, **more):
        return self.call(name, {"taskID": self.chooser.choice(self.tasks)}, **more) if self.tasks else None

    def tasks_get(self):
        return self.a_task("tasks.get")

    def taskComments_list(self):
        return self.a_task("taskComments.list")

    def taskComments_create(self):
        return self.a_task("taskComments.create", body={"text": f"Comment {self.chooser.getrandbits(40):x}"})

    # Rewards

    def coins_getBalance(self):
        expected = self.credit
        return self.call(
            "coins.getBalance", check=lambda answer: None if answer["coins"] >= expected else f"there are to be {expected} coins at least")

    def offers_redeem(self):
        if self.credit < COST:
            if not self.asked:
                self.asked = True
                self.keeper.todo.append(self.given())
            return None
        call = self.of_move("offers.redeem")
        self.credit -= COST

        def redeemed(answer):
            self.redemptions.append(answer["id"])
            del self.redemptions[:-20]

        call.check = redeemed
        return call

    def given(self):
        def credit(_):
            self.credit += CREDIT
            self.asked = False

        return self.call(
            "coins.adjust", body={"accountID": self.account_id, "coins": CREDIT, "reason": "a present"}, check=credit)

    def redemptions_get(self):
        if not self.redemptions:
            return None
        picked = self.chooser.choice(self.redemptions)
        return self.call(
            "redemptions.get", {"redemptionID": picked},
            check=lambda answer: None if (answer["id"], answer["state"], answer["coins"]) == (picked, "open", COST) else "another redemption")

    def leaderboards_list(self):
        return self.of_move("leaderboards.list")

    # Notifications

    def notifications_list(self):
        def check(answer):
            numbers = [item["number"] for item in answer["items"]]
            if numbers != sorted(set(numbers), reverse=True):
                return "the numbers do not fall"
            back = [item["id"] for item in answer["items"] if item["id"] in self.gone]
            if back:
                return f"{back} had been answered 404"
            self.last_number = numbers[0] if numbers else None
            self.notifications = {item["id"] for item in answer["items"]}
            self.gone.clear()
            return None

        return self.call("notifications.list", query={"limit": 20}, check=check)

    def notifications_markRead(self):
        return self.of_notification("notifications.markRead", goes=False)

    def notifications_delete(self):
        return self.of_notification("notifications.delete", goes=True)

    def of_notification(self, name, goes):
        """A notification may have been replaced by another one under a new number, which counts on or says what became of the first: then it is
        not found, and must not be listed any more."""
        if not self.notifications:
            return None
        picked = self.chooser.choice(sorted(self.notifications))
        call = self.call(name, {"notificationID": picked})
        call.right.add(404)

        def check(_):
            if goes or call.status == 404:
                self.notifications.discard(picked)
                self.gone.add(picked)
            if call.status == 404:
                self.world.replaced += 1

        call.check = check
        return call

    def notifications_markAllRead(self):
        return self.call("notifications.markAllRead", body={"upTo": self.last_number}) if self.last_number else None


class Keeper(Account):
    """The administrator: gives coins to those who have spent theirs, and looks around."""

    def __init__(self, name, seed, document, world):
        super().__init__(name, seed, document, world)
        self.todo = []

    def choose(self):
        if self.todo:
            return self.todo.pop(0)
        return Call(self.document.operations[self.chooser.choice(KEEPER)])


class Stranger(Account):
    """Calls everything with what is made up."""

    def __init__(self, name, seed, document, world):
        super().__init__(name, seed, document, world)
        self.maker = generator.Maker(document, self.pools, self.chooser, lambda: datetime.datetime.now(datetime.timezone.utc))
        self.operations = [
            operation for operation in document.operations.values()
            if operation.service != "gateway" and not operation.is_form and operation.caller != "administrator"
            and operation.name not in generator.LEFT_OUT and operation.name not in GUESSES]

    def choose(self):
        operation = self.chooser.choice(self.operations)
        values = {
            name: self.maker.path_value(name, operation.path_schemas.get(name, {"type": "string"})) for name in operation.path_names}
        body = self.maker.value(operation.body) if operation.body is not None else None
        call = Call(operation, values, body=body, right={status for status in operation.declared if status < 500})

        def learn(answer):
            if call.status < 300 and isinstance(answer, dict):
                self.pools.harvest(operation.name, answer)

        call.check = learn
        return call
