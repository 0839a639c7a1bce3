"""What a finding is about, in seconds of the rows of the first screen."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, Iterable, Optional

from advisor.base.numbers import seconds
from advisor.model.finding import Finding
from advisor.model.message import joined, message
from advisor.reports.composing.whole_run import ROLES, role_of
from advisor.reports.document import Item
from advisor.reports.lookup import Lookup

SEEN = 0.1
"""Of the amount: what is less of it is not named."""


def rows_of(run: Lookup, causes: Iterable[int]) -> Dict[str, float]:
    """Seconds by row of the first screen, means over ranks, of these rows of the table cause."""
    known, found = run.measures.causes, {}  # type: ignore[var-annotated]
    if known is None:
        return found
    for row in causes:
        role = role_of(known.parts[row])
        found[role] = found.get(role, 0.0) + float(known.means[row])
    return found


def stake_of(run: Lookup, finding: Finding, entry: Item) -> Optional[float]:
    """Seconds that it is about: what it may save at most, or what it explains; None: not known."""
    rows = rows_of(run, finding.causes)
    own = sum(rows.values()) if rows else None
    if entry.gain is None:
        return own
    return entry.gain.high if own is None else max(own, entry.gain.high)


def ceiling_of(run: Lookup, finding: Finding) -> Optional[float]:
    """Seconds that a cure of what it explains may save, with what goes along with it; None: not
    more than that, or not known."""
    known = run.measures.causes
    if known is None or not finding.causes:
        return None
    most = known.returned(finding.causes, finding.work_stays)
    return most if most > sum(rows_of(run, finding.causes).values()) else None


def bounded(run: Lookup, finding: Finding, entry: Item) -> Item:
    """With what it may save at most, which the first screen says too, where no number is known."""
    most = ceiling_of(run, finding) if entry.gain is None and entry.no_gain else None
    if most is None:
        return entry
    text = message("at most {amount}: {reason}", amount=seconds(most), reason=entry.no_gain)
    return replace(entry, no_gain=text)


def some_of(amount: float) -> str:
    """Nobody knows how much of it comes back."""
    return message("some of {time}", time=seconds(amount))


def from_rows(rows: Dict[str, float]) -> str:
    """Which rows an amount is the sum of; empty where it is of one."""
    amount = sum(rows.values())
    large = [role for role in ROLES if rows.get(role, 0.0) >= SEEN * amount > 0]
    if len(large) < 2:
        return ""
    names = [ROLES[role] for role in large]
    if len(names) == 2:
        return message("{first} and {second}", first=names[0], second=names[1])
    return joined(", ", names)
