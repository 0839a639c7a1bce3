"""Sizes and durations as people write them: "64 KiB" ⇄ 65536, "10 s" ⇄ 10.0."""

from __future__ import annotations

import math
import re

_FACTORS = {
    "": 1,
    "B": 1,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
    "kB": 1000,
    "MB": 10**6,
    "GB": 10**9,
    "ns": 1e-9,
    "us": 1e-6,
    "µs": 1e-6,
    "ms": 1e-3,
    "s": 1.0,
    "min": 60.0,
    "h": 3600.0,
    "%": 0.01,
}
_QUANTITY = re.compile(r"\s*([-+]?[0-9]+(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*([A-Za-zµ%]*)\s*")


class UnitError(ValueError):
    """A quantity that cannot be read; the message says what was expected."""


def quantity(text: str) -> float:
    """A number with a unit, in base units: seconds, bytes or a share. Raises UnitError."""
    match = _QUANTITY.fullmatch(text)
    if not match or match.group(2) not in _FACTORS:
        raise UnitError(
            f'"{text}" is not a quantity; expected a number with one of:'
            f" {', '.join(filter(None, _FACTORS))}"
        )
    number = float(match.group(1)) * _FACTORS[match.group(2)]
    if not math.isfinite(number):
        raise UnitError(f'"{text}" is beyond all bounds; expected a finite number')
    return int(number) if number == int(number) and "." not in match.group(1) else number
