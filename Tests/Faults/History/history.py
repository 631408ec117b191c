"""A history: the calls of the clients, the stores as they lie at rest, and which call had which effect.

How the number of a call is found. Each call carries a `traceparent` of its own, and each row of an outbox has that of the call it was
written for: so the rows with a call's trace, in the outbox of the service that serves it, are its events, and their numbers are its place in
the order. A write that publishes nothing has its idempotency record instead: its row's id is given in the same transaction and only grows.
A write without key and event has no number; what it did is left to the final reads.
"""

import contextlib
import functools
import json
import pathlib
import sqlite3
from collections import defaultdict, namedtuple

SERVICES = ("identity", "activity", "rewards", "social", "notifications")
Row = namedtuple("Row", "number name at trace body")
Write = namedtuple("Write", "call rows number")
FOREVER = 1 << 62


class Log:
    """What one store says of its order: the outbox, the idempotency records and how far it has got with the others' events."""

    def __init__(self, service, path):
        self.service, self.path = service, path
        with self.opened() as store:
            self.epoch, self.epoch_start = store.execute("SELECT epoch, epoch_start FROM store_states").fetchone()
            self.ends = dict(store.execute("SELECT epoch, end_number FROM outbox_ancestors"))
            self.last = store.execute("SELECT max(number) FROM outbox").fetchone()[0] or self.epoch_start
            # Where each subscription stands: epoch, number, and how far a snapshot went that it began from.
            self.cursors = {
                publisher: (epoch, number, snapshot)
                for publisher, epoch, number, snapshot in store.execute(
                    "SELECT publisher, epoch, number, snapshot_number FROM subscription_cursors")}

    def opened(self):
        return contextlib.closing(sqlite3.connect(f"file:{self.path}?mode=ro", uri=True))

    def each_row(self, condition="1"):
        """The rows of the outbox one by one, none of which is kept."""
        with self.opened() as store:
            for number, name, at, trace, body in store.execute(
                f"SELECT number, name, at, traceparent, body FROM outbox WHERE {condition} ORDER BY number"
            ):
                yield Row(number, name, at, trace[3:35] if trace else None, json.loads(body))

    @functools.cached_property
    def rows(self):
        return list(self.each_row())

    @functools.cached_property
    def by_trace(self):
        found = defaultdict(list)
        for row in self.rows:
            if row.trace:
                found[row.trace].append(row)
        return found

    @functools.cached_property
    def records(self):
        with self.opened() as store:
            return {
                (caller, key): number
                for number, caller, key in store.execute("SELECT id, caller, key FROM idempotency_records ORDER BY id")}

    def goes_on_from(self, cursor):
        """Whether a store put back from this copy has all that a subscriber with that cursor has seen."""
        if cursor is None:
            return False
        epoch, number, snapshot = cursor
        end = self.last if epoch == self.epoch else self.ends.get(epoch, -1)
        return max(number, snapshot) <= end


class Restore:
    """A backup that was put back: when it was begun, when the cluster was ended and had ended, and when it was ready again; the copies of the
    stores, the stores that they replaced, and the publishers whose copies nobody knew the epoch of."""

    def __init__(self, said):
        self.begun, self.lost, self.dead, self.ready = (said[name] for name in ("start", "lost", "dead", "end"))
        self.wall, self.unknown = said["wall"], set(said["unknown"])
        folder = pathlib.Path(said["folder"])
        self.copies = {service: Log(service, folder / "stores" / f"{service}.sqlite") for service in SERVICES}
        self.replaced = {service: Log(service, folder / "replaced" / f"{service}.sqlite") for service in SERVICES}

    def behind(self):
        """How many events each subscription lacked in the copies, and whether it goes on from its cursor."""
        for copy in self.copies.values():
            for publisher, cursor in copy.cursors.items():
                yield self.copies[publisher].last - cursor[1], self.goes_on(publisher, cursor)

    def goes_on(self, publisher, cursor):
        """Whether a subscriber with that cursor goes on from it, and needs no snapshot."""
        return publisher not in self.unknown and self.copies[publisher].goes_on_from(cursor)


