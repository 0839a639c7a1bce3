"""Time in calls that asked whether something had come, and found nothing."""

from __future__ import annotations

import numpy as np

from advisor.analysis.derived.profile_columns import KILLED
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.analysis.engine.operation_groups import NOTHING, asks
from advisor.model.measures import Quality

LOWER_BOUND = "lower bound"


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


@metric("rank.between_polls", unit="s", quality=Quality.MEASURED)
def between_polls(view):
    """Time outside MPI from a call that asked whether something had come and found nothing to the
    next call, where that asks as well. A rank that has nothing else to do waits there; one that
    works meanwhile works there: nothing tells which."""
    return Value(view.between_polls, reason=KILLED)


@metric("rank.work_time", unit="s")
def work_time(view):
    """rank.useful_time less rank.between_polls: what the rank computed if it only waited between
    its polls."""
    return Value(np.maximum(view.useful - view.between_polls, 0), reason=KILLED)


@metric("run.between_polls_share", unit="share")
def between_polls_share(rank, run):
    """Mean of rank.between_polls as share of run.time."""
    return float(np.nanmean(rank.between_polls)) / run.time


LONGEST = 0.95
"""Of the longest computing: ranks within 5 % are listed with it, as in uneven-compute."""


@metric("run.longest_between_polls_share", unit="share")
def longest_between_polls_share(rank, run):
    """The shortest rank.between_polls of the ranks that are outside MPI for longest (within 5 %),
    as share of run.time: all of them may have waited for so long. A lower bound: 0 where it is not
    known."""
    try:
        longest = rank.useful_time >= LONGEST * np.nanmax(rank.useful_time)
        share = float(np.min(rank.between_polls[longest])) / run.time
    except Unknown:
        share = 0.0
    share = share if np.isfinite(share) else 0.0
    return Value(share, low=share, note=LOWER_BOUND)


@metric("run.polled_imbalance_share", unit="share")
def polled_imbalance_share(rank, run):
    """Largest minus mean rank.work_time, as share of run.time: what perfect balance would save at
    most if ranks only waited between their polls."""
    return float(np.nanmax(rank.work_time) - np.nanmean(rank.work_time)) / run.time


MOST_RANKS, POLLS_LONG = 0.5, 0.05
"""Of the ranks; of elapsed. As in polled-late-rank: if most ranks poll and few do not, those few
are waited for."""


@metric("run.hidden_imbalance_share", unit="share")
def hidden_imbalance_share(rank, run):
    """run.polled_imbalance_share less run.imbalance_share, where half of the ranks at least spend
    5 % of elapsed between polls: load imbalance that polls hide. A lower bound: 0 where that is not
    known."""
    try:
        poll = rank.between_polls >= POLLS_LONG * run.time
        hidden = run.polled_imbalance_share - run.imbalance_share
        share = max(float(hidden), 0.0) * (np.mean(poll) >= MOST_RANKS)
    except Unknown:
        share = 0.0
    share = share if np.isfinite(share) else 0.0
    return Value(share, low=share, note=LOWER_BOUND)
