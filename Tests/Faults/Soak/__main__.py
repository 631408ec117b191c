"""Lets the six work for an hour at half the speed that the machine can do, and looks whether anything grows. See README.md."""

import argparse
import json
import os
import pathlib
import queue
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "History")]

import cluster as clusters  # noqa: E402
import samples  # noqa: E402
import verdict  # noqa: E402

# The ramp: from so many calls a second on, each step so much higher and so long.
FIRST_RATE, STEP, STEP_SECONDS = 60, 1.4, 5
# A step is beyond what the machine can do when less is answered than is asked for, or half of it only after so long, or services say so.
MIN_SHARE, MAX_P50_MILLISECONDS = 0.95, 20
# Of all processors, in a second in which who has work to do has to wait for one.
BUSY = 0.95


def say(text):
    print(text, flush=True)


class BrokeDown(Exception):
    """The run itself failed, or one of the six is away."""


class Child:
    """A process that writes lines, which end up in a queue, and ends when its input does."""

    def __init__(self, name, arguments, lines):
        self.name = name
        self.process = subprocess.Popen(
            [sys.executable, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self._read, args=(lines,), daemon=True).start()

    def _read(self, lines):
        for line in self.process.stdout:
            lines.put((self, line))
        lines.put((self, ""))

    def tell(self, words):
        self.process.stdin.write(words + "\n")
        self.process.stdin.flush()

    def end(self):
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Soak:
    def __init__(self, arguments, home):
        self.arguments = arguments
        self.cluster = clusters.PlainCluster(arguments.programs, home)
        self.cluster.is_apart = True
        self.lines, self.children, self.loads = queue.Queue(), [], []
        self.disk = "{0[1]} at {0[0]}".format(samples.disk_of(home))
        self.begun = self.ended = 0.0
        self.every = 60 if arguments.seconds >= 600 else max(2, arguments.seconds / 10)
        self.samples, self.seconds, self.commits, self.syncs, self.wakes, self.busy, self.ends = [], [], [], [], [], [], []
        self.answers, self.latest = [], {}

    # What the children tell

    def hear(self, seconds=0.0):
        """Takes what they have told, for so long."""
        end = time.monotonic() + seconds
        while True:
            try:
                child, line = self.lines.get(timeout=max(0, end - time.monotonic()))
            except queue.Empty:
                return
            if not line:
                if child not in self.children or len(self.ends) == len(self.loads) > 0:
                    continue
                raise BrokeDown(f"{child.name} has ended")
            if child.name == "probe":
                kind, start, took = line.split()
                (self.syncs if kind == "sync" else self.wakes).append((float(start), float(took)))
            else:
                self.take(child, json.loads(line))

    def take(self, child, told):
        if "second" in told:
            self.seconds.append(told | {"at": told["second"]})
            self.latest[child.name] = told
        elif "wake" in told:
            self.wakes.append(tuple(told["wake"]))
        elif "failure" in told:
            say(f"  ✘ {json.dumps(told['failure'], ensure_ascii=False)}")
        elif "ended" in told:
            self.ends.append(told)
        else:
            self.answers.append(told)

    def wait_for(self, count, what, seconds):
        end = time.monotonic() + seconds
        while len(what) < count:
            self.hear(0.2)
            self.expect_all()
            if time.monotonic() > end:
                raise BrokeDown(f"the clients are not ready after {seconds} s")
        return what

    def expect_all(self):
        for service, process in self.cluster.processes.items():
            if process.poll() is not None:
                raise BrokeDown(f"{service} has ended with {process.returncode}")

    # The run

    def start(self):
        self.cluster.start()
        self.children.append(Child("probe", [HERE / "probe.py", self.cluster.home], self.lines))
        count = self.arguments.processes
        for number in range(count):
            configuration = self.cluster.home / f"clients-{number}.json"
            configuration.write_text(json.dumps({
                "home": str(self.cluster.home), "port": self.cluster.http_port, "seed": self.arguments.seed, "number": number,
                "accounts": self.arguments.accounts // count,
                "streams": self.arguments.streams // count + (number < self.arguments.streams % count)}))
            self.loads.append(Child(f"clients {number}", [HERE / "load.py", configuration], self.lines))
        self.children += self.loads
        accounts = 120 + self.arguments.accounts
        joined = self.wait_for(count, self.answers, accounts)
        for answer in joined:
            self.cluster.administer("administrator", answer["keeper"])
        self.answers = []
        for load in self.loads:
            load.tell("begin")
        self.wait_for(count, self.answers, accounts)

    def set_rate(self, rate, word="rate"):
        for load in self.loads:
            load.tell(f"{word} {rate / len(self.loads)}")

    def find_rate(self):
        """Half of the highest rate that the machine can do, clients included."""
        rate, highest, misses = FIRST_RATE, 0, 0
        while True:
            self.set_rate(rate, "ramp")
            self.hear(1.5)
            self.seconds, before = [], self.clients_seconds()
            begun = time.monotonic()
            self.hear(STEP_SECONDS)
            self.expect_all()
            elapsed = time.monotonic() - begun
            asked, done, refused = (sum(second[name] for second in self.seconds) for name in ("asked", "done", "refused"))
            done -= refused
            times = verdict.merged(self.seconds, "read") + verdict.merged(self.seconds, "write")
            used = (self.clients_seconds() - before) / elapsed
            p50 = verdict.quantile(times, 0.5)
            say(
                f"soak: of {rate:.0f} calls a second {done / max(asked, 1):.0%} were answered, p50 / p99 {verdict.both(times)} ms, clients "
                f"{used:.2f} of a core")
            if refused or done < MIN_SHARE * asked or p50 > MAX_P50_MILLISECONDS:
                misses += 1
                if misses == 2:
                    break
                # Once may be chance.
                self.set_rate(0, "ramp")
                self.hear(3)
                continue
            highest, misses = rate, 0
            if used > 0.9:
                say("soak: more than the clients can do")
                break
            rate *= STEP
        self.set_rate(0, "ramp")
        self.hear(3)
        if not highest:
            raise BrokeDown(f"not even {FIRST_RATE} calls a second are answered")
        return round(highest / 2)

    def clients_seconds(self):
        return sum(samples.processor_seconds(load.process.pid) for load in self.loads)

    def sample(self):
        now = time.monotonic()
        found = {
            service: samples.of_process(service, process.pid, self.cluster.home) for service, process in self.cluster.processes.items()}
        held = samples.held(samples.metrics(self.cluster.url))
        for service in found:
            # The gateway has no store; of who gives no answer at the moment it is not known.
            found[service]["sqlite"] = held.get(("sqlite_memory", service), 0 if service == "gateway" else None)
            found[service]["heap"] = held.get(("heap", service))
        writes = {}
        for told in self.latest.values():
            for service, count in told["writes"].items():
                writes[service] = writes.get(service, 0) + count
        found |= {
            "at": now, "second": now - self.begun, "services": list(self.cluster.processes), "machine": samples.machine(),
            "clients": self.clients_seconds(), "writes": writes, "told": len(self.seconds), "synced": len(self.syncs)}
        self.samples.append(found)
        if len(self.samples) > 1:
            say(verdict.row(self, *self.samples[-2:]))

    def work(self, rate):
        say(f"soak: {rate} calls a second for {self.arguments.seconds} s, {self.arguments.streams} live streams")
        self.set_rate(rate)
        self.hear(min(5, self.arguments.seconds / 5))
        self.seconds, self.syncs, self.wakes = [], [], []
        self.begun = time.monotonic()
        end, counts = self.begun + self.arguments.seconds, samples.commits(samples.metrics(self.cluster.url))
        self.sample()
        following, second, machine = self.begun + self.every, self.begun + 1, (self.begun, samples.machine())
        while time.monotonic() < end:
            self.hear(max(0, min(second, end) - time.monotonic()))
            second += 1
            self.expect_all()
            now = samples.commits(samples.metrics(self.cluster.url))
            self.commits.append((time.monotonic(), {
                service: tuple(a - b for a, b in zip(now[service], counts.get(service, (0, 0)))) for service in now}))
            counts = now
            before, machine = machine, (time.monotonic(), samples.machine())
            if sum(machine[1][name] - before[1][name] for name in ("busy", "stolen")) > BUSY * (machine[0] - before[0]) * os.cpu_count():
                self.busy.append((before[0], machine[0]))
            if time.monotonic() >= following:
                following += self.every
                self.sample()
        if time.monotonic() - self.samples[-1]["at"] > self.every / 2:
            self.sample()

    def finish(self):
        """Ends the calls, and returns what was wrong."""
        self.ended = time.monotonic()
        for load in self.loads:
            load.tell("end")
        self.wait_for(len(self.loads), self.ends, 90)
        for child in self.children:
            child.end()
        wrong = [f"{service} ended with {code}" for service, code in self.cluster.stop().items()]
        report = verdict.Report(self)
        for line in report.lines():
            say(line)
        self.say_errors()
        return report.failures + wrong

    def say_errors(self):
        """What the services themselves take for errors."""
        for service in clusters.SERVICES:
            log = self.cluster.home / f"{service}.log"
            found = [line for line in log.read_text(errors="replace").splitlines() if '"level":"error"' in line or '"level":"critical"' in line]
            if found:
                say(f"{service} logged {len(found)} errors, the first of which is {found[0][:600]}")

    def stop(self):
        try:
            for child in self.children:
                child.end()
        finally:
            if not self.cluster.ending:
                self.cluster.stop()


def run(arguments):
    home = arguments.home or pathlib.Path(tempfile.mkdtemp(prefix="racha-soak-"))
    soak = Soak(arguments, home)
    is_interrupted, keeps = False, False
    try:
        say(f"soak: seed {arguments.seed}, {arguments.accounts} accounts, in {home}")
        begun = time.monotonic()
        soak.start()
        say(f"soak: ready after {time.monotonic() - begun:.0f} s")
        rate = arguments.rate or soak.find_rate()
        try:
            soak.work(rate)
        except KeyboardInterrupt:
            is_interrupted = True
            if len(soak.samples) < 2:
                raise
            say("soak: interrupted; what there is so far:")
        found = soak.finish()
        for text in found:
            say(f"  ✘ {text}")
        keeps = bool(found) and not is_interrupted
        say(f"soak: {'FAILED' if found else 'passed'} with seed {arguments.seed}" + (f"; everything is in {home}" if keeps else ""))
        return 130 if is_interrupted else 1 if found else 0
    except KeyboardInterrupt:
        say("soak: interrupted")
        return 130
    except (BrokeDown, clusters.NotReady, OSError) as error:
        keeps = True
        say(f"soak: the run broke down: {error}; everything is in {home}")
        return 2
    finally:
        # Whoever interrupts twice is not to leave processes behind.
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        try:
            soak.stop()
        finally:
            if not keeps and not arguments.keep and not arguments.home:
                soak.cluster.remove()


def number(least):
    def read(text):
        value = int(text)
        if value < least:
            raise ValueError
        return value

    read.__name__ = f"whole number from {least} on"
    return read


def interrupt(*_):
    raise KeyboardInterrupt


def main():
    parser = argparse.ArgumentParser(prog="faults soak", description=__doc__)
    parser.add_argument("--seconds", type=number(5), default=3600, help="how long, after the rate is found")
    parser.add_argument("--rate", type=number(1), help="calls a second; half of what the machine can do, unless given")
    parser.add_argument("--accounts", type=number(8), default=500)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--streams", type=number(0), default=60, help="live streams that stay open")
    parser.add_argument("--processes", type=number(1), default=2, help="processes of clients")
    parser.add_argument("--programs", default=os.environ.get("RACHA_TEST_BIN", str(HERE.parents[2] / ".build" / "debug")))
    parser.add_argument("--home", type=pathlib.Path, help="a home folder with stores, which are worked with and kept; an empty one, unless given")
    parser.add_argument("--keep", action="store_true", help="keep the files of a run that passed, too")
    arguments = parser.parse_args()
    if arguments.home and not (arguments.home / "stores").is_dir():
        parser.error(f"there are no stores in {arguments.home}")
    for name in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, interrupt)
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
