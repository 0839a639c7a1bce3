"""Quantiles of few numbers: the spread of a gain, from records or from verified runs (METRICS 15)."""

from __future__ import annotations

from typing import Sequence

LOW, HIGH = 0.1, 0.9
ENOUGH = 3
"""From how many on a spread can be told."""


def quantile(numbers: Sequence[float], share: float) -> float:
    """The quantile of at least one number, in any order, on a straight line between neighbours."""
    ordered = sorted(numbers)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])
