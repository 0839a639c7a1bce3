"""Verified: the result of interleaved runs for one change. Shares and seconds; a negative effect is
time saved."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple

VERDICTS = ("better", "same", "worse", "undecided", "breaks")
DISPROVED = ("same", "worse", "breaks")
"""Verdicts after which a remedy is not offered again."""
MIDDLES = ("mean", "median", "fast")
"""Of the pairs' log ratios, or of the fast runs of both sides."""


@dataclass(frozen=True)
class Verified:
    """One change against the command as it was."""

    name: str
    """A rule's id, "all together", or settings as they were typed."""
    rules: Tuple[str, ...]
    """The rules whose remedies it is made of; none for settings of one's own."""
    settings: Mapping[str, str]
    """Variables by name; options of the launcher begin with -."""
    verdict: str
    """One of VERDICTS."""
    pairs: int = 0
    """Pairs that the numbers are made of."""
    effect: Optional[float] = None
    """exp(mean log ratio) - 1; None if there are no numbers."""
    low: Optional[float] = None
    high: Optional[float] = None
    margin: float = 0.01
    """Effects up to this share count as none."""
    metric: str = "wall clock"
    baseline: Optional[float] = None
    """Median seconds of the command as it was."""
    variant: Optional[float] = None
    reason: str = ""
    """Why it breaks, or why it is not decided."""
    dropped: bool = False
    """True: the first pair was a warm-up, and is not counted."""
    middle: str = "mean"
    """What `effect` and its interval are of, one of MIDDLES."""
    date: str = ""
    """ISO 8601."""


@dataclass(frozen=True)
class Evidence:
    """What was verified, and where: the memory of a site."""

    verified: Verified
    library: str
    version: str = ""
    program: str = ""
    """Name of the file, without its folder."""
    ranks: Optional[int] = None
    hosts: Optional[int] = None
    processor: str = ""
    own: bool = False
    """Of the very result that is judged."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Whatever else was written down; kept, and not compared."""
