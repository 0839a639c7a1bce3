"""One row for each MPI operation: METRICS 5."""

from __future__ import annotations

import numpy as np

from advisor.analysis.derived.sampled_waits import (
    DEVIATIONS,
    by_name,
    inherited,
    operation_rows as places,
)
from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Unknown, Value, metric, rows
from advisor.analysis.engine.size_bins import bounds, is_small
from advisor.model.measures import Quality

SAMPLED = "from sampled calls of which all members are known"
NO_SAMPLE = "none of its calls was sampled, or nobody waits in them as a rule of MPI"
NO_SPLIT = "durations alone do not split this operation into waiting and transfer"
NOT_COUNTED = "the bytes of these calls were not counted"
NO_DATA = "its calls carry no data of their own, or sizes were not kept apart"


@rows("operation")
def operation_rows(view) -> int:
    """Operations that were called, the longest first."""
    return len(view.by_operation.names)


@metric("operation.name", unit="text", quality=Quality.MEASURED)
def name(view):
    """Name without MPI_: Allreduce."""
    return view.by_operation.names


@metric("operation.group", unit="text")
def group(view):
    """What it belongs to: p2p, completion, collective, sync, nonblocking_collective, rma, rma_sync,
    io, probe, management."""
    return view.by_operation.groups


@metric("operation.calls", unit="count", quality=Quality.MEASURED)
def calls(view):
    """Calls of all ranks."""
    return view.by_operation.sum_rows(view.column("calls", "count"))


@metric("operation.calls_per_rank", unit="count")
def calls_per_rank(view, operation):
    """Calls divided by all ranks, also those that made none."""
    return operation.calls / view.count


@metric("operation.callers", unit="count")
def callers(view):
    """Ranks that called it."""
    if view.summed("calls"):
        return view.spread.ranks
    return (view.by_operation.sums("count") > 0).sum(axis=1)


@metric("operation.longest_call", unit="s", quality=Quality.MEASURED)
def longest_call(view):
    """Its longest single call on any rank."""
    longest, row = np.zeros(len(view.by_operation.names)), view.by_operation.row_of
    np.maximum.at(longest, row[row >= 0], view.column("calls", "max")[row >= 0])
    return longest


@metric("operation.bytes", unit="B", quality=Quality.MEASURED)
def payload(view):
    """Payload that all ranks handed in: METRICS 6.1, bytes.call. Receiving counts nothing."""
    return Value(view.by_operation.sum_rows(view.payload), reason=NOT_COUNTED)


@metric("operation.time", unit="s")
def time(view):
    """Time inside it, averaged over all ranks."""
    return view.by_operation.sum_rows(view.column("calls", "time")) / view.count


@metric("operation.time_min", unit="s")
def time_min(view):
    """Time of the rank with the least; 0 if a rank never called it."""
    if view.summed("calls"):
        return np.where(view.spread.ranks < view.count, 0.0, view.spread.least)
    return view.by_operation.time.min(axis=1)


@metric("operation.time_max", unit="s")
def time_max(view):
    """Time of the rank with the most."""
    if view.summed("calls"):
        return view.spread.most
    return view.by_operation.time.max(axis=1)


@metric("operation.share", unit="share")
def share(operation, run):
    """operation.time as share of run.time."""
    return operation.time / run.time


@metric("operation.mpi_share", unit="share")
def mpi_share(operation, run):
    """operation.time as share of run.mpi_time."""
    return ratio(operation.time, run.mpi_time)


@metric("operation.imbalance", unit="share")
def imbalance(view, operation):
    """(largest - mean) / largest * N / (N - 1) over the times of all N ranks: METRICS 3.2,
    imb.cray. 0 even, 1 one rank alone."""
    if view.count < 2:
        raise Unknown("one rank alone has no imbalance")
    return (
        ratio(operation.time_max - operation.time, operation.time_max)
        * view.count
        / (view.count - 1)
    )


