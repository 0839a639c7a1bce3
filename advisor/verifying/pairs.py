"""Interleaved pairs of a baseline and one variant: baseline first, then variant first, and so on, until it is decided."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from statistics import median
from typing import Callable, Dict, List, Optional, Tuple

from advisor.verifying.statistics import MOST_PAIRS, Interval, decided, interval, verdict, what_would_tell

BASELINE, VARIANT = "baseline", "variant"


@dataclass(frozen=True)
class Measured:
    """One run. `seconds`: what is timed, None if it failed, and then `why`."""

    seconds: Optional[float]
    why: str = ""


@dataclass(frozen=True)
class Limits:
    """When to stop. `deadline`: of time.monotonic(); None: none."""

    margin: float = 0.01
    pairs: int = 12
    deadline: Optional[float] = None
    pair_seconds: float = 0.0
    """How long a pair is taken to last before one was run."""


@dataclass
class Pairs:
    """What was measured of one variant, and how it ended."""

    times: Dict[str, List[float]] = field(default_factory=lambda: {BASELINE: [], VARIANT: []})
    verdict: str = "undecided"
    reason: str = ""
    interrupted: bool = False
    baseline_failed: bool = False

    @property
    def ratios(self) -> List[float]:
        """Log ratios of the pairs that are complete."""
        return [math.log(variant / baseline) for baseline, variant in zip(self.times[BASELINE], self.times[VARIANT])]

    def interval(self) -> Optional[Interval]:
        """None below two pairs."""
        return interval(self.ratios) if len(self.ratios) > 1 else None

    def typical(self, side: str) -> Optional[float]:
        """Median seconds of one side."""
        return median(self.times[side]) if self.times[side] else None


Measure = Callable[[str], Measured]
Tell = Callable[[Pairs, float], None]


def measure_pairs(measure: Measure, limits: Limits, tell: Tell = lambda pairs, left: None, clock: Callable[[], float] = time.monotonic) -> Pairs:
    """Run pairs until they decide, one side fails, or pairs or time are spent. An interruption (Ctrl-C) ends it and keeps what is known.

    `tell`: called after each pair with what is known and the seconds that may be left.
    """
    pairs, begin = Pairs(), clock()
    most = min(limits.pairs, MOST_PAIRS)
    try:
        for number in range(most):
            each = (clock() - begin) / number if number else limits.pair_seconds
            if limits.deadline is not None and clock() + each > limits.deadline:
                pairs.reason = "the budget is spent"
                break
            if not _one_pair(measure, number, pairs) or decided(pairs.ratios, limits.margin):
                break
            tell(pairs, _left(number + 1, most, (clock() - begin) / (number + 1), limits.deadline, clock()))
    except KeyboardInterrupt:
        pairs.interrupted, pairs.reason = True, "interrupted"
    _conclude(pairs, limits, most)
    return pairs


def _one_pair(measure: Measure, number: int, pairs: Pairs) -> bool:
    """Whether both sides gave a time."""
    for side in _order(number):
        found = measure(side)
        if found.seconds is None:
            pairs.reason = found.why
            pairs.baseline_failed = side == BASELINE
            pairs.verdict = "undecided" if pairs.baseline_failed else "breaks"
            return False
        pairs.times[side].append(found.seconds)
    return True


def _order(number: int) -> Tuple[str, str]:
    """ABBA: what drifts steadily adds to one pair what it takes from the next."""
    return (BASELINE, VARIANT) if number % 2 == 0 else (VARIANT, BASELINE)


def _conclude(pairs: Pairs, limits: Limits, most: int) -> None:
    found = pairs.interval()
    if pairs.verdict == "breaks" or found is None:
        return
    pairs.verdict = verdict(found, limits.margin)
    if pairs.verdict == "undecided" and not pairs.reason:
        pairs.reason = f"{most} pairs do not tell: {what_would_tell(found, limits.margin)}"


def _left(done: int, most: int, each: float, deadline: Optional[float], now: float) -> float:
    """Seconds at most: what all pairs would take, and what the budget allows."""
    rest = (most - done) * each
    return rest if deadline is None else max(0.0, min(rest, deadline - now))
