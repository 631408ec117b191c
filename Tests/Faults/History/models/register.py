"""The register (TASK-9): leaves without gaps, the tree that is signed, and a leaf for each thing that is registered."""

import base64
import hashlib
import json
import sqlite3
from collections import Counter

# What each operation registers where it changes something.
KINDS = {
    "taskCompletions.confirm": "completionConfirmed", "taskCompletions.withdraw": "completionWithdrawn",
    "teams.create": "teamCreated",
}
MARKS = ("tasks.changed", "teamMemberships.changed")


def root(hashes):
    """The Merkle tree hash of RFC 6962, section 2.1."""
    if not hashes:
        return hashlib.sha256(b"").digest()
    if len(hashes) == 1:
        return hashes[0]
    split = 1
    while split * 2 < len(hashes):
        split *= 2
    return hashlib.sha256(b"\x01" + root(hashes[:split]) + root(hashes[split:])).digest()


def check(history, reads):
    database = sqlite3.connect(f"file:{history.stores / 'social.sqlite'}?mode=ro", uri=True)
    leaves = database.execute("SELECT number, entry FROM register_leaves ORDER BY number").fetchall()
    checkpoints = database.execute("SELECT size, note FROM register_checkpoints ORDER BY size").fetchall()
    database.close()
    if [number for number, _ in leaves] != list(range(len(leaves))):
        yield "the leaves are not numbered 0, 1, 2, …"
    hashes = [hashlib.sha256(b"\x00" + entry.encode()).digest() for _, entry in leaves]
    for size, note in checkpoints:
        lines = note.split("\n")
        if size > len(leaves):
            yield f"a checkpoint covers {size} leaves, and there are {len(leaves)}"
        elif int(lines[1]) != size or base64.b64decode(lines[2]) != root(hashes[:size]):
            yield f"the checkpoint of {size} leaves is not of these leaves"
    kinds = Counter(json.loads(entry)["kind"] for _, entry in leaves)
    asked, confirmed, known = Counter(), set(), set()
    for write in history.writes("social"):
        if write.call is None or not any(row.name in MARKS for row in write.rows):
            continue
        op, task = write.call["op"], write.call["path"].get("taskID")
        if op == "tasks.cancel":
            # All confirmations of a cancelled task are taken back.
            asked["completionWithdrawn"] += sum(1 for _, other in confirmed if other == task)
        elif op in ("tasks.optOut", "taskParticipants.remove"):
            asked["completionWithdrawn"] += (write.call["path"].get("accountID", write.call["account"]), task) in confirmed
        elif op in KINDS:
            asked[KINDS[op]] += 1
        for row in write.rows:
            if row.name == "tasks.changed":
                if row.body["taskID"] not in known:
                    known.add(row.body["taskID"])
                    asked["taskCreated"] += 1
                (confirmed.add if row.body["isConfirmed"] else confirmed.discard)((row.body["accountID"], row.body["taskID"]))
    for kind, wanted in asked.items():
        if kinds[kind] != wanted:
            yield f"{wanted} times {kind} have {kinds[kind]} leaves"
    if reads["checkpoint"] is not None and int(reads["checkpoint"].split("\n")[1]) != len(leaves):
        yield f"the checkpoint that is shown covers {reads['checkpoint'].split(chr(10))[1]} of {len(leaves)} leaves"
