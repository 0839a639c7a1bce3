"""Whether a number may stand alone, or is printed as the interval in which it lies: one decision
for all sentences, bars and tables."""

from __future__ import annotations

import math
import re
from typing import Callable, NamedTuple, Optional

from advisor.model.measures import Column, Quality
from advisor.model.message import message

WIDE = 0.10
"""Of a value, to either side: from there on its second digit is not known, and three of them would
pretend so."""
NONE = 0.01
"""Of the upper end: a lower end below it says no more than 0 would."""
BYTES = 16
"""Digits of the ends of bytes: these are powers of two."""
_THIRD = re.compile(r"(?:(\.\d+)|\.)0(?=\D|$)")
"""The third of three digits, where two are known."""


class Interval(NamedTuple):
    """What is printed in place of a number. Without `high`: at least `low`; without `low`: at most
    `high`."""

    low: Optional[float]
    high: Optional[float]


def interval(
    value: Optional[float],
    low: Optional[float],
    high: Optional[float],
    quality: Quality = Quality.ESTIMATED,
) -> Optional[Interval]:
    """The interval to print, or None if the number may stand alone: it is known to within 10 %, or
    nobody knows how well.

    An end that is the number itself is a bound: the truth is known to lie on one side of it. What
    was counted is known, even where it is a mean between the ends of a bin.
    """
    if quality not in (Quality.ESTIMATED, Quality.ASSUMED):
        return None
    value, low, high = (
        None if each is None or not math.isfinite(each) else float(each)
        for each in (value, low, high)
    )
    if value is None or (low is None and high is None):
        return None
    if low is None or high is None:
        return _one_sided(value, low, high)
    if high - low <= 2 * WIDE * abs(value):
        return None
    if value > 0 and math.isclose(low, value):
        return Interval(low, None)
    return Interval(None, high) if 0 <= low < NONE * high else Interval(low, high)


def _one_sided(value: float, low: Optional[float], high: Optional[float]) -> Optional[Interval]:
    """Of a number that is a bound itself, on the side where no other is known. A lone end
    elsewhere, as of another rank, is none of its bounds."""
    end = low if high is None else high
    if math.isclose(end, value):  # type: ignore[arg-type]
        return Interval(low, high) if value > 0 else None
    return interval(value, low, value) if high is None and low < value else None  # type: ignore[operator]


def of_cell(column: Column, row: int) -> Optional[Interval]:
    """The interval to print for one cell; None if its number may stand alone."""
    if column.low is None and column.high is None:
        return None
    value, low, high = (
        None if each is None else each[row] for each in (column.values, column.low, column.high)
    )
    return None if isinstance(value, (str, bool)) else interval(value, low, high, column.quality)


def written(
    found: Interval,
    write: Callable[[float], str],
    least: str = "at least ",
    most: str = "at most ",
    digits: int = 2,
) -> str:
    """ "12 to 31 %", "at least 12.3 %", "at most 31.2 %". `write`: a number with its unit behind a
    no-break space.

    `digits`: to which both ends are rounded.
    """
    if found.low is None or found.high is None:
        return (
            _bound(most, write(found.high))  # type: ignore[arg-type]
            if found.low is None
            else _bound(least, write(found.low))
        )
    lower, upper = (_THIRD.sub(r"\1", write(float(f"{end:.{digits - 1}e}"))) for end in found)
    low, gap, unit = lower.partition("\u00a0")
    high, _, same = upper.partition("\u00a0")
    first = _as_exact(low, high) if unit == same else lower if gap else low
    return message("{low} to {high}", low=first, high=upper)


def _bound(words: str, end: str) -> str:
    if words == "at least ":
        return message("at least {amount}", amount=end)
    return message("at most {amount}", amount=end) if words == "at most " else words + end


def _as_exact(low: str, high: str) -> str:
    """The lower end with the decimals of the upper one: 0.19 to 1.7 is 0.2 to 1.7; with its own
    where that would move it: 0.83 to 19."""
    places = len(high.partition(".")[2])
    if len(low.partition(".")[2]) <= places:
        return low
    rounded = f"{float(low):.{places}f}"
    return rounded if abs(float(rounded) - float(low)) <= WIDE * float(low) else low
