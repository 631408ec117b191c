"""Runs the six under load and faults, and checks the whole history of it. See README.md."""

import argparse
import json
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import checker  # noqa: E402
import cluster as clusters  # noqa: E402
import faults as all_faults  # noqa: E402
import history as histories  # noqa: E402
import models  # noqa: E402
import report  # noqa: E402

# Which services a flow cannot do without.
NEEDS = {
    "coins": {"rewards", "activity"}, "entries": {"activity"}, "people": {"social"}, "tasks": {"social"}, "inbox": {"notifications"}}


def say(text):
    print(text, flush=True)


class Clients:
    """The process of the clients."""

    def __init__(self, cluster, seed, members, strangers, pause):
        self.cluster = cluster
        self.history = cluster.scratch / "history.jsonl"
        self.reads = cluster.scratch / "reads.json"
        configuration = cluster.scratch / "clients.json"
        configuration.write_text(json.dumps({
            "home": str(cluster.home), "port": cluster.http_port, "pause": pause, "seed": seed, "members": members,
            "strangers": strangers, "history": str(self.history), "reads": str(self.reads)}))
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "clients.py"), str(configuration)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.joined = self.answer()["joined"]

    def calls(self):
        """Those that have ended so far."""
        with open(self.history) as lines:
            return [json.loads(line) for line in lines if line.endswith("\n")]

    def answer(self):
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the clients have ended")
        return json.loads(line)

    def tell(self, word):
        self.process.stdin.write(word + "\n")
        self.process.stdin.flush()

    def ask(self, word):
        self.tell(word)
        answer = self.answer()
        if answer["failures"]:
            raise RuntimeError("; ".join(answer["failures"]))
        return answer


def wait_for_rest(cluster, seconds=90):
    """Until nothing moves any more: no outbox grows for some seconds, and every subscriber has had all that its publishers published."""
    end, before, since = time.monotonic() + seconds, None, 0.0
    while time.monotonic() < end:
        heads = []
        for service in histories.SERVICES:
            store = sqlite3.connect(f"file:{cluster.stores / service}.sqlite?mode=ro", uri=True)
            try:
                heads.append(store.execute("SELECT max(number) FROM outbox").fetchone()[0])
            finally:
                store.close()
        lags = cluster.lags()
        if heads != before or not lags or any(lag != "0" for lag in lags.values()):
            before, since = heads, time.monotonic()
        elif time.monotonic() - since > 4:
            return
        time.sleep(0.5)
    raise clusters.NotReady(f"the cluster does not come to rest within {seconds} s: {lags}")


def strike_what_is_missing(clients, faults):
    """Lets those kinds of faults strike again that have met no call of some flow, or that nobody has felt."""
    for _ in range(3):
        clients.ask("go")
        table = report.struck_flows(clients.calls(), faults.struck)
        missing = [
            kind for kind in all_faults.KINDS if kind != "restored backup" and any(not table[kind][flow] for flow in report.FLOWS)]
        if any(faults.cluster.unfelt()):
            missing.append("full disk")
        for kind in missing:
            faults.strike(kind).join()


def liveness(calls, stayed):
    """While one is away, everything that does not need it goes on."""
    # Long enough for those clients to come back that wait for an answer of the one that is away.
    begun = stayed["start"] + 1_000_000_000
    for flow, needed in NEEDS.items():
        if stayed["service"] in needed:
            continue
        if not any(
            call["flow"] == flow and call["outcome"] == "acknowledged" and call["start"] >= begun and call["end"] <= stayed["end"]
            for call in calls
        ):
            yield f"while {stayed['service']} was away, nothing of {flow} went on"


def undelivered(history):
    """Events of which a restored backup leaves open whether they are delivered: those of a publisher whose epoch notifications could enter by
    the snapshot alone, which has states and no messages or notices. They are what it had not seen in the backup, and what is published before
    it has read the snapshot."""
    found = set()
    for restore in history.restores:
        for publisher in history.logs["notifications"].cursors:
            copy, cursor = restore.copies[publisher], restore.copies["notifications"].cursors.get(publisher)
            if restore.goes_on(publisher, cursor):
                continue
            number = cursor[1] if cursor else 0
            found |= {
                (publisher, row.number) for row in history.logs[publisher].rows
                if number < row.number <= copy.last or row.number > copy.last and row.at <= restore.wall + 4000}
    return found


