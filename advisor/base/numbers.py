"""Formats numbers in sentences of rules, in tables and in figures, so that a value looks alike on
the whole page.

Three significant digits, but known whole digits are not replaced by zeros; thin spaces between
thousands, a no-break space before the unit. What is not known is "?".
"""

from __future__ import annotations

import math
from typing import Callable, Iterable, Optional

from advisor.model.interval import BYTES, Interval, written
from advisor.model.message import Counted, behind, joined, message
from advisor.model.unknown import is_unknown

THIN, HARD, MINUS = "\u202f", "\u00a0", "\u2212"
_ROUNDED = 0.9995
"""Of a unit: from there on three digits are those of the next one, 1.00 ms and not 1 000 µs."""
_SAME_TIME, _MANY_TIMES = 0.0005, 10.0
_SECONDS = ((0.1, 1.0, "s"), (1e-3, 1e3, "ms"), (0.0, 1e6, "µs"))
"""Tenths of a second stay seconds, so that they can be compared with elapsed time at a glance."""
_SIZES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
_SUMS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_WORDS = ((1e9, "billion"), (1e6, "million"), (1e3, "thousand"))
_IN_WORDS = 10_000
_NOUN_IN_WORDS = 1_000_000


def number(value: Optional[float]) -> str:
    """1412.3 → 1 412; 0.01239 → 0.0124; 9.996 → 10.0; None and NaN → ?."""
    if is_unknown(value):
        return "?"
    if value == 0:
        return "0"
    rounded = f"{value:.2e}"
    exponent = int(rounded.split("e")[1])
    return _set(f"{value:,.0f}" if exponent >= 3 else f"{float(rounded):,.{max(0, 2 - exponent)}f}")


def seconds(value: Optional[float]) -> str:
    """0.0000019 → 1.90 µs; 0.0321 → 32.1 ms; 0.5 → 0.500 s; 1412.3 → 1 412 s."""
    if is_unknown(value):
        return "?"
    factor, unit = second_unit(value)
    return f"{number(value * factor)}{HARD}{unit}"


def second_unit(value: float) -> tuple:
    """(factor, unit) to write so many seconds: s, below 0.1 s ms, below 1 ms µs."""
    if not value:
        return 1.0, "s"
    return next(
        (factor, unit) for least, factor, unit in _SECONDS if abs(value) >= _ROUNDED * least
    )


def time_saved(*ratios: float) -> str:
    """Times with a change over times without it, as what is saved: 0.54 and 1.29 → 46 % less to 29
    % more time."""
    ends = [_less_or_more(ratio) for ratio in (min(ratios), max(ratios))]
    return f"{' to '.join(dict.fromkeys(ends))} time"


def _less_or_more(ratio: float) -> str:
    if abs(ratio - 1) < _SAME_TIME:
        return "as much"
    if ratio >= _MANY_TIMES:
        return f"{number(ratio)} times as much"
    return f"{number(100 * abs(1 - ratio))}{HARD}% {'less' if ratio < 1 else 'more'}"


def percent(share: Optional[float]) -> str:
    """A share between 0 and 1 in percent. The caller names the base in the same line."""
    if is_unknown(share):
        return "?"
    if 0 < share < 1e-4:
        return message("below {share}", share=f"0.01{HARD}%")
    return f"{number(100 * share)}{HARD}%"


def marked(sign: str, share: Optional[float]) -> str:
    """A share with "≥" or "~" in front.

    What is below 0.01 % has no sign: "≥ below" would say two things at once.
    """
    text = percent(share)
    return text if text.startswith("below") else behind(sign, text)


def size(value: Optional[float]) -> str:
    """Bytes of a message or of memory:

    65536 → 64 KiB; 1536 → 1.50 KiB; 512 → 512 B. Without decimals it is exact.
    """
    if is_unknown(value):
        return "?"
    factor, unit = next((pair for pair in _SIZES if abs(value) >= _ROUNDED * pair[0]), (1, "B"))
    return f"{_exact(value / factor)}{HARD}{unit}"


def traffic(value: float) -> str:
    """Sums of bytes, in powers of 1000: 4.95e11 → 495 GB."""
    factor, unit = next((pair for pair in _SUMS if abs(value) >= _ROUNDED * pair[0]), (1.0, ""))
    return f"{number(value / factor)}{HARD}{unit}" if unit else f"{_exact(value)}{HARD}B"


