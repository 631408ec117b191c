"""What a run proved: which faults struck which flows, and where the unknown outcomes went."""

from collections import Counter, defaultdict

import checker
import faults as all_faults

FLOWS = ("coins", "entries", "people", "tasks", "inbox", "any")


def struck_flows(calls, struck):
    """How many writes of each flow were open while each kind of fault struck."""
    table = defaultdict(Counter)
    for fault in struck:
        for call in calls:
            if call["writes"] and call["start"] <= fault["end"] and call["end"] >= fault["start"]:
                table[fault["kind"]][call["flow"]] += 1
    return table


def proven(history, struck):
    """What is missing for the run to have proved something, and the table of faults and flows."""
    table = struck_flows(history.calls, struck)
    missing = []
    for kind in all_faults.KINDS:
        for flow in FLOWS:
            if table[kind][flow] == 0:
                missing.append(f"no {kind} struck while a call of {flow} was open")
    behind = caught_up(history)
    if history.restores and not behind[True]:
        missing.append("no subscriber was behind in a backup whose epoch it knew")
    if history.restores and not behind[False]:
        missing.append("no subscriber was behind in a backup whose epoch it did not know")
    ways = Counter()
    for counts in checker.unknowns(history).values():
        ways.update(counts)
    for way in ("yes", "no"):
        if ways[way] == 0:
            missing.append(f"no unknown outcome turned out to be {way}")
    forms = Counter(call["form"] for call in history.calls if call["writes"] and call["key"])
    for form in ("again", "twice", "other"):
        if forms[form] == 0:
            missing.append(f"no key was sent {form}")
    return missing, table, ways, forms


def caught_up(history):
    """How many events subscribers lacked in restored backups: those that they had to have, and those for which a snapshot had to do."""
    counts = Counter()
    for restore in history.restores:
        for lacking, goes_on in restore.behind():
            counts[goes_on] += lacking
    return counts


def outcomes(history):
    return Counter(call["outcome"] for call in history.calls if call["writes"])


def text(history, struck, table, ways, forms):
    lines = []
    writing = [call for call in history.calls if call["writes"]]
    lines.append(
        f"{len(history.calls)} calls, {len(writing)} of them writes by {len({c['client'] for c in history.calls})} clients, of "
        f"{len({c['op'] for c in writing})} operations: " + ", ".join(f"{n} {o}" for o, n in outcomes(history).most_common()))
    lines.append("unknown outcomes: " + ", ".join(
        f"{ways[way]} {word}" for way, word in (
            ("yes", "had taken effect"), ("no", "had not"), ("undone", "undone by a restore"),
            ("unsettled", "not settled by any read"))))
    lines.append("keys sent again: " + ", ".join(f"{forms[form]} {form}" for form in ("again", "twice", "other")))
    undone = sum(1 for call in writing if call["outcome"] == "acknowledged" and call["effect"] == "undone")
    lines.append(f"{undone} acknowledged calls were undone by a restored backup, as they must be")
    behind = caught_up(history)
    lines.append(f"{behind[True]} events that subscribers lacked in a backup came to them from its log, {behind[False]} by its snapshot alone")
    kinds = Counter(fault["kind"] for fault in struck)
    lines.append(f"{'struck':<18}{'times':>6}" + "".join(f"{flow:>9}" for flow in FLOWS))
    for kind in all_faults.KINDS:
        lines.append(f"{kind:<18}{kinds[kind]:>6}" + "".join(f"{table[kind][flow]:>9}" for flow in FLOWS))
    return "\n".join(lines)
