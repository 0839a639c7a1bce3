"""Jobs with their findings, one after the other: a store may have more than memory holds."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple

from advisor.fleet.handing_over.request import Request
from advisor.fleet.query import asked_in_turn

Row = Mapping[str, Any]
_AT_ONCE = 10_000


@dataclass(frozen=True)
class Step:
    """A profile: its row of `jobs`, and those of `findings`."""

    row: Row
    findings: List[Row]


@dataclass(frozen=True)
class Job:
    """All that is known of one job of Slurm's."""

    cluster: str
    number: str
    steps: List[Step]

    def total(self, column: str) -> float:
        """A column that may be added up over steps: node hours, or those that are lost."""
        return sum(step.row[column] or 0.0 for step in self.steps)

    @property
    def largest(self) -> Row:
        """The step with the most node hours: what the job is known by."""
        return max((step.row for step in self.steps), key=lambda row: row["node_hours"] or 0.0)

    def causes(self) -> List[Tuple[str, float]]:
        """Rule and node hours that it loses, first what is recoverable; those that lose nothing are
        left out."""
        lost: Dict[str, float] = {}
        recoverable: Dict[str, float] = {}
        for row in (row for step in self.steps for row in step.findings):
            rule = row["rule"]
            lost[rule] = lost.get(rule, 0.0) + (row["lost"] or 0.0)
            recoverable[rule] = recoverable.get(rule, 0.0) + (row["recoverable"] or 0.0)
        order = sorted(lost, key=lambda rule: (-recoverable[rule], -lost[rule], rule))
        return [(rule, lost[rule]) for rule in order if lost[rule] > 0]


def steps(request: Request) -> Iterator[Step]:
    """All profiles of these days, by cluster, job and step."""
    jobs = asked_in_turn(request.connection, "jobs_to_hand_over", _AT_ONCE, **request.days)
    findings = groupby(
        asked_in_turn(request.connection, "findings_to_hand_over", _AT_ONCE, **request.days), _key
    )
    ahead = next(findings, None)
    for row in jobs:
        own: Optional[List[Row]] = None
        while ahead is not None and ahead[0] <= _key(row):
            own = list(ahead[1]) if ahead[0] == _key(row) else None
            ahead = next(findings, None)
        yield Step(row, own or [])


def jobs(request: Request) -> Iterator[Job]:
    """The same, with the steps of a job together."""
    for (cluster, number), own in groupby(
        steps(request), lambda step: (step.row["cluster"], step.row["job"])
    ):
        yield Job(cluster, number, list(own))


def _key(row: Row) -> Tuple[str, ...]:
    # As DuckDB orders texts: by the bytes of UTF-8, which is by code points.
    return tuple(row[name] or "" for name in ("cluster", "job", "step", "profile"))
