"""Whose fault slow calls are: the disk's, that of too few processors, or Racha's."""

import bisect
import statistics
from collections import namedtuple

# Of syncs and wakes of the probe.
SLOW_SECONDS = 0.025
Causes = namedtuple("Causes", "sync wake busy sync_share wake_share busy_share left")


class Spans:
    """Stretches of time."""

    def __init__(self, spans):
        merged = []
        for start, end in sorted(spans):
            if merged and start <= merged[-1][1]:
                merged[-1][1] = max(end, merged[-1][1])
            else:
                merged.append([start, end])
        self.starts, self.ends = [start for start, _ in merged], [end for _, end in merged]

    def meets(self, start, end):
        """
        >>> spans = Spans([(1, 2), (1.5, 3), (7, 8)])
        >>> spans.meets(2.5, 4), spans.meets(4, 6.5), spans.meets(0, 10), spans.meets(8.5, 9)
        (True, False, True, False)
        """
        place = bisect.bisect_left(self.ends, start)
        return place < len(self.starts) and self.starts[place] <= end

    def share(self, begun, ended):
        return sum(end - start for start, end in zip(self.starts, self.ends)) / max(ended - begun, 1e-9)


def slow_syncs(syncs):
    """Of syncs as (start, seconds): those that took long, and five times as long as most."""
    if not syncs:
        return Spans([])
    bound = max(SLOW_SECONDS, 5 * statistics.median(seconds for _, seconds in syncs))
    return Spans([(start, start + seconds) for start, seconds in syncs if seconds >= bound])


def causes(calls, syncs, wakes, busy, begun, ended):
    """How many slow calls, as (start, end, operation, …), were under way while a lone sync was slow; of the others, how many while a thread that
    had nothing to do was woken late; of the others, how many while all processors were busy, by spans; for how much of the time each was so; and
    which calls are left."""
    kinds = slow_syncs(syncs), Spans([(start, start + seconds) for start, seconds in wakes if seconds >= SLOW_SECONDS]), Spans(busy)
    counts, left = [0] * len(kinds), []
    for call in calls:
        for number, spans in enumerate(kinds):
            if spans.meets(call[0], call[1]):
                counts[number] += 1
                break
        else:
            left.append(call)
    return Causes(*counts, *(spans.share(begun, ended) for spans in kinds), left)
