"""Times as programs print them."""

from __future__ import annotations

import math
import re
from typing import Optional

_NUMBER = re.compile(r"[+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
_UNITS = re.compile(
    r"(?:(\d+)\s*d\s*)?(?:(\d+)\s*h\s*)?(?:(\d+)\s*m(?:in)?\s*)?(?:(\d+(?:\.\d*)?)\s*s?)?",
    re.IGNORECASE,
)
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:\.\d*)?)")


def number_of(text: str) -> Optional[float]:
    """A number above zero; None if it is none."""
    value = float(text) if _NUMBER.fullmatch(text.strip()) else 0.0
    return value if math.isfinite(value) and value > 0 else None


def seconds_of(text: str) -> Optional[float]:
    """3.21, 1e2, 3.21s, 1m 3.21s, 1h 2m, 01:02:03 in seconds; None if it is no time above zero."""
    text = text.strip()
    if _NUMBER.fullmatch(text):
        return number_of(text)
    clock, units = _CLOCK.fullmatch(text), _UNITS.fullmatch(text) if text else None
    if clock:
        value = sum(float(part or 0) * size for part, size in zip(clock.groups(), (3600, 60, 1)))
    elif units:
        value = sum(
            float(part or 0) * size for part, size in zip(units.groups(), (86400, 3600, 60, 1))
        )
    else:
        return None
    return value if math.isfinite(value) and value > 0 else None
