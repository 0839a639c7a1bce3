"""What a finding of a job takes, and what of it its remedy gives back, so that sums over findings
and jobs never count a second twice."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Sequence, Set

import numpy as np

from advisor.model.causes import IDLE, IMBALANCE, NO_CORE, POLLING, WAITING, Cause, Causes
from advisor.model.finding import Advice, Finding, State
from advisor.model.measures import Measures

CAUSES, LARGEST, SHARED = "causes", "largest", "shared"
_HELPLESS = (State.NO_SETTING, State.WITHHELD)
"""Nothing is offered, so nothing comes back."""
_CURED_BY = {IMBALANCE: "balance", IDLE: "balance", NO_CORE: "placement"}
"""Origin of waiting → the folder of the rules whose remedies make the late ranks earlier. Whatever
else is done, the others wait for these ranks somewhere."""
_LONGEST_QUEUE = 0.05
"""Share of elapsed without a core, of any rank: from there on others had its core."""


class Owned(NamedTuple):
    """Seconds of the elapsed time, mean over ranks, with the ends of their interval; and how many
    of them the remedy gives back."""

    seconds: float
    low: float
    high: float
    basis: str
    returned_low: float = 0.0
    returned_high: float = 0.0


_NOTHING = Owned(0.0, 0.0, 0.0, SHARED)


def owned(advice: Advice, first: Optional[Finding] = None) -> List[Owned]:
    """Of each finding of one job, in their order.

    Where the elapsed time was divided into causes, each of them belongs to one finding: to `first`,
    which the reports name first, if it explains it, else to the one that owns it
    (advice/judging/ownership.py).
    Where it was not, nobody can say what two findings share: the one with the largest upper bound
    of its saving stands for all.
    Savings of ranks that shared cores are ceilings only: work that moves to a rank which waits also
    moves to a core that somebody uses.
    """
    found = _divided(advice, first)
    if _had_own_cores(advice.measures):
        return found
    return [each._replace(returned_low=0.0) for each in found]


def _had_own_cores(measures: Measures) -> bool:
    """Whether it is known that each thread could have a core, and no rank lacked its own."""
    threads, cpus = (_column(measures, "node", name) for name in ("threads", "cpus"))
    queued = _column(measures, "rank", "no_core_share")
    return bool(np.all(threads <= cpus) and np.all(queued < _LONGEST_QUEUE))


def _column(measures: Measures, table: str, name: str) -> np.ndarray:
    """Its values; one that is unknown if there is no such column."""
    found = measures.tables.get(table)
    column = found.columns.get(name) if found else None
    return column.values if column and len(column.values) else np.array([np.nan])


def _divided(advice: Advice, first: Optional[Finding]) -> List[Owned]:
    known = advice.measures.causes
    if known is None:
        return _of_largest(advice.findings)
    taken: Set[int] = set()
    result = [_NOTHING] * len(advice.findings)
    # Stable: the others stay in their order
    for place in sorted(range(len(result)), key=lambda place: advice.findings[place] is not first):
        finding = advice.findings[place]
        explained = finding.causes if finding is not first else finding.explains
        rows = [row for row in explained if row not in taken]
        taken.update(rows)
        if rows:
            result[place] = _of_causes(finding, rows, known)
    return result


def _of_causes(finding: Finding, rows: List[int], known: Causes) -> Owned:
    """The upper end is that of the causes; errors of sampled waits are as large downwards."""
    seconds = float(known.means[rows].sum())
    high = min(max(seconds, float(known.most[rows].mean(axis=1).sum())), known.elapsed)
    found = Owned(seconds, max(0.0, 2 * seconds - high), high, CAUSES)
    if finding.state in _HELPLESS:
        return found
    if finding.saving is not None:
        most = min(max(finding.saving.high, 0.0), high)
        return found._replace(
            returned_low=min(max(finding.saving.low, 0.0), most), returned_high=most
        )
    going = [row for row in rows if not _stays(known.parts[row], finding)]
    most = (
        min(float(known.most[going].mean(axis=1).sum()), known.returned(going, finding.work_stays))
        if going
        else 0.0
    )
    return found._replace(returned_high=min(most, high))


def _stays(part: Cause, finding: Finding) -> bool:
    """Whether this time is waiting that the finding's remedy only moves: without empty polls the
    rank waits in MPI_Wait, and for a late rank it waits in the next call."""
    if part.kind == POLLING:
        return True
    cure = _CURED_BY.get(part.origin)
    return part.kind == WAITING and cure is not None and finding.folder != cure


def _of_largest(findings: Sequence[Finding]) -> List[Owned]:
    """The saving itself is all that is known: at least its lower end, at most its upper bound."""
    bounds: Dict[int, float] = {
        place: each.saving.ceiling for place, each in enumerate(findings) if each.saving
    }
    largest = max(bounds, key=lambda place: bounds[place], default=None)
    result = [_NOTHING] * len(findings)
    if largest is not None:
        saving = findings[largest].saving
        assert saving is not None
        low, high = max(saving.low, 0.0), max(saving.high, 0.0)
        most = max(saving.ceiling, high)
        result[largest] = Owned((low + high) / 2, low, most, LARGEST, low, high)
    return result
