"""Wait time inside MPI (METRICS 3.1, 3.3 and 3.4): from samples, or bounded by durations."""

from __future__ import annotations

from typing import Tuple

import numpy as np

from advisor.analysis.derived.delays import NOISE
from advisor.analysis.derived.sampled_waits import DEVIATIONS
from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.analysis.engine.operation_groups import LOCAL, group_of
from advisor.analysis.metrics.operations import SAMPLED
from advisor.model.measures import Quality

MESSAGES, COLLECTIVE = ("p2p", "completion", "probe"), ("collective", "sync")
NOTE = "lower bound from durations of collective calls; upper bound: all of the MPI time"
MEASURED = "as another tool measured it"
NOBODY = "nobody was waited for, or waiting was not measured"


@metric("run.wait_time", unit="s")
def wait_time(view, run):
    """Waiting inside MPI for other ranks, averaged over ranks: METRICS 3.1. From sampled calls,
    with a 95 % interval, to which calls that were not sampled add their whole time at the upper
    end; where there are none, at least this. With a core all the time ranks that came late for
    lack of one would not have been waited for, and who came late itself might have waited: both
    ends allow for that. What durations prove is added."""
    reported = view.profile.totals.wait_time
    if reported is not None:
        return Value(reported, low=reported, high=run.mpi_time, note=MEASURED)
    proven = float(view.proven_waits.mean(axis=1).sum())
    if view.has_sampled:
        value, low, high = _sampled(view, run.mpi_time)
        less, more = _by_delays(view)
        value, low = (min(part + proven, run.mpi_time) for part in (value, low))
        high = max(high, value)
        return Value(
            value, low=max(0.0, low - less), high=min(high + more, run.mpi_time), note=SAMPLED
        )
    value = min(float(view.waits.per_rank.mean()) + proven, run.mpi_time)
    return Value(value, low=value, high=run.mpi_time, note=NOTE)


def _sampled(view, mpi_time: float) -> Tuple[float, float, float]:
    found = view.sampled
    wait, error, covered = (
        float(values.sum()) / view.count for values in (found.wait, found.error, found.time)
    )
    wait = min(wait, mpi_time)
    return (
        wait,
        max(0.0, wait - DEVIATIONS * error),
        min(mpi_time, wait + DEVIATIONS * error + max(0.0, mpi_time - covered - _local(view))),
    )


def _local(view) -> float:
    """Mean seconds in calls in which no other rank takes part."""
    local = [bool(LOCAL.fullmatch(name)) for name in view.by_operation.names]
    times = view.by_operation.sum_rows(view.column("calls", "time"))
    return float(times[local].sum()) / view.count


@metric("run.wait_measured", unit="yes/no")
def wait_measured(view):
    """Whether calls were sampled, so that waiting was told from transfer by times and not only
    bounded."""
    return bool(view.has_sampled)


@metric("run.wait_share", unit="share")
def wait_share(view, run):
    """run.wait_time as share of run.time."""
    made = wait_time(view, run)
    return Value(
        made.values / run.time, low=made.low / run.time, high=made.high / run.time, note=made.note
    )


@metric("run.progress_wait_share", unit="share", quality=Quality.ESTIMATED)
def progress_wait_share(view, run):
    """Waiting in one-sided calls, and in what completes them, for targets that do not call MPI, as
    far as durations prove it, averaged over ranks, as share of run.time: METRICS 3.4."""
    value = float(view.progress_waits.mean(axis=1).sum()) / run.time
    return Value(value, low=value, note="lower bound")


@metric("run.wait_after_messages_share", unit="share", quality=Quality.ESTIMATED)
def wait_after_messages_share(view, run):
    """Waiting in collective calls that waiting for messages explains, mean over ranks, as share of
    run.time: who waited for a message comes late to the next call of all. For each rank the
    difference in computing and waiting for messages to the rank with the most of both, less its
    difference in computing alone; at most what it waits in collective calls."""
    if not view.has_sampled:
        raise Unknown("which calls waited was not measured")
    if not np.isfinite(view.useful).all():
        raise Unknown("some ranks did not say when they started or ended")
    messages, calls = (_waits_by_rank(view, groups) for groups in (MESSAGES, COLLECTIVE))
    late = view.useful + messages
    by_both = late.max() - late
    by_computing = view.useful.max() - view.useful
    explained = np.minimum(np.maximum(by_both - by_computing, 0), calls)
    return float(explained.mean()) / run.time


