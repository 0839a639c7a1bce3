"""Scalasca's wait states as measured waits (its pattern descriptions, version 2.6: which calls each
state can be in)."""

from __future__ import annotations

import re
from typing import Dict, List, Mapping, NamedTuple, Optional

import numpy as np

from advisor.intake.foreign.base.operation_names import MIXED, UNSIZED, carries, operation_of
from advisor.intake.foreign.base.profile_builder import Row
from advisor.intake.foreign.cube.tree import Metric
from advisor.intake.foreign.cube.values import Archive


class State(NamedTuple):
    """`kind`: its class in METRICS 3.3. `operations`: where an analysis that knows it has looked
    for it."""

    kind: str
    operations: str


_SYNCHRONISED = r"Win_(create|allocate|free|fence|start|post|complete|wait|lock|unlock)"
_RMA = State("RMA", _SYNCHRONISED + r"|R?(put|get|accumulate)")
_ONE_SIDED = """wait_at_create wait_at_free wait_at_fence early_fence early_wait late_complete sync_late_post sync_lock_competition sync_wait_for_progress
    comm_late_post comm_lock_competition comm_wait_for_progress""".split()
STATES: Mapping[str, State] = {
    "mpi_barrier_wait": State("N-to-N", r"Barrier"),
    "mpi_wait_nxn": State("N-to-N", r"Allreduce|Allgatherv?|Alltoall[vw]?|Reduce_scatter(_block)?"),
    "mpi_latebroadcast": State("1-to-N", r"Bcast|Scatterv?"),
    "mpi_earlyreduce": State("N-to-1", r"Reduce|Gatherv?"),
    "mpi_earlyscan": State("prefix", r"Scan|Exscan"),
    "mpi_latesender": State(
        "late sender", r"M?recv|M?probe|Sendrecv(_replace)?|Wait(all|any|some)?"
    ),
    "mpi_latereceiver": State(
        "late receiver", r"[sr]?send|Sendrecv(_replace)?|Wait(all|any|some)?"
    ),
    **{f"mpi_rma_{name}": _RMA for name in _ONE_SIDED},
}
"""Metrics of wait states; one below another is a part of it. Completion of collective calls is
transfer, not waiting."""
DELAYS = tuple(
    f"delay_{name}" for name in ("latesender", "latereceiver", "barrier", "n2n", "12n", "n21")
)
"""What others waited directly because of what a rank did before; waits that this caused in turn are
in delay_*_longterm."""


def states(archive: Archive) -> Dict[str, np.ndarray]:
    """Seconds in each wait state, [call paths, locations]; a part of another state is left out.
    Empty without an analysis of a trace."""
    own = {metric.name: metric for metric in archive.about.metrics}
    whole = [
        metric.name
        for metric in archive.about.metrics
        if metric.name in STATES and metric.unit == "sec" and not _within(metric.parent, own)
    ]
    found = {name: archive.values(name) for name in whole}
    return {name: values for name, values in found.items() if values is not None}


def _within(parent: str, own: Mapping[str, Metric]) -> bool:
    while parent:
        if parent in STATES:
            return True
        parent = own[parent].parent
    return False


def waits(archive: Archive, time: np.ndarray, visits: Optional[np.ndarray]) -> List[Row]:
    """Rows of `waits`: all calls of a kind that the analysis looked at. Nothing is estimated, so
    all of them are sampled and no square adds to an error."""
    found = states(archive)
    if not found or visits is None:
        return []
    waited = np.sum([*found.values()], axis=0)
    rows: List[Row] = []
    for index, path in enumerate(archive.about.paths):
        operation = operation_of(path.region.name) if path.region.mpi else None
        if operation is None or not (waited[index].any() or _looked_at(operation, found)):
            continue
        rows += [
            _row(
                location.rank,
                operation,
                visits[index, place],
                time[index, place],
                waited[index, place],
            )
            for place, location in enumerate(archive.about.locations)
            if visits[index, place]
        ]
    return rows


def _looked_at(operation: str, found: Mapping[str, np.ndarray]) -> bool:
    return any(re.fullmatch(STATES[name].operations, operation, re.IGNORECASE) for name in found)


def _row(rank: int, operation: str, calls: float, time: float, waited: float) -> Row:
    key = {
        "rank": rank,
        "communicator": 0,
        "operation": operation,
        "class": "",
        "bin": MIXED if carries(operation) else UNSIZED,
    }
    exact = dict.fromkeys(("unresolved", "wait_wait", "wait_duration", "duration_duration"), 0.0)
    # States overlap where a call both sends and receives, and times were corrected: no call waits
    # longer than it lasts.
    return {
        **key,
        "calls": int(calls),
        "sampled": int(calls),
        "time": float(time),
        "duration": float(time),
        "wait": float(min(max(waited, 0.0), time)),
        **exact,
    }


def delays(archive: Archive) -> List[Row]:
    """Rows of `delays`: what all others waited for each rank. The archive does not count
    instances."""
    costs = [values for values in map(archive.values, DELAYS) if values is not None]
    if not costs:
        return []
    sums = sum(values.sum(axis=0) for values in costs)
    return [
        {"rank": location.rank, "class": "", "delay_cost": float(max(0.0, sums[place]))}
        for place, location in enumerate(archive.about.locations)
    ]
