"""The report of a soak: what it came to, and whether it passed."""

import math
import statistics
from collections import Counter

import fit
import load
import samples
import slowness

MIB = 1 << 20
# What would matter if a month brought it: of memory, of open files and threads, of a write-ahead log, which a store truncates at 8 MiB or so.
LIMITS = {"rss": 50 * MIB, "private": 50 * MIB, "heap": None, "sqlite": None, "files": 100, "threads": 100, "wal": 64 * MIB}
# What SQLite may hold of a service's memory: its caches fill, over hours where a store grows slowly, and end. Most are those of rewards: 8 MiB of the
# connection that writes, 2 of each of four others, and their schemas and statements. The rest is the service's own.
MAX_SQLITE = 24 * MIB
# Of writes, in milliseconds.
HIGH_P99 = 100
# By what share calls may cost more processor time after another hour.
COSTLIER = 0.1
NAMES = {
    "rss": "own memory, MiB", "private": "own private, MiB", "heap": "own heap, MiB", "sqlite": "SQLite's, MiB", "files": "open files",
    "threads": "threads", "wal": "WAL, MiB"}
# These are said by the service itself, on any machine.
SAID = {"sqlite": "what SQLite holds", "heap": "what is allocated"}
# Of these SQLite has a part.
SHARED = {"rss", "private", "heap"}
IN_MIB = SHARED | {"sqlite", "wal", "store", "log"}


def quantile(histogram, share):
    """In milliseconds, the upper bound of its class; NaN without calls."""
    total, seen = sum(histogram.values()), 0
    for place in sorted(histogram, key=int):
        seen += histogram[place]
        if seen >= share * total:
            return math.exp(int(place) * load.CLASS)
    return math.nan


def merged(seconds, kind):
    histogram = Counter()
    for second in seconds:
        histogram.update(second["times"][kind])
    return histogram


def both(histogram):
    return f"{quantile(histogram, 0.5):.1f} / {quantile(histogram, 0.99):.1f}"


def shown(figure, value):
    if value is None:
        return "?"
    return f"{value / MIB:.1f}" if figure in IN_MIB else f"{value:.0f}"


def change(figure, value):
    if not math.isfinite(value):
        return "?"
    return f"{value / MIB:+.2f}" if figure in IN_MIB else f"{value:+.2f}"


def own(found, figure):
    """Of a process: a figure, of memory without what SQLite holds. None where that is not known."""
    if figure not in SHARED:
        return found[figure]
    return None if None in (found[figure], found["sqlite"]) else found[figure] - found["sqlite"]


def median(found, service, figure):
    known = [value for value in (own(sample[service], figure) for sample in found) if value is not None]
    return statistics.median(known) if known else None


def bounded(times, series):
    """What caches come to: they may fill, up to a bound."""
    found = fit.fit(*fit.part(times, series, 2 / 3))
    if max(series) > MAX_SQLITE:
        return fit.Verdict("too much", found, f"more than {shown('sqlite', MAX_SQLITE)}", False)
    return fit.Verdict("bounded", found, "within its bound", False)


def part_of_private(times, series):
    """What is allocated includes what each thread keeps of what it freed, up to a fixed number of blocks, which fills for hours."""
    return fit.Verdict("shown", fit.fit(*fit.part(times, series, 2 / 3)), "a part of own private", False)


def costlier(times, series):
    """Whether calls cost more and more. Nothing that fills makes them cost more, so a last third that wanders does not excuse the rise."""
    first = statistics.median([value for time, value in zip(times, series) if time <= times[0] + (times[-1] - times[0]) / 3])
    found, last = (fit.fit(*fit.part(times, series, share)) for share in (2 / 3, 1 / 3))
    if times[-1] - times[0] < fit.MIN_SECONDS:
        return fit.Verdict("open", found, "too short a run", False)
    if found.low * 3600 > COSTLIER * first and last.slope >= fit.STILL * found.slope:
        return fit.Verdict("rises", found, "rises")
    return fit.Verdict("level", found, "none that matters" if found.high * 3600 <= COSTLIER * first else "no rise found")


