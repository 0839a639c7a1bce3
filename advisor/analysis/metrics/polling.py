"""Time in calls that asked whether something had come, and found nothing."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.metric import Unknown, metric
from advisor.analysis.engine.operation_groups import NOTHING, asks


@metric("run.polling_time", unit="s")
def polling_time(view):
    """Time in calls that asked whether something had come or was complete and were told no,
    averaged over ranks. Such a call returns at once, so by METRICS 3.3 it does not wait, and
    nothing shows that it moves data: it is neither. Unknown where calls that found something are
    not told from those that did not."""
    return float(_in_vain(view).sum()) / view.count


def _in_vain(view) -> np.ndarray:
    """Seconds of each row of `calls` that found nothing, else 0; Unknown where programs asked and
    no row says that it found nothing."""
    asking = np.array([asks(name) for name in view.operations[0]] or [False])[view.operations[1]]
    found = asking & (view.column("calls", "class") == NOTHING)
    if asking.any() and not found.any():
        raise Unknown("which calls found nothing was not recorded, or none did")
    return np.where(found, view.column("calls", "time"), 0.0)


@metric("operation.polling_time", unit="s")
def polling_of_operation(view):
    """The part of run.polling_time that is in this operation."""
    return view.by_operation.sum_rows(_in_vain(view)) / view.count


@metric("rank.polls", unit="count")
def polls(view):
    """Calls that ask whether something has come or is complete, whatever they were told. What lies
    between two of them counts as time outside MPI, and may be waiting."""
    asking = np.array([asks(name) for name in view.operations[0]] or [False])[view.operations[1]]
    counts = np.where(asking, view.column("calls", "count"), 0).astype(np.float64)
    return np.bincount(view.position("calls"), weights=counts, minlength=view.count)
