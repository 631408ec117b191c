"""Entries of activities, and the streaks they come to (ACT-7, ACT-10). The activities of this run are daily."""

import datetime
from collections import defaultdict

GOAL = 10


def check(history, reads):
    entries, kinds = {}, {}
    for write in history.writes("activity"):
        call = write.call
        for row in write.rows:
            if row.name == "activities.changed":
                kinds[row.body["activity"]["id"]] = row.body["activity"]["goal"]["kind"]
            elif row.name == "entries.recorded" and call is not None and call["op"] in EFFECTS:
                body = row.body
                kind, key = kinds.get(body["activityID"]), (body["activityID"], body["day"])
                if kind not in ("check", "quantity"):
                    continue
                if call["flow"] != "any":
                    entries[key] = EFFECTS[call["op"]](kind, entries.get(key), call["body"])
                    if said(kind, body) != entries[key]:
                        yield (f"entries.recorded number {row.number} says {said(kind, body)} after {call['op']} {call['body']}, "
                               f"and it is {entries[key]}")
                else:
                    entries[key] = said(kind, body)
        if call is not None and call["outcome"] == "acknowledged" and call["flow"] == "entries" and call["answer"]:
            yield from answer(call, kinds, entries)
    yield from final(reads, entries)
    yield from streaks(history, reads, entries, kinds)


def record(kind, _, body):
    return body["isDone"] if kind == "check" else body["amount"]


def increment(kind, former, body):
    return (former or 0) + body["amount"]


EFFECTS = {"entries.record": record, "entries.increment": increment, "entries.delete": lambda kind, former, body: None}


def said(kind, body):
    if body["isDeleted"]:
        return None
    return body["isDone"] if kind == "check" else body.get("amount")


def answer(call, kinds, entries):
    if call["op"] not in ("entries.record", "entries.increment"):
        return
    kind = kinds.get(call["path"]["activityID"])
    known = entries.get((call["path"]["activityID"], call["path"]["day"]))
    given = call["answer"].get("isDone") if kind == "check" else call["answer"].get("amount")
    if known != given:
        yield f"{call['op']} was answered with {given}, and the entry is {known} (trace {call['trace']})"


def final(reads, entries):
    for account, read in reads["members"].items():
        for activity, days in read["entries"].items():
            kind = read["activities"][activity]["goal"]["kind"]
            for day, found in days.items():
                known = entries.get((activity, day))
                given = None if found is None else found["isDone"] if kind == "check" else found.get("amount")
                if given != known:
                    yield f"the entry of {activity} on {day} is {given}, and should be {known}"


def streaks(history, reads, entries, kinds):
    """The streak is counted back from today, which does not break it while it is open."""
    last = {}
    for row in history.logs["activity"].rows:
        if row.name == "streaks.changed":
            former = last.get(row.body["activityID"])
            if former is None or row.body["revision"] > former["revision"]:
                last[row.body["activityID"]] = row.body
    today = datetime.date.fromisoformat(reads["today"])
    for account, read in reads["members"].items():
        for activity in read["activities"]:
            kind = kinds.get(activity)
            run = longest = 0
            for back in range(6, -1, -1):
                day = today - datetime.timedelta(days=back)
                value = entries.get((activity, day.isoformat()))
                done = bool(value) if kind == "check" else (value or 0) >= GOAL
                if done:
                    run += 1
                    longest = max(longest, run)
                elif back != 0:
                    run = 0
            found = last.get(activity, {"streak": {"current": 0, "longest": 0}})["streak"]
            if (found["current"], found["longest"]) != (run, longest):
                yield f"the streak of {activity} is {found['current']} of {found['longest']}, and should be {run} of {longest}"
