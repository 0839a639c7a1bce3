"""Time without a core: ranks that were ready to run while something else ran. Neither waiting nor
transfer nor computing."""

from __future__ import annotations

from typing import Callable

import numpy as np

from advisor.analysis.derived.profile_columns import RECORD_AGAIN
from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.model.measures import Quality
from advisor.model.message import message

UNTOLD = "the kernel of its host does not tell how long a thread was ready to run and had no core"
BOUND = "from CPU time: the run delay of the kernel was not recorded"


def _delay(name: str) -> Callable:
    return lambda view: Value(
        np.where(view.no_core.reported, getattr(view.no_core, name), np.nan), reason=UNTOLD
    )


for _name, _meaning in (
    ("inside", "Time inside MPI that the thread which began MPI was ready to run and had no core."),
    ("outside", "The same outside MPI, from the end of MPI_Init to the start of MPI_Finalize."),
):
    metric(f"rank.no_core_{_name}", unit="s", quality=Quality.MEASURED, meaning=_meaning)(
        _delay(_name)
    )
for _name, _meaning in (
    (
        "asleep_inside",
        (
            "Time inside MPI that the thread which began MPI asked for no core: asleep, as in a"
            " library that sleeps while it waits, or stopped."
        ),
    ),
    (
        "asleep_outside",
        "The same outside MPI: input and output, pauses, waiting for other threads.",
    ),
):
    metric(f"rank.{_name}", unit="s", quality=Quality.MEASURED, meaning=_meaning)(_delay(_name))


@metric("rank.no_core_time", unit="s", quality=Quality.MEASURED)
def no_core_time(rank):
    """rank.no_core_inside and rank.no_core_outside together."""
    return Value(rank.no_core_inside + rank.no_core_outside, reason=UNTOLD)


@metric("rank.no_core_lost", unit="s", quality=Quality.ESTIMATED)
def no_core_lost(view):
    """Time without a core that cost elapsed time: outside MPI, and inside beyond waiting. Who waits
    anyway loses nothing.

    At least what waiting has no room for, at most all that was not waiting. Where nobody recorded
    the kernel's run delay: MPI time beyond the CPU time of the whole process, since a rank that
    waits in MPI keeps its core busy, unless its library was told to sleep; how much of that was
    waiting is not known."""
    try:
        found, inside = view.no_core, view.lost_inside
    except Unknown:
        value = _by_processor_time(view)
        return Value(value, low=np.maximum(value - _waiting(view), 0), note=BOUND)
    if found.reported.all():
        return Value(
            found.outside + inside.value,
            low=found.outside + inside.low,
            high=found.outside + inside.high,
        )
    least, most = np.where(found.reported, found.outside, 0.0), found.outside
    rough = np.fmin(_by_processor_time(view), found.inside + found.outside)
    value = np.where(found.reported, found.outside + inside.value, rough)
    return Value(
        value,
        low=least + np.where(found.reported, inside.low, 0.0),
        high=most + inside.high,
        note="upper bound from CPU time where the kernel does not tell run delay",
    )


def _waiting(view) -> np.ndarray:
    try:
        return view.waiting
    except Unknown:
        return np.zeros(view.count)


def _by_processor_time(view) -> np.ndarray:
    return np.maximum(view.mpi_time - view.ranks("user_time") - view.ranks("system_time"), 0)


@metric("rank.no_core_share", unit="share", quality=Quality.ESTIMATED)
def no_core_share(view, run):
    """rank.no_core_lost as share of run.time."""
    return _over(no_core_lost(view), run.time)


def _over(made: Value, time: float) -> Value:
    low, high = (None if values is None else values / time for values in (made.low, made.high))
    return Value(made.values / time, low=low, high=high, note=made.note)


@metric("run.no_core_lost", unit="s", quality=Quality.ESTIMATED)
def run_no_core_lost(view):
    """Mean of rank.no_core_lost: time without a core that cost elapsed time."""
    made = no_core_lost(view)
    known = ~np.isnan(made.values)
    if not known.any():
        raise Unknown(message("no rank counted its CPU time"), RECORD_AGAIN)
    low, high = (
        None if values is None else float(values[known].mean()) for values in (made.low, made.high)
    )
    return Value(float(made.values[known].mean()), low=low, high=high, note=made.note)


@metric("run.no_core_share", unit="share", quality=Quality.ESTIMATED)
def run_no_core_share(view, run):
    """run.no_core_lost as share of run.time."""
    return _over(run_no_core_lost(view), run.time)


@metric("run.no_core_outside", unit="s")
def run_no_core_outside(rank):
    """Mean of rank.no_core_outside."""
    return float(np.mean(rank.no_core_outside))


