"""The run as a whole: what was started, how long it took, how much of it was MPI."""

from __future__ import annotations

from typing import Callable

import numpy as np

from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.analysis.engine.operation_groups import GROUPS
from advisor.model.measures import Quality

BY_ADVISOR = "start the program with advisor run"


@metric("run.program", unit="text", quality=Quality.MEASURED)
def program(seen):
    """The program that was started."""
    return seen.profile.run.program or None


@metric("run.launcher", unit="text", quality=Quality.MEASURED)
def launcher(seen):
    """The launcher that started it: mpirun, mpiexec, srun."""
    return Value(
        seen.profile.run.launcher or None, reason="no launcher was noted", collect=BY_ADVISOR
    )


@metric("run.scheduler", unit="text", quality=Quality.MEASURED)
def scheduler(seen):
    """The batch system of the job: slurm, pbs, lsf."""
    return Value(seen.profile.run.scheduler or None, reason="no batch system was noted")


@metric("run.job", unit="text", quality=Quality.MEASURED)
def job(seen):
    """The batch system's number of the job."""
    return Value(seen.profile.run.job or None, reason="no batch job was noted")


@metric("run.ranks", unit="count", quality=Quality.MEASURED)
def ranks(seen):
    """Ranks of MPI_COMM_WORLD."""
    return seen.profile.run.ranks_expected or seen.count


@metric("run.nodes", unit="count", quality=Quality.MEASURED)
def nodes(seen):
    """Hosts that ranks ran on."""
    return len(np.unique(seen.node_of))


@metric("run.ranks_per_node", unit="count", quality=Quality.MEASURED)
def ranks_per_node(seen):
    """Most ranks on one host."""
    return int(np.bincount(seen.node_of).max())


@metric("run.time", unit="s")
def time(seen):
    """T: from the first end of MPI_Init to the last start of MPI_Finalize. The base of all shares.
    METRICS 1, t.elapsed."""
    note = "until the last MPI call: not all ranks reached MPI_Finalize" if _is_cut(seen) else ""
    return Value(seen.elapsed, note=note)


@metric("run.job_time", unit="s", quality=Quality.MEASURED)
def job_time(seen):
    """Wall time of the whole command, launcher included. METRICS 1, t.job."""
    return Value(
        seen.profile.run.job_seconds, reason="nobody timed the whole command", collect=BY_ADVISOR
    )


@metric("run.startup_share", unit="share", quality=Quality.ESTIMATED)
def startup_share(seen, run):
    """Starting and ending as share of run.job_time: mean MPI_Init, mean MPI_Finalize, and the time
    before the first process and after the last. METRICS 1."""
    first, last = seen.begin - seen.ranks("init_begin"), seen.ranks("finalize_end") - seen.end
    parts = [
        float(np.nanmean(np.maximum(first, 0))),
        float(np.mean(last[last >= 0])) if (last >= 0).any() else 0.0,
        _outside(seen, run.job_time),
    ]
    most = max(0.0, 1 - run.time / run.job_time)
    value = min(sum(parts) / run.job_time, most)
    return Value(value, low=value, high=most, note="upper bound: all that lies outside run.time")


@metric("run.calls", unit="count", quality=Quality.MEASURED)
def calls(seen):
    """Outermost MPI calls of all ranks, without MPI_Init and MPI_Finalize."""
    if seen.profile.totals.calls is not None:
        return seen.profile.totals.calls
    seen.all_listed()
    return float(seen.column("calls", "count")[seen.counted].astype(np.float64).sum())


@metric("run.call_rate", unit="1/s")
def call_rate(seen, run):
    """MPI calls per second and rank. METRICS 2, mpi.rate."""
    return run.calls / seen.count / run.time


@metric("run.mpi_time", unit="s")
def mpi_time(seen):
    """Time inside MPI, averaged over ranks. METRICS 2, mpi.time.mean."""
    note = (
        "sum over threads, an upper bound of the time during which any thread was in MPI"
        if seen.many_callers
        else ""
    )
    return Value(seen.mpi_total / seen.count, note=note)


@metric("run.mpi_share", unit="share")
def mpi_share(run):
    """run.mpi_time as share of run.time. METRICS 2, mpi.share."""
    return run.mpi_time / run.time


def _share_of(group: str) -> Callable:
    def group_share(seen, run):
        seen.all_listed(group)
        chosen = (
            seen.counted & (seen.groups == group)[seen.operations[1]]
            if len(seen.groups)
            else seen.counted
        )
        return float(seen.column("calls", "time")[chosen].sum()) / seen.count / run.time

    return group_share


for _group, _words in GROUPS.items():
    metric(
        f"run.{_group}_share",
        unit="share",
        meaning=f"Time in {_words}, averaged over ranks, as share of run.time.",
    )(_share_of(_group))


@metric("run.exit_code", unit="count", quality=Quality.MEASURED)
def exit_code(seen):
    """Exit code of the command as a shell shows it: 128 + n after signal n."""
    return Value(
        seen.profile.run.exit_code, reason="nobody saw how the command ended", collect=BY_ADVISOR
    )


@metric("run.memory_peak", unit="B", quality=Quality.MEASURED)
def memory_peak(seen):
    """Largest peak resident memory of a rank. METRICS 12, mem.hwm."""
    return float(_memory(seen).max())


@metric("run.memory_per_node", unit="B", quality=Quality.ESTIMATED)
def memory_per_node(seen):
    """Sum of the peaks of the ranks of one host, the largest of all hosts. An upper bound: pages
    that ranks share count for each."""
    value = float(np.bincount(seen.node_of, weights=_memory(seen)).max())
    return Value(value, high=value, note="upper bound")


@metric("run.top_operation", unit="text")
def top_operation(seen, operation):
    """The operation with the largest mean time."""
    if not len(operation.time):
        raise Unknown("no MPI call was seen")
    return operation.name[int(np.argmax(operation.time))]


@metric("run.loop_instances", unit="count")
def loop_instances(seen, operation):
    """Calls a rank made of the collective operation with the largest mean time: how often the main
    loop turned at least."""
    collective = np.isin(
        operation.group.astype(str), ("collective", "sync", "nonblocking_collective")
    )
    if not collective.any():
        raise Unknown("no collective call was seen")
    name = operation.name[np.flatnonzero(collective)[np.argmax(operation.time[collective])]]
    chosen = seen.column("calls", "operation") == name
    if seen.summed("calls"):
        return float(seen.column("calls", "count")[chosen].sum()) / seen.count
    return float(seen.per_rank("calls", "count", chosen).max())


def _is_cut(seen) -> bool:
    return seen.has("ranks", "state") and bool((seen.column("ranks", "state") != 2).any())


def _memory(seen) -> np.ndarray:
    values = seen.ranks("memory_peak")
    if not (values > 0).all():
        raise Unknown("not all ranks could read their peak memory")
    return values


def _outside(seen, job_time: float) -> float:
    """Seconds of the command in which no rank was there yet, or none any more; 0 if nobody
    knows."""
    if not seen.has("ranks", "process_begin"):
        return 0.0
    begin = seen.ranks("process_begin")
    end = np.fmax(seen.ranks("finalize_end"), seen.end)
    return (
        max(0.0, job_time - float(np.nanmax(end) - begin[begin > 0].min()))
        if (begin > 0).any()
        else 0.0
    )
