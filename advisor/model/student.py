"""Student's t distribution, for whole degrees of freedom."""

from __future__ import annotations

import math
from functools import lru_cache

_STEPS = 80
"""Halvings of the bracket: more than a double can hold."""


def probability(t: float, freedom: int) -> float:
    """P(T <= t). Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and
    26.7.4."""
    angle = math.atan(t / math.sqrt(freedom))
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = total = cosine if odd else 1.0
    for step in range(3 if odd else 2, freedom, 2):
        term *= (step - 1) / step * cosine * cosine
        total += term
    if odd:
        return 0.5 + (angle + (sine * total if freedom > 1 else 0.0)) / math.pi
    return 0.5 + sine * total / 2


@lru_cache(maxsize=None)
def quantile(share: float, freedom: int) -> float:
    """The t that a share of the distribution lies below; 0.5 <= share < 1, freedom >= 1."""
    low, high = 0.0, 1.0
    while probability(high, freedom) < share:
        high *= 2
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (middle, high) if probability(middle, freedom) < share else (low, middle)
    return (low + high) / 2
