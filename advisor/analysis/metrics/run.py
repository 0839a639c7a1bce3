"""The run as a whole: what was started, how long it took, how much of it was MPI."""

from __future__ import annotations

from typing import Callable

import numpy as np

from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.analysis.engine.operation_groups import GROUPS
from advisor.model.measures import Quality
from advisor.model.message import message

BY_ADVISOR = "start the program with advisor run"


@metric("run.program", unit="text", quality=Quality.MEASURED)
def program(view):
    """The program that was started."""
    return view.profile.run.program or None


@metric("run.launcher", unit="text", quality=Quality.MEASURED)
def launcher(view):
    """The launcher that started it: mpirun, mpiexec, srun."""
    return Value(
        view.profile.run.launcher or None, reason="no launcher was noted", collect=BY_ADVISOR
    )


@metric("run.scheduler", unit="text", quality=Quality.MEASURED)
def scheduler(view):
    """The batch system of the job: slurm, pbs, lsf."""
    return Value(view.profile.run.scheduler or None, reason=message("no batch system was noted"))


@metric("run.job", unit="text", quality=Quality.MEASURED)
def job(view):
    """The batch system's number of the job."""
    return Value(view.profile.run.job or None, reason="no batch job was noted")


@metric("run.ranks", unit="count", quality=Quality.MEASURED)
def ranks(view):
    """Ranks of MPI_COMM_WORLD."""
    return view.profile.run.ranks_expected or view.count


@metric("run.nodes", unit="count", quality=Quality.MEASURED)
def nodes(view):
    """Hosts that ranks ran on."""
    return len(np.unique(view.node_of))


@metric("run.ranks_per_node", unit="count", quality=Quality.MEASURED)
def ranks_per_node(view):
    """Most ranks on one host."""
    return int(np.bincount(view.node_of).max())


@metric("run.time", unit="s")
def time(view):
    """T: from the first end of MPI_Init to the last start of MPI_Finalize. The base of all shares.
    METRICS 1, t.elapsed."""
    note = "until the last MPI call: not all ranks reached MPI_Finalize" if _is_cut(view) else ""
    return Value(view.elapsed, note=note)


@metric("run.job_time", unit="s", quality=Quality.MEASURED)
def job_time(view):
    """Wall time of the whole command, launcher included. METRICS 1, t.job."""
    return Value(
        view.profile.run.job_seconds,
        reason=message("nobody timed the whole command"),
        collect=BY_ADVISOR,
    )


@metric("run.startup_share", unit="share", quality=Quality.ESTIMATED)
def startup_share(view, run):
    """Starting and ending as share of run.job_time: mean MPI_Init, mean MPI_Finalize, and the time
    before the first process and after the last. METRICS 1."""
    first, last = view.begin - view.ranks("init_begin"), view.ranks("finalize_end") - view.end
    parts = [
        float(np.nanmean(np.maximum(first, 0))),
        float(np.mean(last[last >= 0])) if (last >= 0).any() else 0.0,
        _outside(view, run.job_time),
    ]
    most = max(0.0, 1 - run.time / run.job_time)
    value = min(sum(parts) / run.job_time, most)
    return Value(value, low=value, high=most, note="upper bound: all that lies outside run.time")


@metric("run.calls", unit="count", quality=Quality.MEASURED)
def calls(view):
    """Outermost MPI calls of all ranks, without MPI_Init and MPI_Finalize."""
    if view.profile.totals.calls is not None:
        return view.profile.totals.calls
    view.all_listed()
    return float(view.column("calls", "count")[view.counted].astype(np.float64).sum())


@metric("run.call_rate", unit="1/s")
def call_rate(view, run):
    """MPI calls per second and rank. METRICS 2, mpi.rate."""
    return run.calls / view.count / run.time


@metric("run.mpi_time", unit="s")
def mpi_time(view):
    """Time inside MPI, averaged over ranks. METRICS 2, mpi.time.mean."""
    note = (
        "sum over threads, an upper bound of the time during which any thread was in MPI"
        if view.many_callers
        else ""
    )
    return Value(view.mpi_total / view.count, note=note)


@metric("run.mpi_share", unit="share")
def mpi_share(run):
    """run.mpi_time as share of run.time. METRICS 2, mpi.share."""
    return run.mpi_time / run.time


def _share_of(group: str) -> Callable:
    def group_share(view, run):
        view.all_listed(group)
        chosen = (
            view.counted & (view.groups == group)[view.operations[1]]
            if len(view.groups)
            else view.counted
        )
        return float(view.column("calls", "time")[chosen].sum()) / view.count / run.time

    return group_share


for _group, _words in GROUPS.items():
    metric(
        f"run.{_group}_share",
        unit="share",
        meaning=f"Time in {_words}, averaged over ranks, as share of run.time.",
    )(_share_of(_group))


@metric("run.exit_code", unit="count", quality=Quality.MEASURED)
def exit_code(view):
    """Exit code of the command as a shell shows it: 128 + n after signal n."""
    return Value(
        view.profile.run.exit_code, reason="nobody saw how the command ended", collect=BY_ADVISOR
    )


@metric("run.memory_peak", unit="B", quality=Quality.MEASURED)
def memory_peak(view):
    """Largest peak resident memory of a rank. METRICS 12, mem.hwm."""
    return float(_memory(view).max())


@metric("run.memory_per_node", unit="B", quality=Quality.ESTIMATED)
def memory_per_node(view):
    """Sum of the peaks of the ranks of one host, the largest of all hosts. An upper bound: pages
    that ranks share count for each."""
    value = float(np.bincount(view.node_of, weights=_memory(view)).max())
    return Value(value, high=value, note="upper bound")


def _is_cut(view) -> bool:
    return view.has("ranks", "state") and bool((view.column("ranks", "state") != 2).any())


def _memory(view) -> np.ndarray:
    values = view.ranks("memory_peak")
    if not (values > 0).all():
        raise Unknown(message("not all ranks could read their peak memory"))
    return values


def _outside(view, job_time: float) -> float:
    """Seconds of the command in which no rank was there yet, or none any more; 0 if nobody
    knows."""
    if not view.has("ranks", "process_begin"):
        return 0.0
    begin = view.ranks("process_begin")
    end = np.fmax(view.ranks("finalize_end"), view.end)
    return (
        max(0.0, job_time - float(np.nanmax(end) - begin[begin > 0].min()))
        if (begin > 0).any()
        else 0.0
    )
