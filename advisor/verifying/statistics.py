"""Statistics of pairs of runs: an interval for the log ratio of their times, and when it is
decided.

Pairs are looked at again and again while they come in, and an interval of 95 % at each look would
miss the truth in 18 % of campaigns. So each look takes an interval of 99.3 %. Then in 3.4 % of 100
000 simulated campaigns of 24 pairs with normal noise, and 4.3 % of 48, the truth lies outside of
the interval at any of the looks; a verdict is wrong less often, since it takes that and a truth
near the margin. Rare outliers make the interval wider, and errors rarer.

Four pairs must count, not three: hosts have noise of two states (another job, a slower clock, both
ranks on one core), and three pairs that happen to meet the same two states look certain; it was
seen in a real campaign. For the same reason four pairs of which the first was a warm-up decide
nothing. With two states of equal weight, 65 % apart, and no effect, 3.9 % of campaigns of 12 pairs
end with a false verdict if three may count, 1.8 % if four must.

From twelve pairs on two more intervals are at hand (intervals.py): of the median, and of the fast
runs of both sides; the narrowest of the three is taken. A few runs that are several times as long,
as where a virtual machine's host moves its cores apart for a while, widen the mean's beyond any
use, and many of them the median's as well. With times that are 2.8 times as long in one run of
seven, some runs in a row, 1 % of noise and no effect, 98 % of campaigns of 24 pairs end with "same"
at a margin of 5 %, and 67 % with the mean alone. With one run of four that is four times as long, 3
% of noise and an effect of 20 %, 99 % end with "worse", and 67 % with the median and the mean; of
those without effect 39 % end with "same", and 14 %.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Sequence, Tuple

from advisor.model.message import message
from advisor.model.student import quantile
from advisor.verifying.intervals import of_fast_runs, of_median

LOOKS = (4, 6, 8, 12, 16, 24, 32, 48)
"""Numbers of pairs after which it is asked whether all is decided. Fewer looks, fewer errors."""
MOST_PAIRS = LOOKS[-1]
LEVEL = 0.993
"""Of the interval at each look."""
WARM_UP_LEVEL = 0.99
"""The first pair is a warm-up if it lies outside of this interval for one more pair, made from the
others."""
FEWEST = LOOKS[0]
"""Pairs that must count, or nothing is decided."""
DRAWN = 12
"""Pairs from which on the median or the fast runs may be taken: of nine, the first number whose
signs reach LEVEL, the interval would be that of all pairs."""


@dataclass(frozen=True)
class Interval:
    """Of the log ratio of times, variant over baseline. `dropped`: the first pair is not in it.
    `middle`: what `mean` and the interval are of, mean, median or fast."""

    mean: float
    low: float
    high: float
    pairs: int
    dropped: bool = False
    middle: str = "mean"

    def effect(self) -> Tuple[float, float, float]:
        """(mean, low, high) as shares of the baseline's time: -0.08 is 8 % less."""
        return (
            math.expm1(self.mean),
            math.expm1(min(self.low, _LARGEST)),
            math.expm1(min(self.high, _LARGEST)),
        )


_ROOM = 0.7
"""Half of an interval over the margin with which four of five changes without effect are the same:
what is left is for the mean to be off."""
_LARGEST = 700.0
"""exp of more does not fit a double."""


def interval(ratios: Sequence[float], baseline: Sequence[float] = ()) -> Interval:
    """The narrowest interval of the mean, the median or the fast runs, of log ratios in the order
    in which they were measured; at least two.

    `baseline`: logarithms of the times as it was; without them the fast runs are not looked at."""
    dropped = is_warm_up(ratios)
    counted = ratios[1:] if dropped else ratios
    mean = fmean(counted)
    half = quantile((1 + LEVEL) / 2, len(counted) - 1) * stdev(counted) / math.sqrt(len(counted))
    known = {"mean": (mean, mean - half, mean + half)}
    if len(counted) >= DRAWN:
        known["median"] = of_median(counted, LEVEL)
    if len(counted) >= DRAWN and baseline:
        before = baseline[len(ratios) - len(counted) :]
        known["fast"] = of_fast_runs(
            before, [time + ratio for time, ratio in zip(before, counted)], LEVEL
        )
    middle = min(known, key=lambda name: known[name][2] - known[name][1])
    return Interval(*known[middle], len(counted), dropped, middle)


def is_warm_up(ratios: Sequence[float]) -> bool:
    """Whether the first pair is an outlier against the others, of which there must be three."""
    rest = ratios[1:]
    if len(rest) < 3:
        return False
    reach = (
        quantile((1 + WARM_UP_LEVEL) / 2, len(rest) - 1)
        * stdev(rest)
        * math.sqrt(1 + 1 / len(rest))
    )
    return abs(ratios[0] - fmean(rest)) > reach


def verdict(found: Interval, margin: float) -> str:
    """better, worse, same or undecided. `margin`: a share; effects up to it are the same."""
    if found.pairs < FEWEST:
        return "undecided"
    below, above = math.log1p(-margin), math.log1p(margin)
    if found.high < below:
        return "better"
    if found.low > above:
        return "worse"
    return "same" if below <= found.low and found.high <= above else "undecided"


def what_would_tell(found: Interval, margin: float) -> str:
    """What to do where the pairs do not tell: an interval shrinks as pairs come in, and "same"
    takes one that fits between the margins."""
    needed = next(
        (
            pairs
            for pairs in range(FEWEST, MOST_PAIRS + 1)
            if half_of(found, pairs) <= _ROOM * math.log1p(margin)
        ),
        None,
    )
    if needed is None:
        least = _share(half_of(found, MOST_PAIRS) / _ROOM)
        if least >= 50:
            return message(
                "nor would {pairs}: this noise takes longer runs or a quieter host",
                pairs=MOST_PAIRS,
            )
        return message(
            "with this noise {pairs} would tell no effects below {share} (--margin)",
            pairs=MOST_PAIRS,
            share=f"{least} %",
        )
    needed += found.dropped
    if needed <= found.pairs + found.dropped:
        return message("the effect is about as large as the margin")
    return message("about {pairs} would (--pairs)", pairs=needed)


def half_of(found: Interval, pairs: int) -> float:
    """Half of the interval that so many counted pairs would have, if they scatter like those that
    were seen."""
    scatter = (
        (found.high - found.low)
        / 2
        * math.sqrt(found.pairs)
        / quantile((1 + LEVEL) / 2, found.pairs - 1)
    )
    return quantile((1 + LEVEL) / 2, pairs - 1) * scatter / math.sqrt(pairs)


def outlook(found: Interval, margin: float, most: int) -> str:
    """That `most` pairs are not likely to tell, and what would, while there is time to change it;
    empty if they may, or it is too early to say."""
    half, limit = half_of(found, most), math.log1p(margin)
    if not FEWEST <= found.pairs < most or half <= limit or abs(found.mean) > half + limit:
        return ""
    return f"{most} pairs are not likely to tell: {what_would_tell(found, margin)}"


def _share(half: float) -> int:
    """A log ratio as a share in percent, rounded up."""
    return math.ceil(100 * math.expm1(min(half, _LARGEST)))


def decided(found: Interval, margin: float) -> bool:
    """Whether to stop here: only at one of the LOOKS, or the errors would not be those above."""
    return found.pairs + found.dropped in LOOKS and verdict(found, margin) != "undecided"