# How the figures without a limit are shown.
UNJUDGED = {"sqlite": bounded, "heap": part_of_private}


class Windows:
    """Five minutes from the fifth on, and the last five; in a shorter run as many parts of it."""

    def __init__(self, seconds):
        self.mark = min(300, seconds / 3)
        self.span = min(300, seconds / 6)
        self.seconds = seconds
        self.name = "after 5 min" if self.mark == 300 else f"after {self.mark:.0f} s"

    def early(self, second):
        return self.mark <= second <= self.mark + self.span

    def late(self, second):
        return second >= self.seconds - self.span


def between(run, before, sample):
    """What the clients told of the seconds between two samples, and the lone syncs, in milliseconds."""
    syncs = sorted(seconds * 1000 for _, seconds in run.syncs[before["synced"] : sample["synced"]])
    return run.seconds[before["told"] : sample["told"]], syncs or [math.nan]


def row(run, before, sample):
    """A sample as it is shown when it is taken: what the calls came to since the one before, and a line for each process."""
    calls, syncs = between(run, before, sample)
    elapsed = max(sample["at"] - before["at"], 1e-9)
    machine = {name: (sample["machine"][name] - before["machine"][name]) / elapsed for name in sample["machine"]}
    six = sum(sample[s]["cpu"] - before[s]["cpu"] for s in sample["services"])
    lines = [
        f"{sample['second']:6.0f} s  {sum(c['done'] for c in calls) / elapsed:.0f} calls/s; p50 / p99 ms: reads "
        f"{both(merged(calls, 'read'))}, writes {both(merged(calls, 'write'))}; lone sync {statistics.median(syncs):.1f}, at most "
        f"{max(syncs):.0f} ms; cores: six {six / elapsed:.2f}, clients {(sample['clients'] - before['clients']) / elapsed:.2f}, all "
        f"{machine['busy']:.2f}, waiting {machine['waits']:.2f}, stolen {machine['stolen']:.2f}"]
    for service in sample["services"]:
        found = sample[service]
        lines.append(
            f"          {service:<14}{shown('rss', found['rss']):>7} MiB, private {shown('private', found['private']):>6}, "
            f"{found['files']:>4} files, {found['threads']:>3} threads, WAL {shown('wal', found['wal']):>5}, "
            f"store {shown('store', found['store']):>7}")
    return "\n".join(lines)