def _waits_by_rank(view, groups) -> np.ndarray:
    """Seconds that each rank waited in operations of these groups, float64 [P]."""
    names = view.column("waits", "operation")
    chosen = np.array([group_of(name) in groups for name in names], bool)
    return np.bincount(
        view.position("waits")[chosen],
        weights=view.sampled.wait[chosen],
        minlength=view.count,
    )


@metric("run.wrong_order_share", unit="share")
def wrong_order_share(view, run):
    """Of run.wait_share, waiting in receives while a message that had been sent before the awaited
    one was received later: METRICS 3.3. Traces only."""
    return float(view.column("waits", "wrong_order").sum()) / view.count / run.time


@metric("run.overlappable_share", unit="share", quality=Quality.ESTIMATED)
def overlappable_share(view, run):
    """Time in completing calls that could have been hidden behind computing if something had moved
    the data meanwhile, at most: for each call the lesser of its moving part and of the time
    between the last post of either side and the call. Averaged over ranks, as share of run.time:
    METRICS 10."""
    duration, overlappable, time = (
        view.column("waits", name).astype(np.float64)
        for name in ("duration", "overlappable", "time")
    )
    value = (
        float((time * np.minimum(overlappable / np.where(duration > 0, duration, 1.0), 1.0)).sum())
        / view.count
        / run.time
    )
    return Value(
        value, low=0.0, high=value, note="upper bound; the error of sampling is not computed"
    )


@metric("run.transfer_time", unit="s")
def transfer_time(view, run):
    """Time inside sampled kinds of calls that was neither waiting nor without a core, averaged over
    ranks: transfer, and the library's own work. How much of the time without a core fell into
    waiting is not known, and a transfer lasts while the rank on its other side has no core: both
    widen the interval."""
    found = view.sampled
    rest = float((found.time - found.wait).sum()) / view.count - _progress_in_sampled(view)
    rest = min(max(rest, 0.0), run.mpi_time)
    error = DEVIATIONS * float(found.error.sum()) / view.count
    lost, least, most = _lost_in(
        view, max(0.0, run.mpi_time - float(found.time.sum()) / view.count)
    )
    return Value(
        max(rest - lost, 0.0),
        low=max(0.0, rest - most - _with_delayed(view) - error),
        high=min(max(rest - least, 0.0) + error, run.mpi_time),
        note=SAMPLED,
    )


def _progress_in_sampled(view) -> float:
    """Mean seconds that sampled kinds of calls waited for targets that do not call MPI."""
    if not view.progress_waits.any():
        return 0.0
    wait, time = view.by_operation.sampled
    return float(np.minimum(view.progress_waits, np.maximum(time - wait, 0)).sum()) / view.count


def _lost_in(view, elsewhere: float) -> Tuple[float, float, float]:
    """Mean seconds without a core inside MPI, beyond waiting: estimate, least, most. `elsewhere`:
    MPI time of calls that were not sampled, where some of it may be."""
    try:
        found, reported = view.lost_inside, view.no_core.reported
    except Unknown:
        return 0.0, 0.0, 0.0
    # Where the kernel does not tell, all of it may have been sleep while others computed.
    value, least, most = (
        float(np.where(known, values, 0.0).sum()) / view.count
        for values, known in ((found.value, reported), (found.low, reported), (found.high, True))
    )
    return value, max(0.0, least - elsewhere), most


def _with_delayed(view) -> float:
    """Most mean seconds that transfers took since the rank on the other side had no core."""
    try:
        return view.transfer_with_delayed
    except Unknown:
        return 0.0


def _by_delays(view) -> Tuple[float, float]:
    """Most seconds by which waiting would be less, and more, if all ranks had always had a core."""
    try:
        lost = np.where(view.no_core.reported, view.no_core.outside + view.lost_inside.high, 0.0)
        return view.waits_for_delayed[1], float(
            np.maximum(lost - NOISE * np.nan_to_num(view.window), 0).mean()
        )
    except Unknown:
        return 0.0, 0.0