def run(arguments):
    home = pathlib.Path(tempfile.mkdtemp(prefix="racha-history-"))
    cluster = clusters.Cluster(arguments.programs, home)
    say(f"history: seed {arguments.seed}, {arguments.seconds} s of faults, in {home}")
    begun = time.monotonic()
    clients = None
    try:
        cluster.start()
        clients = Clients(cluster, arguments.seed, arguments.members, arguments.strangers, arguments.pause)
        cluster.administer("administrator", "keeper")
        clients.tell("begin")
        clients.ask("go")
        say(f"history: {len(clients.joined)} clients call since {time.monotonic() - begun:.0f} s")
        time.sleep(1)
        faults = all_faults.Faults(cluster, arguments.seed, say)
        faults.run(arguments.seconds)
        strike_what_is_missing(clients, faults)
        cluster.wait_until_ready()
        # Most clients wait for the one that is away: on a slow machine few are left that call the others.
        stayed = faults.stay(max(9, arguments.seconds / 12), lambda stayed: not any(liveness(clients.calls(), stayed)))
        cluster.wait_until_ready()
        time.sleep(1)
        clients.ask("end")
        wait_for_rest(cluster)
        clients.ask("read")
        wrong = cluster.stop()
        unfelt = [] if arguments.proves_nothing else [f"proved nothing: {text}" for text in cluster.unfelt()]
        found = check(cluster, clients, faults, stayed, arguments) + unfelt
        for text in unfelt:
            say(f"  ✘ {text}")
        ended = [f"{service} ended with {code}" for service, code in wrong.items()] + cluster.crashes + faults.failures
        for text in ended:
            say(f"  ✘ {text}")
        found += ended
    except RuntimeError as error:
        say(f"history: the run broke down: {error}; everything is in {home} and {cluster.scratch}")
        return 2
    except clusters.NotReady as error:
        found = [f"at rest: {error}"]
        say(f"  ✘ {found[0]}")
    finally:
        if clients and clients.process.poll() is None:
            clients.process.kill()
        if not cluster.ending:
            cluster.stop()
    say(f"history: {time.monotonic() - begun:.0f} s in all, {cluster.restarts} restarts, {cluster.lost_writes} writes lost with the power")
    if found:
        say(f"history: FAILED with seed {arguments.seed}; everything is in {home} and {cluster.scratch}")
        if arguments.forget:
            cluster.remove()
        return 1
    say(f"history: everything held with seed {arguments.seed}")
    if not arguments.keep:
        cluster.remove()
    return 0


def check(cluster, clients, faults, stayed, arguments):
    history = histories.History(clients.history, cluster.stores, faults.restores)
    reads = json.loads(clients.reads.read_text())
    reads["apart"] = {account: set(others) for account, others in reads["apart"].items()}
    reads["undelivered"] = undelivered(history)
    (cluster.scratch / "faults.json").write_text(json.dumps(
        {"struck": faults.struck, "restores": faults.restores, "stayed": stayed}))
    return verdict(history, reads, faults.struck, stayed, arguments)


def verdict(history, reads, struck, stayed, arguments):
    found = checker.check_all(history)
    found += [f"at rest: {text}" for text in checker.at_rest(history)]
    for model in models.ALL:
        found += [f"{model.__name__.removeprefix('models.')}: {text}" for text in model.check(history, reads)]
    found += [f"liveness: {text}" for text in liveness(history.calls, stayed)]
    missing, table, ways, forms = report.proven(history, struck)
    say(report.text(history, struck, table, ways, forms))
    if not arguments.proves_nothing:
        found += [f"proved nothing: {text}" for text in missing]
    for text in found[:60]:
        say(f"  ✘ {text}")
    if len(found) > 60:
        say(f"  … and {len(found) - 60} more")
    return found


def again(arguments):
    """Checks a history once more that an earlier run has left behind."""
    scratch = pathlib.Path(arguments.check + ".run")
    saved = json.loads((scratch / "faults.json").read_text())
    history = histories.History(scratch / "history.jsonl", pathlib.Path(arguments.check) / "stores", saved["restores"])
    reads = json.loads((scratch / "reads.json").read_text())
    reads["apart"] = {account: set(others) for account, others in reads["apart"].items()}
    reads["undelivered"] = undelivered(history)
    return 1 if verdict(history, reads, saved["struck"], saved["stayed"], arguments) else 0


def main():
    parser = argparse.ArgumentParser(prog="faults history", description=__doc__)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--seconds", type=int, default=120, help="how long faults strike")
    parser.add_argument("--programs", default=os.environ.get("RACHA_TEST_BIN", str(HERE.parents[2] / ".build" / "debug")))
    parser.add_argument("--members", type=int, default=13)
    parser.add_argument("--strangers", type=int, default=4)
    parser.add_argument("--pause", type=float, default=0.04, help="mean pause of a client between two calls, in seconds")
    parser.add_argument("--keep", action="store_true", help="keep the files of a run that passed, too")
    parser.add_argument("--forget", action="store_true", help="remove the files of a run that failed, too")
    parser.add_argument("--proves-nothing", action="store_true", help="do not fail where a kind of fault struck no flow")
    parser.add_argument("--check", help="check once more what a run has left in this folder")
    arguments = parser.parse_args()
    return again(arguments) if arguments.check else run(arguments)


if __name__ == "__main__":
    sys.exit(main())
