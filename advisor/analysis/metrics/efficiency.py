"""The POP hierarchy as far as it needs no waiting times, and both ceilings: METRICS 4 and 3.5."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.analysis.metrics.operations import SAMPLED
from advisor.model.measures import Quality


@metric("run.parallel_efficiency", unit="share")
def parallel_efficiency(seen, run):
    """Mean useful time over run.time. METRICS 4, pop.pe = load_balance * core_efficiency *
    communication_efficiency."""
    return float(np.nanmean(seen.useful)) / run.time


@metric("run.load_balance", unit="share")
def load_balance(seen):
    """Mean over largest useful time. METRICS 4, pop.lb = load_balance_in * load_balance_out."""
    return ratio(float(np.nanmean(seen.useful)), float(np.nanmax(seen.useful)))


@metric("run.load_balance_in", unit="share")
def load_balance_in(seen):
    """Load balance inside hosts: the busiest host's mean useful time over the largest of a rank.
    METRICS 4, weighted by ranks."""
    return ratio(_busiest_host(seen), float(np.nanmax(seen.useful)))


@metric("run.load_balance_out", unit="share")
def load_balance_out(seen):
    """Load balance between hosts: mean useful time over the busiest host's mean. METRICS 4,
    weighted by ranks."""
    return ratio(float(np.nanmean(seen.useful)), _busiest_host(seen))


@metric("run.core_efficiency", unit="share")
def core_efficiency(seen):
    """Largest useful time over the largest time outside MPI: what ranks had no core for while they
    computed. 1 where nobody knows. METRICS 4, ours."""
    return ratio(float(np.nanmax(seen.useful)), float(np.nanmax(seen.outside)))


@metric("run.communication_efficiency", unit="share")
def communication_efficiency(seen, run):
    """Largest time outside MPI over run.time. METRICS 4, pop.comme."""
    return float(np.nanmax(seen.outside)) / run.time


@metric("run.imbalance_share", unit="share")
def imbalance_share(seen, run):
    """Largest minus mean useful time, as share of run.time: what perfect balance of compute would
    save at most."""
    return float(np.nanmax(seen.useful) - np.nanmean(seen.useful)) / run.time


@metric("run.useful_spread_share", unit="share")
def useful_spread_share(seen, run):
    """Largest minus smallest useful time of a rank, as share of run.time: what a slow host or core
    saves at most if it is put right. Its ranks then need as long as the others."""
    return float(np.nanmax(seen.useful) - np.nanmin(seen.useful)) / run.time


@metric("run.rank0_extra_share", unit="share")
def rank0_extra_share(seen, run):
    """Useful time of rank 0 minus the mean of all others, as share of run.time. Negative if rank 0
    has less to do."""
    first = seen.column("ranks", "rank") == 0
    others = seen.useful[~first]
    if not first.any() or np.isnan(others).all():
        raise Unknown("rank 0 and at least one other rank must have reported")
    return float(seen.useful[first][0] - np.nanmean(others)) / run.time


@metric("run.ceiling_hard", unit="s")
def ceiling_hard(seen, run):
    """run.time minus the largest time outside MPI: no setting that leaves computation alone can
    save more. METRICS 3.5. Unknown with more threads than cores: then useful time holds waiting
    for a core, which a setting can shorten."""
    if _threads_queue(run):
        raise Unknown(
            "threads take turns on cores, so time outside MPI is not all their own work",
            "a run with a core for each thread",
        )
    return max(0.0, run.time - float(np.nanmax(seen.outside)))


@metric("run.ceiling_share", unit="share")
def ceiling_share(run):
    """run.ceiling_hard as share of run.time."""
    return run.ceiling_hard / run.time


@metric("run.ceiling_direct", unit="s", quality=Quality.ESTIMATED)
def ceiling_direct(seen, run):
    """Largest time of a rank in MPI that is not known to be waiting, or without a core, at most
    run.ceiling_hard: METRICS 3.5, over all calls."""
    value = min(
        float(np.nanmax(np.maximum(seen.mpi_time - _waiting(seen) - _lost(seen), 0))),
        run.ceiling_hard,
    )
    note = SAMPLED if seen.has_sampled else "upper bound: only a part of the waiting is known"
    return Value(value, high=value, note=note)


@metric("run.serialisation_efficiency", unit="share", quality=Quality.ESTIMATED)
def serialisation_efficiency(seen, run):
    """Largest time outside MPI over the time that a network without cost would take, T_ideal:
    METRICS 4, pop.sere. T_ideal ~ the largest time outside MPI plus waiting of a rank: transfer
    is taken away, waiting is kept."""
    return ratio(float(np.nanmax(seen.outside)), _ideal(seen, run.time))


@metric("run.transfer_efficiency", unit="share", quality=Quality.ESTIMATED)
def transfer_efficiency(seen, run):
    """T_ideal over run.time: METRICS 4, pop.te. Times run.serialisation_efficiency it is
    run.communication_efficiency."""
    return _ideal(seen, run.time) / run.time


def _ideal(seen, elapsed: float) -> float:
    if not seen.has_sampled:
        raise Unknown(
            "waiting was not measured, so moving data cannot be told from it",
            "a run under this version of advisor",
        )
    return min(float(np.nanmax(seen.outside + seen.waiting)), elapsed)


def _threads_queue(run) -> bool:
    try:
        return run.oversubscription > 1
    except Unknown:
        return False


def _waiting(seen) -> np.ndarray:
    """Known waiting per rank; nothing is known without samples and members, and then nothing is
    taken off."""
    try:
        return seen.waiting
    except Unknown:
        return np.zeros(seen.count)


def _lost(seen) -> np.ndarray:
    """Least time without a core inside MPI, beyond waiting; 0 where nobody knows."""
    try:
        return np.where(seen.no_core.told, seen.lost_inside.low, 0.0)
    except Unknown:
        return np.zeros(seen.count)


def _busiest_host(seen) -> float:
    """Largest over hosts of the mean useful time of a host's ranks. With equal ranks a host this is
    S_h / ranks of METRICS 4."""
    known = ~np.isnan(seen.useful)
    sums = np.bincount(seen.node_of[known], weights=seen.useful[known])
    members = np.bincount(seen.node_of[known])
    return float((sums[members > 0] / members[members > 0]).max())
