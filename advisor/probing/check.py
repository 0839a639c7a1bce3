"""One line of `advisor doctor`: the subject, the result, and how to get what is missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Check:
    """`good`: True it is there and works, False it is missing or does not work, None it cannot be
    told."""

    subject: str
    good: Optional[bool]
    found: str
    get: str = ""
    """What to do to get it, or to get more; empty if nothing helps."""
    needed: bool = False
    """Whether nothing can be measured without it."""