@metric("run.transfer_share", unit="share")
def transfer_share(view, run):
    """run.transfer_time as share of run.time."""
    made = transfer_time(view, run)
    return Value(
        made.values / run.time, low=made.low / run.time, high=made.high / run.time, note=made.note
    )


@metric("run.wait_sampled_share", unit="share")
def wait_sampled_share(view, run):
    """MPI time in kinds of calls that were sampled, as share of run.mpi_time: how much of it is
    split into waiting and moving."""
    return ratio(float(view.sampled.time.sum()) / view.count, run.mpi_time)


@metric("run.wait_unresolved_share", unit="share")
def wait_unresolved_share(view, run):
    """Waits between hosts below twice the error of the clocks, as share of run.time: METRICS 1,
    wait.unresolved. Not counted as waiting."""
    return float(view.sampled.unresolved.sum()) / view.count / run.time


@metric("rank.wait_time", unit="s")
def rank_wait(view):
    """Its waiting inside MPI for other ranks: METRICS 3.3, W_i; at least this where calls were not
    sampled."""
    return view.waiting


@metric("rank.wait_share", unit="share")
def rank_wait_share(rank, run):
    """rank.wait_time as share of run.time."""
    return rank.wait_time / run.time


@metric("rank.transfer_share", unit="share")
def rank_transfer_share(rank):
    """rank.mpi_share - rank.wait_share: its time in MPI that is not known to be waiting, which is
    transfer and the library's own work."""
    return rank.mpi_share - rank.wait_share


@metric("rank.transfer_excess", unit="share")
def rank_transfer_excess(view, rank):
    """rank.transfer_share less that of the longest rank of the host where this is shortest: a path
    that is as slow on all hosts makes none."""
    longest = np.zeros(len(view.profile.nodes))
    np.maximum.at(longest, view.node_of, rank.transfer_share)
    return rank.transfer_share - longest.min()


def _of_delays(view, name: str) -> np.ndarray:
    """A column of `delays` by rank, float64 [P]."""
    view.grade_waits()
    return view.per_rank("delays", name, np.ones(len(view.column("delays", "rank")), bool))


@metric("rank.delay_cost", unit="s")
def delay_cost(view):
    """Time that all other ranks together waited for it, being the last to come: METRICS 3.3,
    wait.delaying_rank. Summed over those who waited."""
    return _of_delays(view, "delay_cost")


@metric("rank.delay_cost_share", unit="share")
def delay_cost_share(rank):
    """rank.delay_cost as share of that of all ranks."""
    return Value(ratio(rank.delay_cost, float(np.sum(rank.delay_cost))), reason=NOBODY)


@metric("rank.last_share", unit="share")
def last_share(view):
    """Of the instances in which others may wait for it, the share in which it came last: METRICS
    3.3, persistence of the delaying rank."""
    return Value(ratio(_of_delays(view, "last"), _of_delays(view, "instances")), reason=NOBODY)


@metric("node.delay_cost_share", unit="share")
def node_delay_cost_share(view, rank):
    """Sum of rank.delay_cost_share over its ranks: how much of all waiting was for this host."""
    return np.bincount(
        view.node_of,
        weights=np.nan_to_num(rank.delay_cost_share),
        minlength=len(view.profile.nodes),
    )


@metric("node.last_share", unit="share")
def node_last_share(view):
    """Instances in which one of its ranks came last, as share of those of all hosts."""
    last = np.bincount(
        view.node_of, weights=_of_delays(view, "last"), minlength=len(view.profile.nodes)
    )
    return Value(ratio(last, float(last.sum())), reason=NOBODY)


@metric("run.delaying_rank", unit="count")
def delaying_rank(rank):
    """The rank that others waited for longest."""
    if not float(np.sum(rank.delay_cost)) > 0:
        raise Unknown(NOBODY)
    return float(rank.id[int(np.argmax(rank.delay_cost))])


@metric("run.delaying_rank_share", unit="share")
def delaying_rank_share(rank):
    """rank.delay_cost_share of the rank that others waited for longest."""
    return float(np.nanmax(rank.delay_cost_share))
