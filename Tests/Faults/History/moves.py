"""What the clients of the models do: calls whose effects the models follow one by one.

A move names an operation and makes what its path and body need. It is made from what the client knows; whether it is allowed in that moment
is for the service to say.
"""

import datetime

# How often each is chosen, of all; and to which flow it belongs.
MOVES = {
    "coins": {"movementSamples.record": 8, "movementSamples.delete": 2, "offers.redeem": 6, "coins.getBalance": 4, "coins.listTransfers": 1,
              "leaderboards.list": 1, "redemptions.list": 1},
    "entries": {"activities.create": 1, "entries.record": 7, "entries.increment": 5, "entries.delete": 2, "entries.get": 4},
    "people": {"friendRequests.send": 3, "friendRequests.accept": 4, "friendRequests.reject": 1, "friendRequests.withdraw": 1,
               "friendRequests.list": 3, "friends.remove": 0.3, "blocks.create": 0.2, "blocks.delete": 0.3, "messages.send": 10,
               "messages.edit": 8, "messages.remove": 1, "conversations.markRead": 3, "messages.list": 3, "friends.list": 1,
               "profiles.update": 2},
    "tasks": {"tasks.create": 3, "taskCompletions.confirm": 5, "taskCompletions.withdraw": 2, "tasks.cancel": 0.5,
              "tasks.optOut": 0.7, "tasks.list": 2, "tasks.get": 3, "teams.create": 1, "teamInvitations.send": 2,
              "teamInvitations.accept": 2, "teamInvitations.list": 2, "teams.leave": 0.5, "teams.getMine": 1},
    "inbox": {"notifications.markRead": 3, "notifications.markAllRead": 0.5, "notifications.delete": 1, "notifications.list": 3,
              "notifications.countUnread": 4},
}
FLOW = {operation: flow for flow, moves in MOVES.items() for operation in moves}
ADMINISTRATOR = {"coins.adjust": 4, "redemptions.void": 4, "offers.create": 0.3, "challengeDefinitions.create": 0.1}
FLOW |= {"coins.adjust": "coins", "redemptions.void": "coins", "offers.create": "coins"}


