"""One pass over the order that the services themselves kept: what every call, whatever it does, must hold to."""

import json
from collections import Counter, defaultdict

from history import FOREVER, SERVICES


def check_all(history):
    """All that holds for any operation; the models have their own pages."""
    faults = []
    for check in (acknowledged_is_kept, once_for_each_key, one_answer_for_each_key, order_of_time, order_of_records, numbers_have_no_gaps):
        faults += [f"{check.__name__}: {text}" for text in check(history)]
    return faults


def named(call):
    return f"{call['op']} by {call['client']} (key {call['key']}, trace {call['trace']})"


def acknowledged_is_kept(history):
    """Of an acknowledged call with a key there is the record, and of one that always publishes something, the event."""
    for call in history.calls:
        if not call["writes"] or call["outcome"] != "acknowledged" or history.may_be_undone(call) or call["flow"] == "any":
            continue
        if call["key"] and history.record(call) is None:
            yield f"{named(call)} was acknowledged, and its idempotency record is not there"
        if call["op"] in history.telling and not is_repeated(history, call) and not any(
            history.own_rows(other) for other in history.groups[call["group"], call["client"]]
        ):
            yield f"{named(call)} was acknowledged, and no event of it is there"


def is_repeated(history, call):
    """Whether the same was asked for before by another call, as a removal of what was removed already: there is nothing more to publish."""
    return bool(call["path"]) and any(
        other["op"] == call["op"] and other["path"] == call["path"] and other["group"] != call["group"]
        and other["outcome"] != "refused" and other["start"] < call["end"] for other in history.calls)


def once_for_each_key(history):
    """No two calls with the same key have an effect, and what was refused or never sent has none."""
    for group in history.groups.values():
        having = [call for call in group if call["writes"] and call["key"] and history.own_rows(call)]
        if len(having) > 1:
            yield f"{named(having[0])} took effect {len(having)} times: " + ", ".join(call["trace"] for call in having)
        for call in group:
            if call["writes"] and call["outcome"] in ("refused", "unsent") and history.own_rows(call):
                if call["code"] not in MAY_WRITE and any(row.name not in INCIDENTS for row in history.own_rows(call)):
                    yield f"{named(call)} was {call['outcome']} ({call['status']} {call['code']}), and took effect"


# What identity publishes of calls that it refuses.
INCIDENTS = {"administrators.alerted", "accounts.protected", "loginAlerts.raised"}

# Refusals that write: an attempt that is counted, an end that is noticed.
MAY_WRITE = {"wrong_credentials", "login_locked", "401", "refresh_token_invalid", "friend_request_ended", "redemption_not_found",
             "import_not_uploading"}


def one_answer_for_each_key(history):
    """The same key and body have one answer; another body has none."""
    for group in history.groups.values():
        acknowledged = [call for call in group if call["key"] and call["writes"] and call["outcome"] == "acknowledged"]
        if any(history.may_be_undone(call) for call in group):
            continue
        answers = {json.dumps(call["answer"], sort_keys=True) for call in acknowledged}
        bodies = {json.dumps(call["body"], sort_keys=True) for call in acknowledged}
        if len(bodies) > 1:
            yield f"{named(acknowledged[0])} was acknowledged for two bodies under one key"
        elif len(answers) > 1:
            yield f"{named(acknowledged[0])} was answered in {len(answers)} ways: " + " / ".join(sorted(answers))[:600]


def order_of_time(history):
    """No call with a higher number had ended before one with a lower number began."""
    for service in SERVICES:
        placed = []
        for write in history.writes(service):
            if write.call is not None:
                placed.append((write.number, *history.span(write.call), write.call))
        yield from backwards(placed, f"the outbox of {service}")


def order_of_records(history):
    """The same by the numbers of idempotency records."""
    for service in SERVICES:
        placed, seen = [], set()
        for call in history.calls:
            if call["service"] != service or not call["key"] or (call["account"], call["key"]) in seen or call["form"] == "other":
                continue
            number = history.record(call)
            if number is not None:
                seen.add((call["account"], call["key"]))
                group = history.groups[call["group"], call["client"]]
                if any(other["form"] == "other" for other in group):
                    continue
                ends = [c["end"] for c in group if c["outcome"] == "acknowledged" and not history.may_be_undone(c)]
                placed.append((number, min(c["start"] for c in group), min(ends, default=FOREVER), call))
        yield from backwards(sorted(placed, key=lambda place: place[0]), f"the records of {service}")


def backwards(placed, where):
    first_end, first = FOREVER, None
    for number, start, end, call in reversed(placed):
        if start > first_end:
            yield (f"in {where} {named(call)} has number {number}, and began {(start - first_end) / 1e6:.1f} ms after "
                   f"{named(first)} with a higher number had ended")
        if end < first_end:
            first_end, first = end, call


def numbers_have_no_gaps(history):
    for service, log in history.logs.items():
        for before, after in zip(log.rows, log.rows[1:]):
            if after.number != before.number + 1:
                yield f"the outbox of {service} lacks what is between {before.number} and {after.number}"


def at_rest(history):
    """Each subscriber has got as far as its publishers."""
    for service, log in history.logs.items():
        for publisher, (epoch, number, _) in log.cursors.items():
            other = history.logs[publisher]
            if epoch != other.epoch:
                yield f"{service} is still in another epoch of {publisher}"
            elif number > other.last:
                yield f"{service} is ahead of {publisher}: {number}"


def unknowns(history):
    """How the unknown outcomes were settled, by flow."""
    counts = defaultdict(Counter)
    for call in history.calls:
        if call["writes"] and call["outcome"] == "unknown":
            counts[call["flow"]][call["effect"]] += 1
    return counts
