"""What a finding loses, so that sums over findings and jobs never count a second twice."""

from __future__ import annotations

from typing import Dict, List, NamedTuple

from advisor.model.causes import Causes
from advisor.model.finding import Advice, Finding

CAUSES, LARGEST, SHARED = "causes", "largest", "shared"


class Owned(NamedTuple):
    """Seconds of the elapsed time, mean over ranks, with the ends of their interval."""

    seconds: float
    low: float
    high: float
    basis: str


_NOTHING = Owned(0.0, 0.0, 0.0, SHARED)


def owned(advice: Advice) -> List[Owned]:
    """Of each finding of one job, in their order.

    Where the elapsed time was divided into causes, a finding has the causes that no earlier finding
    has (advice/judging/ownership.py): these are disjoint. Where it was not, nobody can say what two
    findings share: the one with the largest upper bound of its saving stands for all.
    """
    known = advice.measures.causes
    if known is not None:
        return [_of_causes(each, known) for each in advice.findings]
    return _of_largest(advice.findings)


def _of_causes(finding: Finding, known: Causes) -> Owned:
    """The upper end is that of the causes; errors of sampled waits are as large downwards."""
    rows = list(finding.causes)
    if not rows:
        return _NOTHING
    seconds = float(known.seconds[rows].mean(axis=1).sum())
    high = max(seconds, float(known.most[rows].mean(axis=1).sum()))
    return Owned(seconds, max(0.0, 2 * seconds - high), min(high, known.elapsed), CAUSES)


def _of_largest(findings: "tuple[Finding, ...]") -> List[Owned]:
    """The saving itself is all that is known: at least its lower end, at most its upper bound."""
    bounds: Dict[int, float] = {
        place: each.saving.ceiling for place, each in enumerate(findings) if each.saving
    }
    largest = max(bounds, key=lambda place: bounds[place], default=None)
    result = [_NOTHING] * len(findings)
    if largest is not None:
        saving = findings[largest].saving
        assert saving is not None
        middle = (saving.low + saving.high) / 2
        result[largest] = Owned(middle, saving.low, max(saving.ceiling, saving.high), LARGEST)
    return result
