"""A history: the calls of the clients, the stores as they lie at rest, and which call had which effect.

How the number of a call is found. Each call carries a `traceparent` of its own, and each row of an outbox has that of the call it was
written for: so the rows with a call's trace, in the outbox of the service that serves it, are its events, and their numbers are its place in
the order. A write that publishes nothing has its idempotency record instead: its row's id is given in the same transaction and only grows.
A write without key and event has no number; what it did is left to the final reads.
"""

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
        self.service = service
        store = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        try:
            self.epoch, self.epoch_start = store.execute("SELECT epoch, epoch_start FROM store_states").fetchone()
            self.rows = [
                Row(number, name, at, trace[3:35] if trace else None, json.loads(body))
                for number, name, at, trace, body in store.execute(
                    "SELECT number, name, at, traceparent, body FROM outbox ORDER BY number")]
            self.records = {
                (caller, key): number
                for number, caller, key in store.execute("SELECT id, caller, key FROM idempotency_records ORDER BY id")}
            self.cursors = {
                publisher: (epoch, number)
                for publisher, epoch, number in store.execute("SELECT publisher, epoch, number FROM subscription_cursors")}
        finally:
            store.close()
        self.by_trace = defaultdict(list)
        for row in self.rows:
            if row.trace:
                self.by_trace[row.trace].append(row)


class History:
    def __init__(self, calls_path, stores, restores):
        self.stores = pathlib.Path(stores)
        self.calls = [json.loads(line) for line in open(calls_path)]
        self.logs = {service: Log(service, self.stores / f"{service}.sqlite") for service in SERVICES}
        # When each backup was begun, and when the cluster that was made from it had started.
        self.restores = restores
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
        return any(call["end"] >= begun and call["start"] <= started for begun, started in self.restores)

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
