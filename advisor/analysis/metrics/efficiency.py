"""The POP hierarchy as far as it needs no waiting times, and both ceilings: METRICS 4 and 3.5."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.analysis.metrics.operations import SAMPLED
from advisor.model.measures import Quality
from advisor.model.message import message


@metric("run.parallel_efficiency", unit="share")
def parallel_efficiency(view, run):
    """Mean useful time over run.time. METRICS 4, pop.pe = load_balance * core_efficiency *
    communication_efficiency."""
    return float(np.nanmean(view.useful)) / run.time


@metric("run.load_balance", unit="share")
def load_balance(view):
    """Mean over largest useful time. METRICS 4, pop.lb = load_balance_in * load_balance_out."""
    return ratio(float(np.nanmean(view.useful)), float(np.nanmax(view.useful)))


@metric("run.load_balance_in", unit="share")
def load_balance_in(view):
    """Load balance inside hosts: the busiest host's mean useful time over the largest of a rank.
    METRICS 4, weighted by ranks."""
    return ratio(_busiest_host(view), float(np.nanmax(view.useful)))


@metric("run.load_balance_out", unit="share")
def load_balance_out(view):
    """Load balance between hosts: mean useful time over the busiest host's mean. METRICS 4,
    weighted by ranks."""
    return ratio(float(np.nanmean(view.useful)), _busiest_host(view))


@metric("run.core_efficiency", unit="share")
def core_efficiency(view):
    """Largest useful time over the largest time outside MPI: what ranks had no core for while they
    computed. 1 where nobody knows. METRICS 4, ours."""
    return ratio(float(np.nanmax(view.useful)), float(np.nanmax(view.outside)))


@metric("run.communication_efficiency", unit="share")
def communication_efficiency(view, run):
    """Largest time outside MPI over run.time. METRICS 4, pop.comme."""
    return float(np.nanmax(view.outside)) / run.time


@metric("run.imbalance_share", unit="share")
def imbalance_share(view, run):
    """Largest minus mean useful time, as share of run.time: what perfect balance of compute would
    save at most."""
    return float(np.nanmax(view.useful) - np.nanmean(view.useful)) / run.time


@metric("run.useful_spread_share", unit="share")
def useful_spread_share(view, run):
    """Largest minus smallest useful time of a rank, as share of run.time: what a slow host or core
    saves at most if it is put right. Its ranks then need as long as the others."""
    return float(np.nanmax(view.useful) - np.nanmin(view.useful)) / run.time


@metric("run.rank0_extra_share", unit="share")
def rank0_extra_share(view, run):
    """Useful time of rank 0 minus the mean of all others, as share of run.time. Negative if rank 0
    has less to do."""
    first = view.column("ranks", "rank") == 0
    others = view.useful[~first]
    if not first.any() or np.isnan(others).all():
        raise Unknown(message("rank 0 and at least one other rank must have reported"))
    return float(view.useful[first][0] - np.nanmean(others)) / run.time


@metric("run.ceiling_hard", unit="s")
def ceiling_hard(view, run):
    """run.time minus the largest time outside MPI: no setting that leaves computation alone can
    save more. METRICS 3.5. Unknown with more threads than cores: then useful time holds waiting
    for a core, which a setting can shorten."""
    if _threads_queue(run):
        raise Unknown(
            message("threads take turns on cores, so time outside MPI is not all their own work"),
            message("a run with a core for each thread"),
        )
    return max(0.0, run.time - float(np.nanmax(view.outside)))


@metric("run.ceiling_share", unit="share")
def ceiling_share(run):
    """run.ceiling_hard as share of run.time."""
    return run.ceiling_hard / run.time


@metric("run.ceiling_direct", unit="s", quality=Quality.ESTIMATED)
def ceiling_direct(view, run):
    """Largest time of a rank in MPI that is not known to be waiting, or without a core, at most
    run.ceiling_hard: METRICS 3.5, over all calls."""
    value = min(
        float(np.nanmax(np.maximum(view.mpi_time - _waiting(view) - _lost(view), 0))),
        run.ceiling_hard,
    )
    note = SAMPLED if view.has_sampled else "upper bound: only a part of the waiting is known"
    return Value(value, high=value, note=note)


@metric("run.serialisation_efficiency", unit="share", quality=Quality.ESTIMATED)
def serialisation_efficiency(view, run):
    """Largest time outside MPI over the time that a network without cost would take, T_ideal:
    METRICS 4, pop.sere. T_ideal ~ the largest time outside MPI plus waiting of a rank: transfer
    is taken away, waiting is kept."""
    return ratio(float(np.nanmax(view.outside)), _ideal(view, run.time))


@metric("run.transfer_efficiency", unit="share", quality=Quality.ESTIMATED)
def transfer_efficiency(view, run):
    """T_ideal over run.time: METRICS 4, pop.te. Times run.serialisation_efficiency it is
    run.communication_efficiency."""
    return _ideal(view, run.time) / run.time


def _ideal(view, elapsed: float) -> float:
    if not view.has_sampled:
        raise Unknown(
            message("waiting was not measured, so transfer cannot be told from it"),
            message("a run under this version of advisor"),
        )
    return min(float(np.nanmax(view.outside + view.waiting)), elapsed)


def _threads_queue(run) -> bool:
    try:
        return run.oversubscription > 1
    except Unknown:
        return False


def _waiting(view) -> np.ndarray:
    """Known waiting per rank; nothing is known without samples and members, and then nothing is
    taken off."""
    try:
        return view.waiting
    except Unknown:
        return np.zeros(view.count)


def _lost(view) -> np.ndarray:
    """Least time without a core inside MPI, beyond waiting; 0 where nobody knows."""
    try:
        return np.where(view.no_core.reported, view.lost_inside.low, 0.0)
    except Unknown:
        return np.zeros(view.count)


def _busiest_host(view) -> float:
    """Largest over hosts of the mean useful time of a host's ranks. With equal ranks a host this is
    S_h / ranks of METRICS 4."""
    known = ~np.isnan(view.useful)
    sums = np.bincount(view.node_of[known], weights=view.useful[known])
    members = np.bincount(view.node_of[known])
    return float((sums[members > 0] / members[members > 0]).max())