@metric("run.no_core_inside", unit="s")
def run_no_core_inside(rank):
    """Mean of rank.no_core_inside, waiting or not."""
    return float(np.mean(rank.no_core_inside))


@metric("run.asleep_outside", unit="s")
def run_asleep_outside(rank):
    """Mean of rank.asleep_outside."""
    return float(np.mean(rank.asleep_outside))


@metric("run.asleep_inside", unit="s")
def run_asleep_inside(rank):
    """Mean of rank.asleep_inside."""
    return float(np.mean(rank.asleep_inside))


@metric("rank.idle_outside", unit="s", quality=Quality.ESTIMATED)
def idle_outside(view):
    """rank.asleep_outside, less all that other threads of the rank can have computed meanwhile:
    time outside MPI in which no thread of it ran. At least this; a GPU may have worked."""
    return Value(view.idle, reason=UNTOLD)


@metric("rank.idle_excess", unit="share", quality=Quality.ESTIMATED)
def idle_excess(view, run):
    """rank.idle_outside minus the median of all ranks, as share of run.time; 0 where it is not
    known."""
    try:
        idle = np.nan_to_num(view.idle)
    except Unknown:
        idle = np.zeros(view.count)
    return (idle - np.median(idle)) / run.time


@metric("run.imbalance_asleep", unit="share", quality=Quality.ESTIMATED)
def imbalance_asleep(view):
    """Of what the rank that is longest outside MPI is so beyond the mean: the part in which no
    thread of it ran. Such a rank is late, and does not compute. 0 where that is not known."""
    outside = view.useful
    try:
        idle = np.nan_to_num(view.idle)
    except Unknown:
        return 0.0
    first = int(np.nanargmax(outside))
    lead = float(outside[first] - np.nanmean(outside))
    slept = float(idle[first] - np.nanmean(idle))
    return min(max(slept / lead, 0.0), 1.0) if lead > 0 else 0.0


@metric("run.idle_share", unit="share", quality=Quality.ESTIMATED)
def idle_share(rank, run):
    """Mean of rank.idle_outside, as share of run.time."""
    return float(np.mean(rank.idle_outside)) / run.time


@metric("run.wait_by_no_core", unit="s", quality=Quality.ESTIMATED)
def wait_by_no_core(view):
    """Of run.wait_time, waiting for ranks that were late since they had no core: no load imbalance
    of the program. An estimate from slices of time, with the most that it can be; what ranks
    lack on quiet hosts as well, 1 % of the time, is not counted."""
    value, high = view.waits_for_delayed
    return Value(value, low=0.0, high=high, note="from slices of time")


@metric("run.wait_by_no_core_share", unit="share", quality=Quality.ESTIMATED)
def wait_by_no_core_share(view, run):
    """run.wait_by_no_core as share of run.time."""
    return _over(wait_by_no_core(view), run.time)


@metric("node.no_core_share", unit="share", quality=Quality.ESTIMATED)
def node_no_core_share(view, rank):
    """Mean of rank.no_core_share of its ranks."""
    known = ~np.isnan(rank.no_core_share)
    sums, number = (
        np.bincount(view.node_of[known], weights=values[known], minlength=len(view.profile.nodes))
        for values in (rank.no_core_share, np.ones(view.count))
    )
    return Value(ratio(sums, number), reason="no rank of this host knows")


def _of_host(fact: str) -> Callable:
    return lambda view: Value(
        view.node_numbers(fact)[view.node_of], reason="this was not recorded on its host"
    )


for _name, _fact, _unit in (
    ("tasks_at_start", "tasks_ready", "count"),
    ("tasks_at_end", "tasks_ready_end", "count"),
    ("load_at_end", "loadavg_end", "count"),
    ("steal_time", "steal_time", "s"),
    ("throttled_time", "throttled_time", "s"),
):
    metric(
        f"rank.host_{_name}",
        unit=_unit,
        quality=Quality.MEASURED,
        meaning=f"node.{_name} of its host.",
    )(_of_host(_fact))


@metric("rank.outside_time", unit="s")
def outside_time(view):
    """Its time outside MPI, with a core or without: rank.time - rank.mpi_time."""
    return Value(view.outside, reason="the rank did not say when it started or ended")


@metric("phase.no_core_share", unit="share")
def phase_no_core_share(view):
    """Time without a core of all ranks in the slice, inside MPI and outside, as share of their time
    in it."""
    return ratio(
        (view.slices.sum("no_core_inside") + view.slices.sum("no_core_outside")).sum(0),
        view.slices.time.sum(0),
    )


@metric("slice.no_core_share", unit="share")
def slice_no_core_share(view):
    """As phase.no_core_share, of this group."""
    return ratio(
        view.slices.sum("no_core_inside") + view.slices.sum("no_core_outside"), view.slices.time
    ).ravel()
