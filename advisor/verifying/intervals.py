"""Distribution-free intervals that rely only on the random order within a pair of runs: of the
pairs' median, and of the fast runs of both sides.

Where a change does nothing but multiply every run's time by one factor, and that factor is taken
out, both runs of a pair could as well have come in the other order. So what tells the sides apart
is a coin that was tossed once a pair, under any noise whatever; but for the first pair, which
always begins with the command as it was, and for the three after it, which are not all alike
(pairs.py).
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import median
from typing import List, Sequence, Tuple

FAST = 0.3
"""Share of all runs that count as fast: in simulated campaigns with 14 to 50 % of slow runs 0.25
decided about as many, and 0.35 fewer."""
Bounds = Tuple[float, float, float]
"""Middle, low, high."""


def of_median(ratios: Sequence[float], level: float) -> Bounds:
    """Of the median of log ratios: the k-th smallest to the k-th largest (the sign test; Conover,
    Practical Nonparametric Statistics, 1999, section 3.4). As many at least that level allows a
    k."""
    ratios = sorted(ratios)
    least = rejected_from(len(ratios), (1 - level) / 2)
    return median(ratios), ratios[least - 1], ratios[-least]


@lru_cache(maxsize=None)
def rejected_from(tosses: int, tail: float) -> int:
    """The smallest number of heads that so many tosses fall below or reach with a chance above
    `tail`; fewer are too few to be chance."""
    chance, heads = 0.5**tosses, 0
    while chance <= tail:
        heads += 1
        chance += math.comb(tosses, heads) / 2**tosses
    return heads


def of_fast_runs(baseline: Sequence[float], variant: Sequence[float], level: float) -> Bounds:
    """Of the logarithm of the factor between the fast runs of both sides, in the order of the
    pairs: all factors after which the FAST share of all runs comes from both sides alike.

    Only pairs of which one run is among the fast ones tell, and each by a coin (McNemar,
    Psychometrika 12, 1947). Unlike the median of ratios, it is not moved by half of the pairs
    having a slow run, as when one run of four is slow: of a pair it takes the other run. An end is
    infinite where there are too few pairs.
    """
    factors = sorted(after - before for before in baseline for after in variant)
    middle = _fast(variant) - _fast(baseline)
    low = _first(factors, lambda factor: _leans(baseline, variant, factor + _TIE, level) >= 0)
    high = _first(
        [-factor for factor in reversed(factors)],
        lambda factor: _leans(baseline, variant, -factor - _TIE, level) <= 0,
    )
    return min(max(middle, low), -high), low, -high


_TIE = 1e-12
"""Factors are tried a hair beside a tie of two runs."""


def _first(values: List[float], holds) -> float:
    """The first of sorted values from which on it holds; minus infinity if it holds for all, the
    last one if for none."""
    below, above = -1, len(values) - 1
    if holds(values[0]):
        return -math.inf
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(values[middle]) else (middle, above)
    return values[above]


def _leans(baseline: Sequence[float], variant: Sequence[float], factor: float, level: float) -> int:
    """-1: with this factor taken out the variant has too few of the fast runs for chance, so the
    factor is too small; 1: too many; 0: neither."""
    after = [time - factor for time in variant]
    fast = _limit([*baseline, *after])
    ours = sum(one < fast <= other for one, other in zip(after, baseline))
    theirs = sum(other < fast <= one for one, other in zip(after, baseline))
    fewest = rejected_from(ours + theirs, (1 - level) / 2)
    return -1 if ours < fewest and ours < theirs else int(theirs < fewest and theirs < ours)


def _limit(times: Sequence[float]) -> float:
    """Halfway between the slowest fast run and the next one."""
    count, ordered = max(1, round(FAST * len(times))), sorted(times)
    return (ordered[count - 1] + ordered[count]) / 2


def _fast(times: Sequence[float]) -> float:
    """The FAST quantile."""
    ordered = sorted(times)
    place = FAST * (len(times) - 1)
    below = int(place)
    return ordered[below] + (place - below) * (
        ordered[min(below + 1, len(times) - 1)] - ordered[below]
    )