@metric("operation.wait", unit="s")
def wait(view, operation):
    """Waiting inside it, averaged over all ranks: METRICS 3.3. From sampled calls, with its 95 %
    interval; where there are none, at least this, for operations in which all members wait for
    all. What durations prove is added, at least."""
    found = wait_for_ranks(view, operation)
    return _with_proven(found, operation.time, view.proven_waits.mean(axis=1))


def wait_for_ranks(view, operation) -> Value:
    """operation.wait without what durations alone prove."""
    if view.has_sampled:
        return _from_samples(view, operation.time)
    known, sums = view.by_operation.waits
    value = np.where(known, np.minimum(sums.mean(axis=1), operation.time), np.nan)
    return Value(
        value,
        low=value,
        high=np.where(known, operation.time, np.nan),
        note="lower bound",
        reason=NO_SPLIT,
    )


def _with_proven(found: Value, time: np.ndarray, proven: np.ndarray) -> Value:
    """What durations prove is known from below, and more may be."""
    some = proven > 0

    def added(values) -> np.ndarray:
        return np.where(some, np.minimum(np.nan_to_num(values) + proven, time), values)

    return Value(
        added(found.values),
        low=added(found.low),
        high=np.where(some, time, found.high),
        note=found.note,
        reason=found.reason,
    )


def _from_samples(view, time: np.ndarray) -> Value:
    """Kinds of calls that were not sampled may have waited not at all, or all the time."""
    found = by_name(view, view.by_operation.names)
    wait, error, covered = (np.minimum(values / view.count, time) for values in found)
    some = covered > 0
    low, high = (
        np.maximum(wait - DEVIATIONS * error, 0),
        np.minimum(wait + DEVIATIONS * error + time - covered, time),
    )
    return Value(
        np.where(some, wait, np.nan),
        np.where(some, low, np.nan),
        np.where(some, high, np.nan),
        note=SAMPLED,
        reason=NO_SAMPLE,
    )


@metric("operation.wait_share", unit="share")
def wait_share(view, operation, run):
    """operation.wait as share of run.time."""
    made = wait(view, operation)
    return Value(
        made.values / run.time,
        low=made.low / run.time,
        high=made.high / run.time,
        note=made.note,
        reason=made.reason,
    )


@metric("operation.tunable", unit="s", quality=Quality.ESTIMATED)
def tunable(view):
    """Largest time of a rank inside it that is not known to be waiting: METRICS 3.5,
    ceiling.direct."""
    if view.summed("calls"):
        return _tunable_of_many(view)
    value = view.by_operation.tunable.max(axis=1)
    return Value(value, high=value, note=SAMPLED if view.has_sampled else "upper bound")


def _tunable_of_many(view) -> Value:
    """Where ranks are summed up: on average; no rank has more than its time in the operation."""
    mean = view.by_operation.sum_rows(view.column("calls", "time")) / view.count
    wait = by_name(view, view.by_operation.names).wait / view.count if view.has_sampled else 0.0
    return Value(
        np.maximum(mean - wait, 0),
        high=view.spread.most,
        note="mean over ranks; high: the largest time of a rank, waiting included",
    )


@metric("operation.tunable_share", unit="share", quality=Quality.ESTIMATED)
def tunable_share(operation, run):
    """operation.tunable as share of run.time."""
    value = np.minimum(operation.tunable / run.time, 1)
    return Value(value, high=value, note="upper bound")


@metric("operation.inherited_share", unit="share", quality=Quality.ESTIMATED)
def inherited_share(view, run):
    """Time in other operations that goes with these calls, of the rank with the most: waiting of
    calls that came straight from them for who left them late, and of one that makes
    communicators the first call on each but for waiting. As share of run.time: METRICS 3.5."""
    view.column("waits", "after")
    value = np.minimum(_in_others(view) / run.time, 1)
    return Value(value, high=value, note="upper bound")