class History:
    def __init__(self, calls_path, stores, restores):
        self.stores = pathlib.Path(stores)
        self.calls = [json.loads(line) for line in open(calls_path)]
        self.logs = {service: Log(service, self.stores / f"{service}.sqlite") for service in SERVICES}
        self.restores = [Restore(said) for said in restores]
        self.by_trace = {call["trace"]: call for call in self.calls}
        self.groups = defaultdict(list)
        for call in self.calls:
            self.groups[call["group"], call["client"]].append(call)
        self.telling = self._telling()
        for call in self.calls:
            call["effect"] = self._effect(call)

    def own_rows(self, call):
        log = self.logs.get(call["service"])
        return log.by_trace.get(call["trace"], []) if log else []

    def record(self, call):
        log = self.logs.get(call["service"])
        return log.records.get((call["account"], call["key"])) if log and call["key"] else None

    def may_be_undone(self, call):
        """Whether a restored backup may have taken the call back: it had not ended when the backup began."""
        return any(call["end"] >= restore.begun and call["start"] <= restore.dead for restore in self.restores)

    def still_true(self, earlier, call):
        """Whether what an earlier call has read is so for a later one, too: no backup was restored between them that may lack it."""
        return all(
            earlier["end"] < restore.begun or call["end"] < restore.lost or earlier["start"] > restore.dead for restore in self.restores)

    def latest(self, reads, call):
        """Of a session's reads (pairs of call and what it read) the latest that is still true for that call; None if there is none."""
        return next((read for read in reversed(reads) if self.still_true(read[0], call)), None)

    def logs_at(self, call):
        """The logs of all services as they were when the call was answered, later rows beside; None if it is not certain which."""
        for restore in self.restores:
            if call["end"] < restore.lost:
                return restore.replaced
            if call["start"] <= restore.dead:
                return None
        return self.logs

    def _telling(self):
        """Operations that publish an event whenever they are acknowledged for the first time, as far as this run has seen."""
        seen = defaultdict(lambda: [0, 0])
        for call in self.calls:
            if call["writes"] and call["outcome"] == "acknowledged" and call["form"] == "first" and not self.may_be_undone(call):
                seen[call["op"]][bool(self.own_rows(call))] += 1
        return {op for op, (silent, told) in seen.items() if told >= 3 and silent == 0}

    def _effect(self, call):
        """`yes`, `no`, `undone` by a restored backup, or `unsettled`."""
        if not call["writes"]:
            return "no"
        if self.own_rows(call):
            return "yes"
        if call["outcome"] in ("refused", "unsent"):
            return "no"
        recorded = self.record(call) is not None
        if call["outcome"] == "acknowledged":
            if recorded:
                return "yes"
            if self.may_be_undone(call):
                return "undone" if call["key"] or call["op"] in self.telling else "unsettled"
            return "yes"
        if call["key"]:
            # Of several tries of one key one took effect, and it is known which where it published something.
            return "yes" if recorded and not self._another_published(call) else "no"
        return "no" if call["op"] in self.telling else "unsettled"

    def _another_published(self, call):
        return any(other is not call and self.own_rows(other) for other in self.groups[call["group"], call["client"]])

    def writes(self, service):
        """The writes of a service in the order of their numbers; `call` is None where no client asked for it."""
        trace, rows = object(), []
        for row in self.logs[service].rows:
            if rows and (row.trace != trace or row.trace is None):
                yield self._write(service, trace, rows)
                rows = []
            trace = row.trace
            rows.append(row)
        if rows:
            yield self._write(service, trace, rows)

    def _write(self, service, trace, rows):
        call = self.by_trace.get(trace)
        return Write(call if call and call["service"] == service and call["writes"] else None, rows, rows[0].number)

    def span(self, call):
        """From when until when the effect of a call came to be: of several tries with one key, from the first on until the first answer."""
        tries = [other for other in self.groups[call["group"], call["client"]] if other["form"] != "other" or other is call]
        if call["form"] == "other" or not call["key"]:
            tries = [call]
        ends = [other["end"] for other in tries if other["outcome"] == "acknowledged" and not self.may_be_undone(other)]
        # An effect that is found under this call's own trace cannot be older than the call.
        start = call["start"] if self.own_rows(call) else min(other["start"] for other in tries)
        return start, min(ends, default=FOREVER)
