"""The six programs of a run: as they are (`PlainCluster`), or on a bus over TCP with a proxy before each, with a clock, a disk and a power supply
of their own (`Cluster`)."""

import json
import mmap
import os
import pathlib
import random
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time
import urllib.request
import uuid

HERE = pathlib.Path(__file__).resolve().parent
SERVICES = ("identity", "activity", "rewards", "social", "notifications", "gateway")
ON_BUS = SERVICES[:-1]

# Every client has one address, and coins come of steps, of corrections and of nothing else.
SETTINGS = {
    "RACHA_LIMITS_RATE_FACTOR": "100000",
    "RACHA_LIMITS_CONNECTIONS_PER_ADDRESS": "10000",
    "RACHA_CHALLENGES_BUILT_IN": "false",
}


# What ends a process by a fault of its own; those that the run sends are others.
CRASHES = {signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP, signal.SIGABRT, signal.SIGFPE}


def backtraces():
    """What has a program that crashes say where it was, in its log; nothing where this Swift has no such tool."""
    swift = shutil.which("swift")
    tool = swift and pathlib.Path(swift).resolve().parent.parent / "libexec/swift/linux/swift-backtrace-static"
    if not tool or not tool.exists():
        return {}
    return {"SWIFT_BACKTRACE": f"enable=yes,color=no,interactive=no,threads=crashed,registers=none,images=none,swift-backtrace={tool}"}


def free_port(chooser=random.SystemRandom(), taken=set()):
    """A port that is free, and so is the one behind it: below those that the system gives to whoever connects."""
    while True:
        port = chooser.randrange(10_000, 32_000, 2)
        if port in taken:
            continue
        try:
            for number in (port, port + 1):
                with socket.socket() as probe:
                    probe.bind(("127.0.0.1", number))
        except OSError:
            continue
        taken.add(port)
        return port


class NotReady(Exception):
    """The six do not come back: a fault of theirs, not of the run."""


