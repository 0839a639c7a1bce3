"""One-sided communication: METRICS 11."""

from __future__ import annotations

from typing import Callable, FrozenSet, Iterable

import numpy as np

from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.analysis.engine.operation_groups import ACCUMULATES, GETS, PUTS
from advisor.analysis.engine.size_bins import is_small
from advisor.analysis.metrics import operations
from advisor.model.measures import Quality

LOCKS = frozenset(
    {
        "Win_lock",
        "Win_lock_all",
        "Win_unlock",
        "Win_unlock_all",
        "Win_flush",
        "Win_flush_all",
        "Win_flush_local",
        "Win_flush_local_all",
    }
)
LOCKED = frozenset({"Win_lock", "Win_unlock"})
"""Of LOCKS those that wait in any library. The others count where they were split: in no trace are
flushes."""
NONE_CALLED = "no one-sided data call was made"


def _named(view, names: Iterable[str]) -> np.ndarray:
    """Rows of `calls` with one of these operations, bool [rows]."""
    wanted = np.array([name in names for name in view.operations[0]] or [False])
    return wanted[view.operations[1]] if len(view.operations[1]) else np.zeros(0, bool)


def _group(view, group: str) -> np.ndarray:
    return (view.groups == group)[view.operations[1]] if len(view.groups) else np.zeros(0, bool)


def _sum(view, name: str, chosen: np.ndarray) -> float:
    view.all_listed("rma")
    values = view.payload if name == "bytes" else view.column("calls", name)
    return float(values[chosen].astype(np.float64).sum())


@metric("onesided.calls", unit="count", quality=Quality.MEASURED)
def calls(view):
    """One-sided data calls of all ranks: put, get and accumulate-like."""
    return _sum(view, "count", _group(view, "rma"))


@metric("onesided.bytes", unit="B", quality=Quality.MEASURED)
def payload(view):
    """Their payload on the side of the origin."""
    return _sum(view, "bytes", _group(view, "rma"))


@metric("onesided.time", unit="s")
def time(view):
    """Time in them and in one-sided synchronisation, averaged over all ranks."""
    return (
        _sum(view, "time", _group(view, "rma")) + _sum(view, "time", _group(view, "rma_sync"))
    ) / view.count


@metric("onesided.share", unit="share")
def share(onesided, run):
    """onesided.time as share of run.time."""
    return onesided.time / run.time


@metric("onesided.sync_share", unit="share")
def sync_share(run):
    """Time in one-sided synchronisation alone, as share of run.time."""
    return run.rma_sync_share


@metric("onesided.lock_wait_share", unit="share")
def lock_wait_share(view, operation, run):
    """Waiting in calls that lock, flush and unlock windows for ranks that held the lock of the
    target, until they began to give it back, averaged over ranks, as share of run.time: from
    samples, with a 95 % interval. Flushes, and calls on all ranks of a window, are in it where
    they were split into waiting and moving."""
    made = operations.wait_for_ranks(view, operation)
    named = np.asarray(operation.name, dtype=object)
    chosen = np.isin(named, list(LOCKED)) | (
        np.isin(named, list(LOCKS - LOCKED)) & ~np.isnan(made.values)
    )
    # Of calls that were not sampled nothing is known but their time.
    if chosen.any() and np.isnan(made.values[chosen]).all():
        raise Unknown(operations.NO_SAMPLE if view.has_sampled else operations.NO_SPLIT)
    wait, low, high = (
        np.asarray(values, dtype=np.float64)[chosen]
        for values in (made.values, made.low, made.high)
    )
    high = np.where(np.isnan(high), np.asarray(operation.time, dtype=np.float64)[chosen], high)
    wait, low, high = (float(np.nansum(values)) / run.time for values in (wait, low, high))
    return Value(wait, low, high, note=made.note)


def _count_of(names: Iterable[str]) -> Callable:
    return lambda view: _sum(view, "count", _named(view, names))


for _name, _operations, _meaning in (
    ("puts", PUTS, "Calls of MPI_Put and MPI_Rput."),
    ("gets", GETS, "Calls of MPI_Get and MPI_Rget."),
    (
        "atomics",
        ACCUMULATES,
        (
            "Calls of all operations that accumulate: MPI_Accumulate, MPI_Get_accumulate,"
            " MPI_Fetch_and_op, MPI_Compare_and_swap and request forms."
        ),
    ),
    ("fetch_and_ops", frozenset({"Fetch_and_op"}), "Calls of MPI_Fetch_and_op."),
    ("compare_and_swaps", frozenset({"Compare_and_swap"}), "Calls of MPI_Compare_and_swap."),
):
    metric(f"onesided.{_name}", unit="count", quality=Quality.MEASURED, meaning=_meaning)(
        _count_of(_operations)
    )


@metric("onesided.atomic_share", unit="share")
def atomic_share(onesided):
    """onesided.atomics as share of onesided.calls: METRICS 11, rma.atomic.share."""
    return Value(ratio(onesided.atomics, onesided.calls), reason=NONE_CALLED)


@metric("onesided.mean_size", unit="B")
def mean_size(onesided):
    """Mean payload of a one-sided data call."""
    return Value(ratio(onesided.bytes, onesided.calls), reason=NONE_CALLED)


@metric("onesided.small_share", unit="share", quality=Quality.ASSUMED)
def small_share(view):
    """Calls below 8 KiB as share of the one-sided calls that carry data: METRICS 11, rma.small with
    the assumed s0."""
    bins, ours = view.bins, _group(view, "rma")
    part = ratio(_sum(view, "count", ours & is_small(bins)), _sum(view, "count", ours & (bins > 0)))
    return Value(part, reason=NONE_CALLED)


@metric("onesided.on_host_share", unit="share")
def on_host_share(view):
    """Share of onesided.bytes whose target is on the same host."""
    ours = _group(view, "rma")
    inside, known = (
        ours & view.in_class("intra_node", "self"),
        ours & view.in_class("intra_node", "self", "other"),
    )
    return Value(ratio(_sum(view, "bytes", inside), _sum(view, "bytes", known)), reason=NONE_CALLED)


def _windows(view, kind: str) -> float:
    counts = view.column("windows", "count").astype(np.float64)
    return float(counts[view.column("windows", "kind") == kind].sum())


def _windows_of(kind: str) -> Callable:
    return lambda view: _windows(view, kind)


for _kind in ("create", "allocate", "shared", "dynamic"):
    metric(
        f"onesided.{_kind}_windows",
        unit="count",
        quality=Quality.MEASURED,
        meaning=f"Windows made with the kind {_kind}, counted on each rank.",
    )(_windows_of(_kind))


@metric("onesided.windows", unit="count", quality=Quality.MEASURED)
def windows(view):
    """Windows made, counted on each rank."""
    return float(view.column("windows", "count").astype(np.float64).sum())


@metric("onesided.create_share", unit="share")
def create_share(onesided):
    """Windows over memory of the program (MPI_Win_create) as share of all windows."""
    return Value(ratio(onesided.create_windows, onesided.windows), reason="no window was made")