def count(value: Optional[float]) -> str:
    """Below 10 000 in digits, above in words: 1412 → 1 412; 2.5 → 2.50; 1450000 → 1.45 million."""
    if is_unknown(value):
        return "?"
    if abs(value) < _IN_WORDS - 0.5:
        return _exact(value)
    factor, word = next(pair for pair in _WORDS if abs(value) >= _ROUNDED * pair[0])
    return f"{number(value / factor)}{HARD}{word}"


def counted(value: Optional[float], noun: str, more: str = "") -> str:
    """1, rank → 1 rank; 131072, rank → 131 072 ranks; None → ? ranks.

    `more`: its plural, if it has one of its own.
    """
    nouns = more or plural(noun)
    template = "{number} " + nouns
    if is_unknown(value):
        return Counted(f"? {nouns}", template, {"number": "?"})
    amount = _exact(value) if value == int(value) and abs(value) < _NOUN_IN_WORDS else count(value)
    text = f"{amount}{HARD}{noun if value == 1 else nouns}"
    return Counted(text, template, {"number": amount})


COUNTED = (
    message("{number} cells"),
    message("{number} checks"),
    message("{number} communicators"),
    message("{number} cores"),
    message("{number} hosts"),
    message("{number} limits"),
    message("{number} more rows"),
    message("{number} nodes"),
    message("{number} operations"),
    message("{number} other ranks"),
    message("{number} pairs"),
    message("{number} partners"),
    message("{number} ranks"),
    message("{number} rules"),
    message("{number} settings"),
    message("{number} threads"),
)
"""Templates that are made above, for the catalogues."""


def plural(noun: str) -> str:
    """core → cores, process → processes, memory → memories."""
    if noun.endswith(("s", "x", "ch", "sh")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun + "s"


def predicted(value: float) -> str:
    """Two significant digits, rounded down, so that rounding never passes a ceiling, nor makes a
    loss smaller."""
    if abs(value) <= 1e-12:
        return "0"
    step = math.floor(math.log10(abs(value))) - 1
    return _set(f"{_down(value, -step):,.{max(0, -step)}f}")


def between(low: float, high: float, unit: str) -> str:
    """A predicted interval, "13 to 33 s".

    The lower end has the decimals of the upper one, or one digit if it would be 0 with them and is
    a hundredth of the upper one or more: "0.6 to 10 s".
    """
    upper, lower = predicted(high), predicted(low)
    places = len(upper.partition(".")[2])
    if len(lower.partition(".")[2]) > places:
        places = places if low < high / 100 or _down(low, places) else -math.floor(math.log10(low))
        floor = _down(low, places)
        lower = f"{floor:.{places}f}".replace("-", MINUS) if floor else "0"
    most = f"{upper}{HARD}{unit}"
    return most if lower == upper else message("{low} to {high}", low=lower, high=most)


def between_seconds(low: float, high: float) -> str:
    """A predicted interval of seconds, in the unit that suits its larger end."""
    factor, unit = second_unit(max(high, -low))
    return between(low * factor, high * factor, unit)


def reported(
    found: Optional[Interval], alone: str, write: Callable[[float], str], short: bool = False
) -> str:
    """A number as its interval, or `alone` where it needs none.

    `short`: with ≥ and ≤, for bars and tables.
    """
    signs = ("≥" + HARD, "≤" + HARD) if short else ("at least ", "at most ")
    return (
        alone
        if found is None
        else written(found, write, *signs, digits=BYTES if write is size else 2)
    )


def listed(words: Iterable[object]) -> str:
    """ "1", "1 and 2", "1, 2 and 3"."""
    texts = [word if isinstance(word, str) else str(word) for word in words]
    if len(texts) < 2:
        return "".join(texts[:1])
    return message("{first} and {second}", first=joined(", ", texts[:-1]), second=texts[-1])


def _exact(value: float) -> str:
    """A whole number with all its digits, any other with three."""
    return _set(f"{int(value):,}") if value == int(value) else number(value)


def _down(value: float, places: int) -> float:
    """Rounded down to so many decimals. 1e-9: 0.29 is stored as 0.28999…"""
    scale = 10.0**places
    return math.floor(value * scale + 1e-9) / scale


def _set(text: str) -> str:
    return text.replace(",", THIN).replace("-", MINUS)