class PlainCluster:
    """The six in a home folder of their own, with nothing between them."""

    # Whether what interrupts the run from a terminal does not reach them: the run ends them itself.
    is_apart = False

    def __init__(self, programs, home):
        self.programs = pathlib.Path(programs)
        self.home = pathlib.Path(home)
        self.stores = self.home / "stores"
        self.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.http_port, self.tcp_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{self.http_port}"
        self.lock = threading.RLock()
        self.processes, self.held, self.ending = {}, set(), False
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("RACHA_")}
        self.environment |= SETTINGS | backtraces() | {
            "RACHA_HOME": str(self.home),
            "RACHA_HTTP_PORT": str(self.http_port),
            "RACHA_TCP_PORT": str(self.tcp_port),
        }

    def start(self):
        for service in SERVICES:
            self.launch(service)
        self.wait_until_ready()

    def own_environment(self, service):
        return dict(self.environment)

    def admin_environment(self):
        return self.own_environment("gateway")

    def launch(self, service):
        with self.lock:
            running = self.processes.get(service)
            if self.ending or service in self.held or (running and running.poll() is None):
                return
            with open(self.home / f"{service}.log", "ab") as log:
                self.processes[service] = subprocess.Popen(
                    [str(self.programs / service)], env=self.own_environment(service), stdin=subprocess.DEVNULL, stdout=log,
                    stderr=log, start_new_session=self.is_apart)

    def administer(self, *arguments):
        subprocess.run(
            [str(self.programs / "racha-admin"), *arguments], env=self.admin_environment(), check=True, capture_output=True)

    def ready(self):
        try:
            with urllib.request.urlopen(self.url + "/readyz", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def lags(self):
        """How many events each subscriber is behind each publisher, as the metrics say."""
        try:
            with urllib.request.urlopen(self.url + "/metrics", timeout=5) as answer:
                lines = answer.read().decode().splitlines()
        except OSError:
            return {}
        return dict(line.rsplit(" ", 1) for line in lines if line.startswith("racha_event_lag{"))

    def wait_until_ready(self, seconds=90):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if all(p.poll() is None for p in self.processes.values()) and self.ready():
                return
            time.sleep(0.1)
        raise NotReady(f"the cluster is not ready after {seconds} s" + "".join(
            f"; {line[:400]}" for service in SERVICES for line in self.critical(service)[-1:]))

    def critical(self, service):
        log = self.home / f"{service}.log"
        return [line for line in log.read_text(errors="replace").splitlines() if '"level":"critical"' in line] if log.exists() else []

    def stop(self):
        """Ends all six gracefully; returns those that did not end with 0."""
        with self.lock:
            self.ending = True
        for process in self.processes.values():
            if process.poll() is None:
                process.send_signal(signal.SIGCONT)
                process.terminate()
        wrong = {}
        for service, process in self.processes.items():
            try:
                code = process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                process.kill()
                code = process.wait()
            if code != 0:
                wrong[service] = code
        return wrong

    def remove(self):
        shutil.rmtree(self.home, ignore_errors=True)


class Cluster(PlainCluster):
    def __init__(self, programs, home):
        super().__init__(programs, home)
        self.scratch = pathlib.Path(str(home) + ".run")
        for folder in (self.scratch, self.scratch / "undo", self.scratch / "control"):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.real = {service: free_port() for service in ON_BUS}
        self.passed = {service: free_port() for service in ON_BUS}
        self.restarts, self.lost_writes, self.crashes = 0, 0, []
        self.controls = {}
        for service in SERVICES:
            path = self.scratch / "control" / service
            path.write_bytes(bytes(16))
            with open(path, "r+b") as file:
                self.controls[service] = mmap.mmap(file.fileno(), 16)
        self._compile()
        self.environment["RACHA_HISTORY_UNDO"] = str(self.scratch / "undo")

    def _compile(self):
        self.preload = self.scratch / "disk.so"
        compiler = shutil.which("clang") or shutil.which("cc") or "cc"
        subprocess.run(
            [compiler, "-O1", "-shared", "-fPIC", "-o", str(self.preload), str(HERE / "disk.c"), "-ldl", "-pthread"], check=True)

    # Starting and ending

    def start(self):
        self.proxy = subprocess.Popen(
            [sys.executable, str(HERE / "proxy.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        routes = [
            [name, self.passed[service] + more, self.real[service] + more]
            for service in ON_BUS for more, name in enumerate((service, f"{service} events"))]
        self.tell_proxy(routes)
        if self.proxy.stdout.readline() != "bound\n":
            raise RuntimeError("the proxy did not start")
        self.administer("keys", str(self.home / "bus"))
        for service in SERVICES:
            self.launch(service)
        self.watcher = threading.Thread(target=self._watch, daemon=True)
        self.watcher.start()
        self.wait_until_ready()
        self.hold(ON_BUS)
        self.keep_outboxes()
        self.release(ON_BUS)
        self.wait_until_ready()

    def keep_outboxes(self):
        """A subscriber that never gets on keeps every event: the whole history is read at the end. Nobody else has the stores open."""
        for service in ON_BUS:
            store = sqlite3.connect(self.stores / f"{service}.sqlite")
            store.execute("INSERT OR REPLACE INTO outbox_subscribers (subscriber, number) VALUES ('history', 0)")
            store.commit()
            store.close()
        for undo in (self.scratch / "undo").iterdir():
            undo.unlink()

    def tell_proxy(self, message):
        self.proxy.stdin.write(json.dumps(message) + "\n")
        self.proxy.stdin.flush()

    def own_environment(self, service):
        own = super().own_environment(service)
        for other in ON_BUS:
            port = self.real[other] if other == service else self.passed[other]
            own[f"RACHA_BUS_ENDPOINTS_{other.upper()}"] = f"tcp://127.0.0.1:{port}"
        own["RACHA_BUS_CURVE_SECRET_KEY_FILE"] = str(self.home / "bus" / f"{service}.key")
        own["RACHA_BUS_CURVE_ALLOW_LIST_FILE"] = str(self.home / "bus" / "allow-list.json")
        own["RACHA_HISTORY_CONTROL"] = str(self.scratch / "control" / service)
        own["LD_PRELOAD"] = str(self.preload)
        return own

    def _watch(self):
        while not self.ending:
            for service in SERVICES:
                running = self.processes.get(service)
                if running is not None and running.poll() is not None:
                    with self.lock:
                        if service not in self.held and not self.ending:
                            self.restarts += 1
                            self.note_crash(service, running)
                            self.launch(service)
            time.sleep(0.02)

    def admin_environment(self):
        own = self.own_environment("gateway")
        del own["LD_PRELOAD"]
        # The tools knock at the services themselves, not at the proxy before them.
        for service in ON_BUS:
            own[f"RACHA_BUS_ENDPOINTS_{service.upper()}"] = f"tcp://127.0.0.1:{self.real[service]}"
        return own

    def stop(self):
        wrong = super().stop()
        if getattr(self, "proxy", None):
            self.proxy.stdin.close()
            self.proxy.wait(timeout=10)
        return wrong

    def remove(self):
        super().remove()
        shutil.rmtree(self.scratch, ignore_errors=True)

    # What can be done to them

    def signal(self, service, number):
        with self.lock:
            process = self.processes.get(service)
            if process and process.poll() is None:
                process.send_signal(number)

    def kill(self, service):
        self.signal(service, signal.SIGKILL)

    def hold(self, services):
        """Ends them without warning, and leaves them away until they are released."""
        with self.lock:
            self.held |= set(services)
            for service in services:
                self.kill(service)
            for service in services:
                self.processes[service].wait()
                # It may have ended by itself just before.
                self.note_crash(service, self.processes[service])

    def note_crash(self, service, ended):
        """Notes how a process that has ended did, if that was by a fault of its own."""
        if -ended.returncode in CRASHES:
            self.crashes.append(f"{service} crashed with {signal.Signals(-ended.returncode).name}")

    def release(self, services):
        with self.lock:
            self.held -= set(services)
            for service in services:
                self.launch(service)

    def restart(self, service):
        """Ends one gracefully; the watcher starts it again."""
        former = self.processes[service]
        self.signal(service, signal.SIGTERM)
        try:
            former.wait(timeout=20)
        except subprocess.TimeoutExpired:
            former.kill()
            former.wait()

    def set_clock(self, service, milliseconds):
        self.controls[service][0:8] = struct.pack("<q", milliseconds)

    def set_full(self, service, full):
        self.controls[service][8:12] = struct.pack("<i", int(full))

    def set_sync(self, service, milliseconds):
        self.controls[service][12:16] = struct.pack("<i", milliseconds)

    def cut_power(self, services, chooser, seconds):
        """Ends them as a power cut does: what they have not synced is lost, or the last of it."""
        self.hold(services)
        for service in services:
            for undo in sorted((self.scratch / "undo").glob(f"{service}.sqlite*")):
                self.lost_writes += take_back(self.stores / undo.name, undo, chooser)
        time.sleep(seconds)
        self.release(services)

    def unfelt(self):
        """What was done to the six, and they have not felt: then `disk.c` is not in them, and the run has played with nothing."""
        if not any((self.scratch / "undo").iterdir()) and not self.lost_writes:
            yield "no write to a store was seen by disk.c"
        if not any("storage_full" in (self.home / f"{service}.log").read_text(errors="replace") for service in ON_BUS):
            yield "no service has felt a full disk"

    def back_up(self, folder):
        """Copies the stores as of one moment, with what belongs to them."""
        (folder / "stores").mkdir(parents=True)
        self.administer("backup", str(folder / "stores"))
        for name in ("keys", "attachments"):
            if (self.home / name).exists():
                shutil.copytree(self.home / name, folder / name)

    def restore(self, folder, unknown):
        """Replaces the stores by those of a backup, whose next start begins another epoch. Those of the services named have an epoch then that
        no cursor is in: whoever subscribes to them begins from the snapshot, as after more restored backups than are remembered.

        Returns when the six were ended, and when they had ended."""
        lost = time.monotonic_ns()
        self.hold(SERVICES)
        dead = time.monotonic_ns()
        shutil.move(self.stores, folder / "replaced")
        shutil.copytree(folder / "stores", self.stores)
        self.stores.chmod(0o700)
        for service in unknown:
            store = sqlite3.connect(self.stores / f"{service}.sqlite")
            store.execute("DELETE FROM outbox_ancestors")
            store.execute("UPDATE store_states SET epoch = ?", (str(uuid.uuid4()),))
            store.commit()
            store.close()
        if (folder / "attachments").exists():
            shutil.rmtree(self.home / "attachments", ignore_errors=True)
            shutil.copytree(folder / "attachments", self.home / "attachments")
        self.administer("restore-epochs")
        self.keep_outboxes()
        self.release(SERVICES)
        return lost, dead


def take_back(path, undo, chooser):
    """Undoes the writes that were not synced, from the last on: all of them, or as many as the disk had not got to by itself."""
    data = undo.read_bytes()
    records, position = [], 0
    while position + 24 <= len(data):
        offset, length, count = struct.unpack_from("<QQQ", data, position)
        if position + 24 + count > len(data):
            break
        records.append((offset, length, data[position + 24 : position + 24 + count]))
        position += 24 + count
    undo.unlink()
    if not records or not path.exists():
        return 0
    first = 0 if chooser.random() < 0.7 else chooser.randrange(len(records))
    with open(path, "r+b") as file:
        for offset, length, old in reversed(records[first:]):
            file.seek(offset)
            file.write(old)
            file.truncate(length)
    return len(records) - first
