"""Interleaved pairs of a baseline and one variant, whose order chance draws, until it is
decided."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from itertools import product
from random import Random
from statistics import median
from typing import Callable, Dict, Iterator, List, Optional, Tuple

from advisor.model.message import message
from advisor.verifying.statistics import (
    FEWEST,
    MOST_PAIRS,
    Interval,
    decided,
    interval,
    verdict,
    what_would_tell,
)

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
        return [
            math.log(variant / baseline)
            for baseline, variant in zip(self.times[BASELINE], self.times[VARIANT])
        ]

    def interval(self) -> Optional[Interval]:
        """None below two pairs."""
        return (
            interval(self.ratios, [math.log(time) for time in self.times[BASELINE]])
            if len(self.ratios) > 1
            else None
        )

    def typical(self, side: str) -> Optional[float]:
        """Median seconds of one side."""
        return median(self.times[side]) if self.times[side] else None


Measure = Callable[[str], Measured]
Order = Tuple[str, str]
Tell = Callable[[Pairs, float], None]


def measure_pairs(
    measure: Measure,
    limits: Limits,
    tell: Tell = lambda pairs, left: None,
    clock: Callable[[], float] = time.monotonic,
    orders: Optional[Iterator[Order]] = None,
) -> Pairs:
    """Run pairs until they decide, one side fails, or pairs or time are spent. An interruption
    (Ctrl-C) ends it and keeps what is known.

    `tell`: called after each pair with what is known and the seconds that may be left. `orders`: of
    the sides in each pair; None: as chance draws them.
    """
    pairs, begin, orders = Pairs(), clock(), orders or drawn(Random())
    most = min(limits.pairs, MOST_PAIRS)
    try:
        for number in range(most):
            each = (clock() - begin) / number if number else limits.pair_seconds
            if limits.deadline is not None and clock() + each > limits.deadline:
                pairs.reason = message("the budget is spent")
                break
            if not _one_pair(measure, next(orders), pairs) or _is_decided(
                pairs.interval(), limits.margin
            ):
                break
            tell(
                pairs,
                _left(number + 1, most, (clock() - begin) / (number + 1), limits.deadline, clock()),
            )
    except KeyboardInterrupt:
        pairs.interrupted, pairs.reason = True, message("interrupted")
    _conclude(pairs, limits, most)
    return pairs


def _is_decided(found: Optional[Interval], margin: float) -> bool:
    return found is not None and decided(found, margin)


def _one_pair(measure: Measure, order: Order, pairs: Pairs) -> bool:
    """Whether both sides gave a time."""
    for side in order:
        found = measure(side)
        if found.seconds is None:
            pairs.reason = found.why
            pairs.baseline_failed = side == BASELINE
            pairs.verdict = "undecided" if pairs.baseline_failed else "breaks"
            return False
        pairs.times[side].append(found.seconds)
    return True


def drawn(chance: Random) -> Iterator[Order]:
    """Which side of each pair runs first: by chance, so that no rhythm of the host, and no run that
    depends on the one before, keeps step with it.

    The command as it is begins: that it fails, and how long it takes, must be known before a
    variant is judged. The next pairs that the first decision rests on are not all alike: with those
    a steady drift, or every second run slower, would be an effect.
    """
    orders = ((BASELINE, VARIANT), (VARIANT, BASELINE))
    yield orders[0]
    yield from chance.choice(
        [each for each in product(orders, repeat=FEWEST - 1) if len(set(each)) > 1]
    )
    while True:
        yield chance.choice(orders)


def _conclude(pairs: Pairs, limits: Limits, most: int) -> None:
    found = pairs.interval()
    if pairs.verdict == "breaks" or found is None:
        return
    pairs.verdict = verdict(found, limits.margin)
    if pairs.verdict == "undecided" and not pairs.reason:
        pairs.reason = message(
            "{pairs} pairs do not tell: {reason}",
            pairs=most,
            reason=what_would_tell(found, limits.margin),
        )


def _left(done: int, most: int, each: float, deadline: Optional[float], now: float) -> float:
    """Seconds at most: what all pairs would take, and what the budget allows."""
    rest = (most - done) * each
    return rest if deadline is None else max(0.0, min(rest, deadline - now))
