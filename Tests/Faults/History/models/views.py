"""What each service keeps of the others' states: the newest state that was published, and no other."""

import sqlite3
import uuid


def newest(history, service, name, key):
    """The event with the highest revision of each thing."""
    found = {}
    for row in history.logs[service].rows:
        if row.name == name:
            former = found.get(key(row.body))
            if former is None or row.body["revision"] >= former["revision"]:
                found[key(row.body)] = row.body
    return found


def kept(history, service, query):
    database = sqlite3.connect(f"file:{history.stores / service}.sqlite?mode=ro", uri=True)
    try:
        return [
            tuple(str(uuid.UUID(bytes=value)) if isinstance(value, bytes) else value for value in row) for row in database.execute(query)]
    finally:
        database.close()


def check(history, reads):
    accounts = newest(history, "identity", "accounts.changed", lambda body: body["accountID"])
    for service in ("activity", "rewards", "social", "notifications"):
        known = {account: (revision, nickname) for account, revision, nickname in kept(
            history, service, "SELECT account_id, revision, nickname FROM accounts")}
        for account, body in accounts.items():
            if known.get(account) != (body["revision"], body.get("nickname")):
                yield f"{service} knows {account} as {known.get(account)}, and it is {body['revision'], body.get('nickname')}"
    teams = newest(history, "social", "teamMemberships.changed", lambda body: body["accountID"])
    known = {row[0]: row[1:] for row in kept(history, "rewards", "SELECT account_id, team_id, is_member, revision FROM team_members")}
    for account, body in teams.items():
        is_so = body["teamID"], int(body["isMember"]), body["revision"]
        if known.get(account) != is_so:
            yield f"rewards has {account} in the team {known.get(account)}, and it is {is_so}"
    streaks = newest(history, "activity", "streaks.changed", lambda body: body["activityID"])
    known = {row[0]: row[1:] for row in kept(history, "rewards", "SELECT activity_id, streak, longest FROM challenge_activities")}
    for activity, body in streaks.items():
        is_so = body["streak"]["current"], body["streak"]["longest"]
        if body["accountID"] in reads["members"] and known.get(activity) != is_so:
            yield f"rewards has the streak {known.get(activity)} of {activity}, and it is {is_so}"
    relations = newest(history, "social", "relations.changed", lambda body: (body["accountID"], body["otherAccountID"]))
    known = {row[:2]: row[2:] for row in kept(
        history, "rewards", "SELECT account_id, other_account_id, is_friend, is_apart FROM relations")}
    for both, body in relations.items():
        is_so = int(body["relation"]["isFriend"]), int(body["relation"]["isBlocked"] or body["isBlockedByOther"])
        if known.get(both, (0, 0)) != is_so:
            yield f"rewards has {known.get(both)} between {both}, and it is {is_so}"