class Moves:
    """The moves of one client."""

    def __init__(self, client, world):
        self.client, self.world = client, world
        self.chooser = client.chooser
        self.samples = 0

    def other(self):
        return self.chooser.choice([member for member in self.world.members if member["id"] != self.client.account_id])

    def make(self, operation):
        """The path's values, the query and the body; None where nothing fits."""
        name = operation.replace(".", "_")
        if hasattr(self, name):
            return getattr(self, name)()
        return {}, {}, None

    # Coins

    def movementSamples_record(self):
        """A minute nobody else's sample lies in, of today or of one of the days before that may still earn."""
        samples = []
        for _ in range(self.chooser.randint(1, 3)):
            turn, slot = divmod(self.samples, 4 * 204)
            if turn == 7:
                return None
            self.samples += 1
            day, place = divmod(slot, 204)
            # In the account's own time, whose noon is now.
            start = datetime.datetime.combine(
                self.world.today - datetime.timedelta(days=1 + day), datetime.time()
            ) + datetime.timedelta(minutes=place * 7 + turn, hours=-self.world.zone_hours)
            identifier = f"{self.client.name}-{self.samples}"
            samples.append({
                "id": identifier, "kind": "steps", "start": start.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                "end": (start + datetime.timedelta(minutes=1)).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
                "amount": self.chooser.randint(20, 200), "source": "watch"})
            self.client.pools.add("sampleID", identifier)
        return {}, {}, {"samples": samples}

    def movementSamples_delete(self):
        picked = self.client.pools.pick("sampleID", self.chooser)
        return ({}, {}, {"ids": [picked]}) if picked else None

    def offers_redeem(self):
        return {"offerID": self.chooser.choice(self.world.offers)["id"]}, {}, {}

    def coins_adjust(self):
        return {}, {}, {
            "accountID": self.other()["id"], "coins": self.chooser.choice([5, 20, 50, 100, -5]), "reason": "a correction"}

    def redemptions_void(self):
        if not self.world.redemptions:
            return None
        return {"redemptionID": self.chooser.choice(self.world.redemptions[-30:])}, {}, {"reason": "sold out"}

    def offers_create(self):
        return {}, {}, self.world.offer(self.chooser.choice([5, 10, 20]), self.chooser.choice([3, 50]))

    def leaderboards_list(self):
        return {}, {"metric": "steps", "period": "allTime"}, None

    # Entries

    def activities_create(self):
        if len(self.client.activities) >= 4:
            return None
        goal = {"kind": "check"} if self.chooser.random() < 0.5 else {"kind": "quantity", "amount": 10, "unit": "pages"}
        start = (self.world.today - datetime.timedelta(days=6)).isoformat()
        return {}, {}, {
            "title": f"Habit {self.chooser.randrange(1000)}", "category": "reading", "goal": goal, "schedule": {"kind": "daily"},
            "startDay": start}

    def an_entry(self):
        if not self.client.activities:
            return None
        activity = self.chooser.choice(self.client.activities)
        day = (self.world.today - datetime.timedelta(days=self.chooser.randrange(5))).isoformat()
        return {"activityID": activity["id"], "day": day}, activity["goal"]["kind"]

    def entries_record(self):
        entry = self.an_entry()
        if entry is None:
            return None
        done = self.chooser.random() < 0.8
        return entry[0], {}, {"isDone": done} if entry[1] == "check" else {"amount": self.chooser.randint(0, 15)}

    def entries_increment(self):
        entry = self.an_entry()
        if entry is None or entry[1] == "check":
            return None
        return entry[0], {}, {"amount": self.chooser.randint(1, 4)}

    def entries_delete(self):
        entry = self.an_entry()
        return entry and (entry[0], {}, None)

    entries_get = entries_delete

    # People

    def friendRequests_send(self):
        return {}, {}, {"username": self.other()["username"]}

    def a_request(self):
        picked = self.client.pools.pick("friendRequestID", self.chooser)
        return picked and ({"friendRequestID": picked}, {}, None)

    friendRequests_accept = friendRequests_reject = friendRequests_withdraw = a_request

    def friendRequests_list(self):
        return {}, {"direction": self.chooser.choice(["received", "sent"])}, None

    def profiles_update(self):
        return {}, {}, {"username": self.client.name, "nickname": f"Nick {self.chooser.randrange(100_000)}"}

    def with_another(self):
        return {"accountID": self.other()["id"]}, {}, None

    friends_remove = blocks_delete = with_another

    def messages_list(self):
        return {"accountID": self.other()["id"]}, {"limit": "100"}, None

    def blocks_create(self):
        return {}, {}, {"accountID": self.other()["id"]}

    def messages_send(self):
        friends = self.client.pools.ids.get("friend", [])
        to = self.chooser.choice(friends) if friends and self.chooser.random() < 0.9 else self.other()["id"]
        return {"accountID": to}, {}, {"text": f"{self.client.name} {self.chooser.getrandbits(40):x}"}

    def messages_edit(self):
        picked = self.client.pools.pick("messageID", self.chooser)
        return picked and ({"messageID": picked}, {}, {"text": f"changed {self.chooser.getrandbits(40):x}"})

    def messages_remove(self):
        picked = self.client.pools.pick("messageID", self.chooser)
        return picked and ({"messageID": picked}, {}, None)

    def conversations_markRead(self):
        newest = self.client.newest
        if not newest:
            return None
        other = self.chooser.choice(sorted(newest))
        return {"accountID": other}, {}, {"messageID": newest[other]}

    # Tasks

    def tasks_create(self):
        others = {self.other()["username"] for _ in range(self.chooser.randint(1, 2))}
        return {}, {}, {"name": f"Task {self.chooser.getrandbits(32):x}", "participants": sorted(others)}

    def a_task(self):
        picked = self.client.pools.pick("taskID", self.chooser)
        return picked and ({"taskID": picked}, {}, None)

    taskCompletions_confirm = taskCompletions_withdraw = tasks_cancel = tasks_get = a_task

    def tasks_optOut(self):
        picked = self.client.pools.pick("taskID", self.chooser)
        return picked and ({"taskID": picked}, {}, {"confirm": True})

    def teams_create(self):
        return {}, {}, {"name": f"Team {self.chooser.getrandbits(32):x}", "usernames": [self.other()["username"]]}

    def teamInvitations_send(self):
        team = self.client.pools.pick("teamID", self.chooser)
        return team and ({"teamID": team}, {}, {"username": self.other()["username"]})

    def teamInvitations_accept(self):
        picked = self.client.pools.pick("teamInvitationID", self.chooser)
        return picked and ({"teamInvitationID": picked}, {}, None)

    def teamInvitations_list(self):
        return {}, {"direction": "received"}, None

    def teams_leave(self):
        team = self.client.pools.pick("teamID", self.chooser)
        return team and ({"teamID": team}, {}, None)

    # Inbox

    def a_notification(self):
        picked = self.client.pools.pick("notificationID", self.chooser)
        return picked and ({"notificationID": picked}, {}, None)

    notifications_markRead = notifications_delete = a_notification

    def notifications_markAllRead(self):
        number = self.client.last_number
        return number and ({}, {}, {"upTo": number})
