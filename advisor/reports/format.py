"""How numbers are written. Thin spaces between thousands, no-break space before the unit."""

from __future__ import annotations

import math
from typing import Callable, Optional

from advisor.model.interval import BYTES, Interval, written

THIN, HARD, MINUS = "\u202f", "\u00a0", "\u2212"
_SECONDS = ((1e-3, 1e6, "µs"), (0.1, 1e3, "ms"), (math.inf, 1.0, "s"))


def number(value: Optional[float]) -> str:
    """Three significant digits; known whole digits are not replaced by zeros; "?" if unknown."""
    if value is None or value != value:
        return "?"
    if value == 0:
        return "0"
    exponent = int(f"{value:.2e}".split("e")[1])
    places = max(0, 2 - exponent)
    text = f"{value:,.0f}" if exponent >= 3 else f"{float(f'{value:.2e}'):,.{places}f}"
    return text.replace(",", THIN).replace("-", MINUS)


def predicted(value: float) -> str:
    """Two significant digits, rounded down, so that rounding never passes a ceiling, nor makes a
    loss smaller."""
    if abs(value) <= 1e-12:
        return "0"
    step = math.floor(math.log10(abs(value))) - 1
    return f"{_down(value, -step):,.{max(0, -step)}f}".replace(",", THIN).replace("-", MINUS)


def _down(value: float, places: int) -> float:
    """Rounded down to so many decimals. 1e-9: 0.29 is stored as 0.28999…"""
    scale = 10.0**places
    return math.floor(value * scale + 1e-9) / scale


def between(low: float, high: float, unit: str) -> str:
    """A predicted interval, "13 to 33 s"; the lower end has the decimals of the upper one, or one
    digit if it would be 0 with them and is a hundredth of the upper one or more: "0.6 to 10 s"."""
    upper, lower = predicted(high), predicted(low)
    places = len(upper.partition(".")[2])
    if len(lower.partition(".")[2]) > places:
        places = places if low < high / 100 or _down(low, places) else -math.floor(math.log10(low))
        floor = _down(low, places)
        lower = f"{floor:.{places}f}".replace("-", MINUS) if floor else "0"
    return f"{upper}{HARD}{unit}" if lower == upper else f"{lower} to {upper}{HARD}{unit}"


def between_seconds(low: float, high: float) -> str:
    """A predicted interval of seconds, in the unit that suits its larger end."""
    factor, unit = second_unit(max(high, -low))
    return between(low * factor, high * factor, unit)


def second_unit(value: float) -> tuple:
    """(factor, unit) to write so many seconds: s, below 0.1 s ms, below 1 ms µs."""
    if not value:
        return 1.0, "s"
    return next((factor, unit) for limit, factor, unit in _SECONDS if abs(value) < limit)


def seconds(value: Optional[float]) -> str:
    """Elapsed or mean seconds with their unit."""
    if value is None or value != value:
        return "?"
    factor, unit = second_unit(value)
    return number(value * factor) + HARD + unit


def percent(share: Optional[float]) -> str:
    """A share between 0 and 1 in percent. The caller names the base in the same line."""
    if share is None or share != share:
        return "?"
    return f"below 0.01{HARD}%" if 0 < share < 1e-4 else number(100 * share) + HARD + "%"


def told(
    found: Optional[Interval], alone: str, write: Callable[[float], str], short: bool = False
) -> str:
    """A number as its interval, or `alone` where it needs none. `short`: with ≥ and ≤, for bars and
    tables."""
    signs = ("≥" + HARD, "≤" + HARD) if short else ("at least ", "at most ")
    return (
        alone
        if found is None
        else written(found, write, *signs, digits=BYTES if write is size else 2)
    )


def marked(sign: str, share: Optional[float]) -> str:
    """A share with "≥" or "~" in front. What is below 0.01 % has no sign: "≥ below" would say two
    things at once."""
    text = percent(share)
    return text if text.startswith("below") else sign + text


def size(count: Optional[float]) -> str:
    """Bytes of a message or of memory: B, KiB, MiB, GiB."""
    if count is None or count != count:
        return "?"
    for unit, bits in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if count >= 1 << bits:
            return _without_zeros(number(count / (1 << bits))) + HARD + unit
    return _without_zeros(number(count)) + HARD + "B"


def traffic(count: float) -> str:
    """Sums of bytes: GB, MB, kB (powers of 1000)."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return number(count / factor) + HARD + unit
    return _without_zeros(number(count)) + HARD + "B"


def count(value: Optional[float]) -> str:
    """A count; in words above 999: 1.45 million."""
    if value is None or value != value:
        return "?"
    for word, factor in (("billion", 1e9), ("million", 1e6), ("thousand", 1e3)):
        if value >= factor:
            return number(value / factor) + HARD + word
    return _without_zeros(number(value))


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def nouns(value: Optional[float], noun: str, plural: str = "") -> str:
    """ "1 rank", "256 ranks", "? ranks"."""
    if value is None or value != value:
        return f"? {plural or noun + 's'}"
    whole = f"{value:,.0f}".replace(",", THIN)
    return f"{whole}{HARD}{noun if value == 1 else plural or noun + 's'}"


def listed(words) -> str:
    """ "1", "1 and 2", "1, 2 and 3"."""
    words = [str(word) for word in words]
    return (
        words[0]
        if len(words) == 1
        else ", ".join(words[:-1]) + " and " + words[-1]
        if words
        else ""
    )