class Report:
    """`run` has what was measured: samples, seconds, commits, syncs, wakes, busy, ends, begun, ended, every."""

    def __init__(self, run):
        self.run = run
        self.windows = Windows(run.ended - run.begun)
        self.failures = []

    def lines(self):
        yield from self.figures()
        yield from self.calls()
        yield from self.stores()
        yield from self.slow()
        yield from self.clients()

    def in_window(self, chosen):
        return [sample for sample in self.run.samples if chosen(sample["second"])] or self.run.samples[-1:]

    def by_minutes(self, kind):
        """Between any two samples: when they end, p99 of the calls, and that of the lone syncs, in milliseconds."""
        for sample, following in zip(self.run.samples, self.run.samples[1:]):
            calls, syncs = between(self.run, sample, following)
            yield following["second"], quantile(merged(calls, kind), 0.99), syncs[int(len(syncs) * 0.99)]

    def figures(self):
        yield f"\n{'':<28}{self.windows.name:>11}{'at the end':>12}   slope an hour, and between (99 %)       in a month"
        early, late = self.in_window(self.windows.early), self.in_window(self.windows.late)
        for service in self.run.samples[0]["services"]:
            for figure, limit in LIMITS.items():
                known = [(s["second"], own(s[service], figure)) for s in self.run.samples if own(s[service], figure) is not None]
                if not known:
                    yield f"{service + ' ' + NAMES[figure]:<30}    cannot be read on this machine"
                    if figure in SAID:
                        self.failures.append(f"{service} does not say {SAID[figure]}")
                    continue
                times, series = zip(*known)
                if not any(series):
                    continue
                verdict = fit.judge(times, series, limit) if limit else UNJUDGED[figure](times, series)
                found = verdict.fit
                hours = f"{change(figure, found.slope * 3600)} ({change(figure, found.low * 3600)} … {change(figure, found.high * 3600)})"
                yield (
                    f"{service + ' ' + NAMES[figure]:<30}{shown(figure, median(early, service, figure)):>9}"
                    f"{shown(figure, median(late, service, figure)):>12}   {hours:<38}"
                    f"{change(figure, found.slope * fit.MONTH) if verdict.is_judged else '':>11}  {verdict.text}")
                if verdict.word == "too much":
                    self.failures.append(f"{service}: SQLite held {shown(figure, max(series))} MiB, and {shown(figure, MAX_SQLITE)} are enough")
                if verdict.word == "rises":
                    self.failures.append(
                        f"{service}: {NAMES[figure]} rises by {change(figure, found.slope * fit.MONTH)} a month, {shown(figure, limit)} matter")

    def calls(self):
        seconds = self.run.seconds
        early = [one for one in seconds if self.windows.early(one["at"] - self.run.begun)]
        late = [one for one in seconds if self.windows.late(one["at"] - self.run.begun)]
        yield f"\n{'p50 / p99, ms':<18}{self.windows.name:>16}{'at the end':>16}    p99 an hour, and between (99 %)"
        for kind in ("read", "write"):
            p99s = [(second, p99) for second, p99, _ in self.by_minutes(kind) if not math.isnan(p99)]
            times, values = [second for second, _ in p99s], [p99 for _, p99 in p99s]
            text = ""
            if len(times) > 1:
                found = fit.fit(*fit.part(times, values, 2 / 3))
                text = f"{found.slope * 3600:+.1f} ({found.low * 3600:+.1f} … {found.high * 3600:+.1f})"
            yield f"{kind + 's':<18}{both(merged(early, kind)):>16}{both(merged(late, kind)):>16}    {text}"
        totals = {}
        for end in self.run.ends:
            for name, histogram in end["operations"].items():
                totals.setdefault(name, Counter()).update(histogram)
        slowest = sorted(totals, key=lambda name: -quantile(totals[name], 0.99))
        slowest = [name for name in slowest if sum(totals[name].values()) >= 100][:8]
        yield f"{len(totals)} operations; of those called a hundred times these have the highest p99: " + ", ".join(
            f"{name} {both(totals[name])}" for name in slowest)

    def stores(self):
        first = next((sample for sample in self.run.samples if sample["second"] >= self.windows.mark), self.run.samples[0])
        last = self.run.samples[-1]
        writes = {service: last["writes"].get(service, 0) - first["writes"].get(service, 0) for service in last["services"]}
        yield f"\nstores: growth since then, and bytes for each acknowledged write: of that service, and of all"
        for service in last["services"]:
            grown, logged = (last[service][name] - first[service][name] for name in ("store", "log"))
            if not last[service]["store"]:
                continue
            own = f"{grown / writes[service]:.0f}" if writes[service] else "-"
            of_all = grown / max(1, sum(writes.values()))
            yield (
                f"{service:<14}{last[service]['store'] / MIB:8.1f} MiB {grown / MIB:+8.2f} MiB {own:>8}{of_all:8.0f}   "
                f"{writes[service]} writes; log {logged / MIB:+.2f} MiB")

    def slow(self):
        run = self.run
        calls = [call for second in run.seconds for call in second["slow"]]
        total = sum(second["done"] for second in run.seconds)
        found = slowness.causes(calls, run.syncs, run.wakes, run.busy, run.begun, run.ended)
        syncs = sorted(seconds * 1000 for _, seconds in run.syncs) or [math.nan]
        yield (
            f"\na lone sync of 4 KiB, ten times a second ({run.disk}): p50 {statistics.median(syncs):.1f} ms, "
            f"p99 {syncs[int(len(syncs) * 0.99)]:.1f}, at most {syncs[-1]:.0f}")
        yield (
            f"{len(calls)} of {total} calls took {load.SLOW_SECONDS * 1000:.0f} ms and more: {found.sync} while a lone sync was slow, too "
            f"(so it was for {found.sync_share:.1%} of the time), {found.wake} while threads were woken late ({found.wake_share:.1%} of the time), "
            f"{found.busy} while all processors were busy ({found.busy_share:.1%} of the time), {len(found.left)} with none of these")
        for title, field in (("service", 3), ("operation", 2)):
            counts = Counter(call[field] for call in found.left).most_common(6)
            if counts:
                yield f"  of those with none, by {title}: " + ", ".join(f"{name} {count}" for name, count in counts)
        minutes = list(self.by_minutes("write"))
        high, bound = [(p99, sync) for _, p99, sync in minutes if p99 >= HIGH_P99], slowness.SLOW_SECONDS * 1000
        yield (
            f"{len(high)} of {len(minutes)} {'minutes' if run.every == 60 else 'samples'} had a p99 of writes of {HIGH_P99} ms and more; in "
            f"{sum(sync >= bound for _, sync in high)} of them the p99 of lone syncs was {bound:.0f} ms and more, too"
            + (": " + ", ".join(f"{p99:.0f} with {sync:.0f}" for p99, sync in high[:10]) if high else ""))
        together = Counter(len([s for s, (_, slow) in commits.items() if slow]) for _, commits in run.commits)
        held = [at for at, commits in run.commits if any(slow for _, slow in commits.values())]
        slow = slowness.slow_syncs(run.syncs)
        yield (
            f"{len(held)} of {len(run.commits)} seconds had commits over {samples.SLOW_COMMIT * 1000:.0f} ms: "
            + ", ".join(f"{together[count]} in {count} of the services" for count in sorted(together) if count)
            + f"{'; ' if held else ''}a lone sync was slow in {sum(slow.meets(at - 1, at) for at in held)} of them")

    def costs(self):
        """Processor time of the six for each second of the clients', whose calls cost these the same all the time: so it does not matter how
        fast the processors are at the moment."""
        times, series = [], []
        for before, sample in zip(self.run.samples, self.run.samples[1:]):
            clients = sample["clients"] - before["clients"]
            if clients > 0:
                times.append(sample["second"])
                series.append(sum(sample[s]["cpu"] - before[s]["cpu"] for s in sample["services"]) / clients)
        if len(times) < 3:
            return
        verdict = costlier(times, series)
        found = verdict.fit
        yield (
            f"for each second of the clients' the six took {series[0]:.2f} s at first and {series[-1]:.2f} at last, {found.slope * 3600:+.2f} an "
            f"hour ({found.low * 3600:+.2f} … {found.high * 3600:+.2f}): {verdict.text}")
        if verdict.word == "rises":
            self.failures.append(f"calls cost more and more: {found.slope * 3600 / series[0]:+.0%} of processor time an hour")

    def clients(self):
        run = self.run
        elapsed = run.ended - run.begun
        used = run.samples[-1]["clients"] - run.samples[0]["clients"]
        six = sum(run.samples[-1][s]["cpu"] - run.samples[0][s]["cpu"] for s in run.samples[0]["services"])
        total = {name: sum(end[name] for end in run.ends) for name in (
            "calls", "failures", "replaced", "streams", "streams open", "streams again", "messages")} if run.ends else Counter()
        yield (
            f"\n{total['calls']} calls, {total['failures']} not answered as they should be; {total['replaced']} notifications had been replaced by "
            f"another one; {total['streams']} live streams took {total['messages']} messages, and connected again {total['streams again']} times "
            "as tokens expired")
        yield (
            f"processors: the six {six / elapsed:.2f} cores, clients {used / elapsed:.2f}"
            + (": MORE THAN HALF A CORE, which these figures are of, too" if used / elapsed > 0.5 else ""))
        yield from self.costs()
        if total["failures"]:
            self.failures.append(f"{total['failures']} answers were not as they should be")
        if total["streams open"] != total["streams"]:
            self.failures.append(f"{total['streams'] - total['streams open']} live streams are not open at the end")
