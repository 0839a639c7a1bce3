"""Rules that are silent for one and the same reason, put together: seventeen equal lines say no more than one."""

from __future__ import annotations

from typing import Dict, List, Sequence, Tuple

from advisor.reports.document import Quiet
from advisor.reports.format import HARD


def grouped(entries: Sequence[Quiet]) -> List[Quiet]:
    """One entry for each sentence; one that stands for several rules names them."""
    same: Dict[Tuple[str, str], List[Quiet]] = {}
    for entry in entries:
        same.setdefault((entry.sentence, entry.collect), []).append(entry)
    return [_together(each) for each in same.values()]


def _together(same: List[Quiet]) -> Quiet:
    first = same[0]
    if len(same) == 1:
        return first
    names = ", ".join(entry.short for entry in same)
    return Quiet(first.name, f"{first.sentence} ({len(same)}{HARD}rules: {names})", first.collect, first.short)
