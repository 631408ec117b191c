"""The faults of a run, by its seed: which, when, against whom, for how long; several at once."""

import pathlib
import random
import signal
import threading
import time

import cluster as clusters

KINDS = ("kill", "stop", "partition", "clock", "full disk", "slow disk", "power cut", "rolling restart", "restored backup")


class Faults:
    def __init__(self, cluster, seed, say):
        self.cluster, self.say = cluster, say
        self.chooser = random.Random(f"{seed}/faults")
        self.struck, self.restores = [], []
        self.lock = threading.Lock()
        self.failures = []

    def note(self, kind, services, begun):
        with self.lock:
            self.struck.append({"kind": kind, "services": list(services), "start": begun, "end": time.monotonic_ns()})

    def run(self, seconds):
        """Lets them strike for so long: each kind in turn in an order of the seed's, two or three at a time."""
        end = time.monotonic() + seconds
        # A restored backup ends everything else that is under way; so it comes alone, once in four rounds.
        running = []
        rounds = 0
        while time.monotonic() < end:
            kinds = [kind for kind in KINDS if kind != "restored backup"]
            self.chooser.shuffle(kinds)
            kinds += ["kill", "slow disk"]
            pause = max(0.3, min(3.0, seconds / 16))
            for kind in kinds:
                if time.monotonic() >= end and rounds:
                    break
                running = [thread for thread in running if thread.is_alive()]
                while len(running) >= 3:
                    running[0].join(0.1)
                    running = [thread for thread in running if thread.is_alive()]
                running.append(self.strike(kind))
                time.sleep(pause * (0.5 + self.chooser.random()))
            for thread in running:
                thread.join()
            if rounds % 4 == 0 and (time.monotonic() < end or rounds == 0):
                self.restored_backup()
            rounds += 1

    def strike(self, kind):
        # What is random is drawn here, in one order, whatever the threads do then.
        services = self.chooser.sample(clusters.SERVICES, self.chooser.choice((1, 1, 2)))
        chooser = random.Random(self.chooser.random())

        def body():
            begun = time.monotonic_ns()
            try:
                getattr(self, kind.replace(" ", "_"))(services, chooser)
            except Exception as error:
                self.failures.append(f"{kind}: {error!r}")
            self.note(kind, services, begun)

        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        return thread

    # Each of them returns when it is over.

    def kill(self, services, chooser):
        for _ in range(chooser.randint(2, 4)):
            for service in services:
                self.cluster.kill(service)
            time.sleep(chooser.uniform(0.2, 0.8))

    def stop(self, services, chooser):
        for service in services:
            self.cluster.signal(service, signal.SIGSTOP)
        time.sleep(chooser.uniform(0.5, 3))
        for service in services:
            self.cluster.signal(service, signal.SIGCONT)

    def partition(self, services, chooser):
        service = chooser.choice(clusters.ON_BUS)
        self.cluster.tell_proxy(["stall", service, chooser.choice(("to", "from"))])
        time.sleep(chooser.uniform(1, 3))
        self.cluster.tell_proxy(["heal", service])
        if chooser.random() < 0.5:
            self.cluster.tell_proxy(["cut", service])

    def clock(self, services, chooser):
        for service in services:
            self.cluster.set_clock(service, chooser.choice((-90_000, -5_000, -300, 300, 5_000, 90_000)))
        time.sleep(chooser.uniform(1, 3))
        for service in services:
            self.cluster.set_clock(service, 0)

    def full_disk(self, services, chooser):
        services = [service for service in services if service != "gateway"] or ["social"]
        for service in services:
            self.cluster.set_full(service, True)
        time.sleep(chooser.uniform(0.5, 2.5))
        for service in services:
            self.cluster.set_full(service, False)

    def slow_disk(self, services, chooser):
        # The one that all others' events flow into has the most to lose between an effect and its cursor.
        services = sorted({chooser.choice(("notifications", "notifications", "social")), chooser.choice(clusters.ON_BUS)})
        for service in services:
            self.cluster.set_sync(service, chooser.choice((200, 400, 600)))
        # Amid a sync that takes long much is half done: what is in one transaction is there wholly or not at all, even so.
        for _ in range(chooser.randint(2, 3)):
            time.sleep(chooser.uniform(0.8, 1.6))
            for service in services:
                self.cluster.kill(service)
        for service in services:
            self.cluster.set_sync(service, 0)

    def power_cut(self, services, chooser):
        services = [service for service in services if service != "gateway"] or ["social"]
        self.cluster.cut_power(services, chooser, chooser.uniform(0.5, 1.5))

    def rolling_restart(self, services, chooser):
        for service in chooser.sample(clusters.SERVICES, len(clusters.SERVICES)):
            self.cluster.restart(service)
            time.sleep(0.15)

    def restored_backup(self):
        """A backup amid everything, some time with it, and then back to it: a new epoch of each outbox."""
        self.cluster.wait_until_ready()
        begun = time.monotonic_ns()
        folder = pathlib.Path(self.cluster.scratch) / f"backup-{len(self.restores)}"
        # What three of them publish reaches nobody for a while, though they answer: their subscribers are behind in the backup.
        silent = ("identity", "activity", "social")
        for service in silent:
            self.cluster.tell_proxy(["stall", f"{service} events", "from"])
        time.sleep(self.chooser.uniform(0.8, 1.5))
        self.cluster.back_up(folder)
        for service in silent:
            self.cluster.tell_proxy(["heal", service])
        time.sleep(self.chooser.uniform(0.3, 1.0))
        # Of some publishers the subscribers know the epoch, of others not; one of the three at least is among either.
        unknown = self.chooser.sample(silent, self.chooser.choice((1, 2))) + self.chooser.sample(("rewards", "notifications"), 1)
        lost, dead = self.cluster.restore(folder, unknown)
        self.cluster.wait_until_ready()
        self.restores.append({
            "start": begun, "lost": lost, "dead": dead, "end": time.monotonic_ns(), "folder": str(folder),
            "wall": int(time.time() * 1000), "unknown": unknown})
        self.note("restored backup", clusters.SERVICES, begun)

    # The end

    def stay(self, seconds, is_enough, longest=60):
        """All have ended but one, and that one stays: a service that is away, for so many seconds and until that is enough, but not longer than
        `longest`. Returns which, from when until when."""
        service = self.chooser.choice(("activity", "rewards", "social", "notifications", "identity"))
        begun = time.monotonic_ns()
        self.cluster.hold([service])
        time.sleep(seconds)
        while True:
            stayed = {"service": service, "start": begun, "end": time.monotonic_ns()}
            if is_enough(stayed) or stayed["end"] - begun > longest * 1_000_000_000:
                break
            time.sleep(1)
        self.cluster.release([service])
        self.struck.append({"kind": "kill", "services": [service], "start": begun, "end": stayed["end"]})
        return stayed
