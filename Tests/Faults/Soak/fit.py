"""Whether a series of samples rises, and what that would come to in a month.

The slope is that of Theil and Sen, the median of the slopes between any two samples, which a few strange samples do not move; its spread is
the interval of 99 % that Sen (1968) gives by Kendall's test, with ties counted as Gilbert (1987) does. Memory wanders: what a sample has in common
with the one before it widens the interval as fewer samples would, by (1 + r) / (1 - r) of its variance.

>>> rising = fit([0, 60, 120, 180, 240, 300], [10, 11, 12, 13, 14, 15])
>>> round(rising.slope * 60, 3), round(rising.low * 60, 3), round(rising.high * 60, 3)
(1.0, 1.0, 1.0)
>>> fit([0, 60, 120], [7, 7, 7])
Fit(slope=0.0, low=0.0, high=0.0)
"""

import math
import statistics
from collections import Counter, namedtuple

MONTH = 30 * 24 * 3600
# Below it a run is too near to its beginning, and has too few samples, to say anything of a month.
MIN_SECONDS, MIN_SAMPLES = 1200, 12
# What rises by less than this share of its slope in the last third flattens.
STILL = 0.5

Fit = namedtuple("Fit", "slope low high")
Verdict = namedtuple("Verdict", "word fit text is_judged", defaults=(True,))


def fit(times, values):
    """The slope by unit of time, and between which two it lies with 99 %."""
    count = len(times)
    slopes = sorted(
        (values[j] - values[i]) / (times[j] - times[i]) for i in range(count) for j in range(i + 1, count) if times[j] != times[i])
    if not slopes:
        return Fit(0.0, -math.inf, math.inf)
    slope = statistics.median(slopes)
    ties = sum(n * (n - 1) * (2 * n + 5) for n in Counter(values).values())
    alike = correlation([value - slope * time for time, value in zip(times, values)])
    spread = 2.58 * math.sqrt(max(0, count * (count - 1) * (2 * count + 5) - ties) / 18 * (1 + alike) / (1 - alike))
    low = max(0, round((len(slopes) - spread) / 2))
    high = min(len(slopes) - 1, round((len(slopes) + spread) / 2))
    return Fit(float(slope), float(slopes[low]), float(slopes[high]))


def correlation(rest):
    """Of each value with the one before it, from 0 to 0.9."""
    mean = statistics.fmean(rest)
    variance = sum((value - mean) ** 2 for value in rest)
    if variance == 0:
        return 0.0
    return min(0.9, max(0.0, sum((a - mean) * (b - mean) for a, b in zip(rest, rest[1:])) / variance))


def judge(times, values, limit):
    """What the last two thirds of a series say of a month, in which `limit` more would matter.

    `rises`: the month surely brings more than the limit, and it still rises in the last third: a cache that fills rises and then ends.
    `level`: it surely does not. `open`: the run is too short, or the series too restless, to tell.
    """
    whole, last = (part(times, values, share) for share in (2 / 3, 1 / 3))
    found = fit(*whole)
    if times[-1] - times[0] < MIN_SECONDS or len(times) < MIN_SAMPLES:
        return Verdict("open", found, "too short a run", False)
    if found.low * MONTH > limit:
        ending = fit(*last)
        slope = ending.slope if ending.low > 0 else between_halves(*last) if ending.low == 0 else 0
        rises = slope >= STILL * found.slope
        return Verdict("rises", found, "rises") if rises else Verdict("open", found, "rose, and flattens")
    if found.high * MONTH <= limit:
        return Verdict("level", found, "none that matters")
    return Verdict("open", found, "no rise found" if found.low <= 0 else "rises, maybe by less than matters")


def part(times, values, share):
    """The samples of the last `share` of the time."""
    begun = times[-1] - (times[-1] - times[0]) * share
    chosen = [index for index, time in enumerate(times) if time >= begun]
    return [times[index] for index in chosen], [values[index] for index in chosen]


def between_halves(times, values):
    """The slope between the medians of both halves. Of a count with rare steps, most of whose samples are equal, the median of all slopes is 0."""
    middle = len(times) // 2
    if middle == 0:
        return 0.0
    first, second = statistics.median(values[:middle]), statistics.median(values[-middle:])
    return (second - first) / (statistics.mean(times[-middle:]) - statistics.mean(times[:middle]))
