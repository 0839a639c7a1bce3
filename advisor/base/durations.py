"""How long something takes, as it is said while one waits: "40 s", "12 min"."""

from __future__ import annotations

from typing import Optional


def duration(seconds: Optional[float]) -> str:
    """ "40 s", "12 min", "3.5 h", "31 days"."""
    if seconds is None:
        return "?"
    if seconds < 100:
        return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
    if seconds < 5400:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 100 * 3600 else f"{seconds / 86400:.0f} days"
