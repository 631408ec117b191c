"""Tasks, who takes part and who has confirmed, and teams (TASK-1 to TASK-5, TEAM-1, TEAM-2)."""

from collections import Counter, defaultdict


class Task:
    def __init__(self):
        self.state, self.people, self.confirmed = "open", set(), set()
        # For which team each confirmation counts: that of its moment.
        self.counts_for = {}

    def settle(self):
        if self.state == "open" and self.people and self.people <= self.confirmed:
            self.state = "completed"


def check(history, reads):
    tasks, teams = {}, {}
    for write in history.writes("social"):
        call = write.call
        if call is None:
            continue
        changed = {}
        for row in write.rows:
            if row.name == "tasks.changed":
                changed.setdefault(row.body["taskID"], []).append(row)
            elif row.name == "teamMemberships.changed":
                member(teams, row)
        for identifier, rows in changed.items():
            yield from task(tasks, identifier, call, rows)
            count(tasks[identifier], call["account"], teams)
    yield from reading(history)
    yield from final(tasks, teams, reads)


def member(teams, row):
    body = row.body
    former = teams.get(body["accountID"])
    if former is None or body["revision"] >= former["revision"]:
        teams[body["accountID"]] = body


def count(known, account, teams):
    """A confirmation counts for the team that its member is in when it confirms, until it is taken back (TEAM-2)."""
    if account not in known.confirmed:
        known.counts_for.pop(account, None)
    elif account not in known.counts_for:
        team = teams.get(account)
        known.counts_for[account] = team["teamID"] if team and team["isMember"] else None


def scores(tasks):
    found = Counter()
    for known in tasks.values():
        if known.state != "cancelled" and len(known.people) >= 2:
            found.update(team for account, team in known.counts_for.items() if team and account in known.people)
    return found


def task(tasks, identifier, call, rows):
    known = tasks.setdefault(identifier, Task())
    account = call["account"]
    if call["op"] == "tasks.create":
        known.people = {row.body["accountID"] for row in rows if row.body["isParticipant"]}
    elif call["op"] == "taskCompletions.confirm":
        known.confirmed.add(account)
    elif call["op"] == "taskCompletions.withdraw":
        known.confirmed.discard(account)
    elif call["op"] == "tasks.cancel":
        known.state = "cancelled"
    elif call["op"] == "tasks.optOut":
        known.people.discard(account)
        known.confirmed.discard(account)
    else:
        # Whatever else strangers do with their own: its events are believed for who takes part.
        for row in rows:
            body = row.body
            (known.people.add if body["isParticipant"] else known.people.discard)(body["accountID"])
            (known.confirmed.add if body["isConfirmed"] else known.confirmed.discard)(body["accountID"])
            known.state = body["state"]
    known.settle()
    for row in rows:
        body = row.body
        said = body["state"], body["participantCount"], body["confirmedCount"]
        if said != (known.state, len(known.people), len(known.confirmed & known.people)):
            yield (f"tasks.changed number {row.number} says {said} after {call['op']}, and it is {known.state}, {len(known.people)}, "
                   f"{len(known.confirmed)}")
        if body["isParticipant"] and body["isConfirmed"] != (body["accountID"] in known.confirmed):
            yield f"tasks.changed number {row.number} says that {body['accountID']} has {'' if body['isConfirmed'] else 'not '}confirmed"


def reading(history):
    """A session that has seen a task completed or cancelled never sees it open again."""
    ended = defaultdict(list)
    for call in history.calls:
        if call["op"] == "tasks.get" and call["outcome"] == "acknowledged":
            reads, state = ended[call["client"], call["session"], call["path"]["taskID"]], call["answer"]["task"]["state"]
            earlier = history.latest(reads, call)
            if earlier and state != earlier[1]:
                yield f"{call['client']} saw a task {state} that had been {earlier[1]} (trace {call['trace']})"
            if state != "open":
                reads.append((call, state))


def final(tasks, teams, reads):
    by_team = scores(tasks)
    for account, read in reads["members"].items():
        found = set()
        for item in read["tasks"]:
            found.add(item["id"])
            known = tasks.get(item["id"])
            if known is None:
                yield f"the task {item['id']} is there, and no event of it"
                continue
            said = item["state"], item["participantCount"], item["confirmedCount"], item["isConfirmed"]
            is_so = known.state, len(known.people), len(known.confirmed & known.people), account in known.confirmed
            if said != is_so:
                yield f"the task {item['id']} is {said} for {account}, and should be {is_so}"
        missing = {key for key, known in tasks.items() if account in known.people} - found
        if missing:
            yield f"{account} lacks the tasks {sorted(missing)}"
        team = read["teams.getMine"].get("team")
        known = teams.get(account)
        expected = known["teamID"] if known and known["isMember"] else None
        if (team or {}).get("id") != expected:
            yield f"{account} is in the team {(team or {}).get('id')}, and should be in {expected}"
        if team:
            if team["allTime"]["score"] != by_team[team["id"]]:
                yield f"the team {team['id']} has the score {team['allTime']['score']}, and should have {by_team[team['id']]}"
            people = {other["accountID"] for other in team["members"]}
            expected = {key for key, body in teams.items() if body["isMember"] and body["teamID"] == team["id"]}
            if people != expected:
                yield f"the team {team['id']} has {sorted(people)}, and should have {sorted(expected)}"