@metric("operation.removable_share", unit="share", quality=Quality.ESTIMATED)
def removable_share(view, operation, run):
    """What a rank saves at most if the calls go: as operation.tunable_share, and with it the
    waiting that they cause, where that is known: METRICS 3.5."""
    if view.summed("calls"):
        value = operation.tunable + (_in_others(view) if view.has("waits", "after") else 0.0)
    else:
        value = view.by_operation.removable.max(axis=1)
    value = np.minimum(value / run.time, 1)
    return Value(value, high=value, note="upper bound")


def _in_others(view) -> np.ndarray:
    """Seconds in other operations, by the operation that they came straight from: of the rank with
    the most, on average where ranks are summed up."""
    if not view.summed("waits"):
        return view.by_operation.inherited.max(axis=1)
    row = places(view, view.by_operation.names, "after")
    return (
        np.bincount(
            row[row >= 0], weights=inherited(view)[row >= 0], minlength=len(view.by_operation.names)
        )
        / view.count
    )


@metric("operation.median_size", unit="B", quality=Quality.ESTIMATED)
def median_size(view):
    """Mean size in the size bin that the middle one of its data-carrying calls falls in; bounds:
    those of the bin."""
    table = _sizes(view)
    half = np.cumsum(table.calls, axis=1) >= table.calls.sum(axis=1, keepdims=True) / 2
    return _of_bin(table, np.argmax(half, axis=1))


@metric("operation.longest_size", unit="B", quality=Quality.ESTIMATED)
def longest_size(view):
    """Mean size in the size bin of its data-carrying calls that takes the longest time; bounds:
    those of the bin."""
    table = _sizes(view)
    return _of_bin(table, np.argmax(np.nan_to_num(table.time), axis=1))


@metric("operation.largest_size", unit="B", quality=Quality.ESTIMATED)
def largest_size(view):
    """Mean size in its largest size bin; bounds: that mean, and the upper end of the bin."""
    table = _sizes(view)
    last = table.calls.shape[1] - 1 - np.argmax((table.calls > 0)[:, ::-1], axis=1)
    value = _of_bin(table, last)
    return Value(
        value.values,
        low=value.values,
        high=value.high,
        note="from the largest size bin",
        reason=NO_DATA,
    )


@metric("operation.small_share", unit="share", quality=Quality.ASSUMED)
def small_share(view):
    """Calls below 8 KiB as share of its data-carrying calls: METRICS 6.3 with the assumed s0."""
    table = view.by_operation.sizes
    small = is_small(table.bins)
    return Value(ratio(table.calls[:, small].sum(axis=1), table.calls.sum(axis=1)), reason=NO_DATA)


@metric("operation.host_share", unit="share")
def host_share(view, operation):
    """Share of its time in communicators, or to peers, that lie on one host."""
    inside = view.in_class("intra_node", "self")
    # A row of unknown class makes the share of its operation unknown.
    times = np.where(view.in_class(""), np.nan, np.where(inside, view.column("calls", "time"), 0.0))
    shares = ratio(view.by_operation.sum_rows(times) / view.count, operation.time)
    return Value(
        shares, reason="no time passed in it, or its peers and communicators were not recorded"
    )


@metric("operation.communicators", unit="count")
def communicators(view):
    """Communicators that it was called on; unknown for operations that have none or were not told
    apart."""
    names, codes = view.member_operations
    pairs = set(zip(codes.tolist(), view.waits.communicator_of.tolist()))
    count = {name: sum(code == i for code, _ in pairs) for i, name in enumerate(names)}
    values = [count.get(name, np.nan) for name in view.by_operation.names]
    return Value(values, reason="it is not counted by communicator")


def _sizes(view):
    table = view.by_operation.sizes
    if not len(table.bins):
        view.bins
        raise Unknown("no call carried any data")
    return table


def _of_bin(table, place: np.ndarray) -> Value:
    each = np.arange(len(place))
    low, high = bounds(table.bins[place])
    value = ratio(table.bytes[each, place], table.calls[each, place])
    empty = np.isnan(value)
    return Value(
        value,
        low=np.where(empty, np.nan, low),
        high=np.where(empty, np.nan, high),
        note="from size bins",
        reason=NO_DATA,
    )
