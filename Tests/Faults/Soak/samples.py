"""What is read of the six while they work: from `/proc`, from their files, and from `/metrics`."""

import os
import pathlib
import re
import urllib.request

PAGE, TICK = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
COMMIT = re.compile(r'racha_store_commit_duration_seconds_(bucket|count)\{service="(\w+)"(?:,le="([^"]+)")?\} (\d+)')
HELD = re.compile(r'racha_(heap|sqlite_memory)_bytes\{service="(\w+)"\} ([0-9.e+]+)')
# A bound of the histogram of commits.
SLOW_COMMIT = 0.05


def of_process(service, pid, home):
    """Memory, open files, threads and processor time of a process, and the sizes of its files, in bytes and seconds. Private memory is None where
    it cannot be read; what SQLite holds of it is said in `/metrics`."""
    folder = pathlib.Path("/proc") / str(pid)
    store = home / "stores" / f"{service}.sqlite"
    found = {
        "rss": int((folder / "statm").read_text().split()[1]) * PAGE, "private": private_bytes(folder),
        "files": len(os.listdir(folder / "fd")), "threads": len(os.listdir(folder / "task")),
        "wal": size(f"{store}-wal"), "store": size(store), "log": size(home / f"{service}.log")}
    return found | {"cpu": processor_seconds(pid)}


def private_bytes(folder):
    """What the process has written to, and no file has. Pages of its program count as private or shared by who else runs it."""
    try:
        lines = (folder / "smaps_rollup").read_text().splitlines()
    except OSError:
        return None
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Anonymous:"))


def size(path):
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return 0


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def machine():
    """Seconds that all processors have been at work, waited for disks, and were taken by other machines on the same hardware."""
    with open("/proc/stat") as file:
        user, nice, system, _, waits, irq, soft, steal = map(int, file.readline().split()[1:9])
    return {"busy": (user + nice + system + irq + soft) / TICK, "waits": waits / TICK, "stolen": steal / TICK}


def metrics(url):
    with urllib.request.urlopen(url + "/metrics", timeout=10) as answer:
        return answer.read().decode()


def held(text):
    """Bytes by kind and service: `heap`, what is allocated, and `sqlite_memory`, what SQLite holds of it: mostly pages of its store, up to a fixed
    number."""
    return {(kind, service): int(float(size)) for kind, service, size in HELD.findall(text)}


def commits(text):
    """Of each service: how many commits there were, and how many took longer than `SLOW_COMMIT`."""
    counts, fast = {}, {}
    for kind, service, bound, number in COMMIT.findall(text):
        if kind == "count":
            counts[service] = int(number)
        elif float(bound) == SLOW_COMMIT:
            fast[service] = int(number)
    return {service: (count, count - fast.get(service, count)) for service, count in counts.items()}


def disk_of(path):
    """The mount point and type of the file system of a folder."""
    best = ("/", "?")
    for line in pathlib.Path("/proc/self/mounts").read_text().splitlines():
        _, point, kind = line.split()[:3]
        if (str(path) + "/").startswith(point.rstrip("/") + "/") and len(point) >= len(best[0]):
            best = (point, kind)
    return best
