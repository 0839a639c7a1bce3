"""One row for each rank that reported."""

from __future__ import annotations

from typing import Callable

import numpy as np

from advisor.analysis.derived.profile_columns import KILLED
from advisor.analysis.engine.arrays import objects, ratio
from advisor.analysis.engine.metric import Value, metric, rows
from advisor.model.measures import Quality


NO_CORES = "the mask of the rank, or the cores of its host, are not known"


@rows("rank")
def rank_rows(view) -> int:
    """Ranks in the order of the profile."""
    return view.count


@metric("rank.id", unit="count", quality=Quality.MEASURED)
def number(view):
    """Rank in MPI_COMM_WORLD."""
    return view.ranks("rank")


@metric("rank.node", unit="text", quality=Quality.MEASURED)
def node(view):
    """Name of its host."""
    return objects([host.name for host in view.profile.nodes])[view.node_of]


@metric("rank.time", unit="s")
def time(view):
    """From its end of MPI_Init to its start of MPI_Finalize: METRICS 1, t.app."""
    return Value(view.window, reason="the rank did not say when it started or ended")


@metric("rank.mpi_time", unit="s")
def mpi_time(view):
    """Its time inside MPI: METRICS 2, M_i."""
    return view.mpi_time


@metric("rank.mpi_share", unit="share")
def mpi_share(rank, run):
    """rank.mpi_time as share of run.time."""
    return rank.mpi_time / run.time


@metric("rank.useful_time", unit="s")
def useful_time(view):
    """Its time outside MPI with a core: METRICS 4, U_i = rank.time - rank.mpi_time -
    rank.no_core_outside, the last as far as it is known."""
    return Value(view.useful, reason="the rank did not say when it started or ended")


@metric("rank.compute_share", unit="share")
def compute_share(rank, run):
    """rank.useful_time as share of run.time."""
    return rank.useful_time / run.time


@metric("rank.useful_excess", unit="share")
def useful_excess(rank, run):
    """rank.useful_time minus the median of all ranks, as share of run.time. Negative if it has less
    to do."""
    return (rank.useful_time - np.nanmedian(rank.useful_time)) / run.time


def _plain(name: str) -> Callable:
    return lambda view: Value(view.ranks(name), reason=KILLED)


for _name, _source, _unit, _meaning in (
    ("threads_called", "threads_called", "count", "Threads that called MPI."),
    (
        "involuntary_switches",
        "involuntary_switches",
        "count",
        "How often the system took its CPU away for another.",
    ),
    ("voluntary_switches", "voluntary_switches", "count", "How often it gave its CPU up to wait."),
    ("major_faults", "major_faults", "count", "Pages that had to be read from a disk."),
):
    metric(f"rank.{_name}", unit=_unit, quality=Quality.MEASURED, meaning=_meaning)(_plain(_source))


NOT_COUNTED = "its kernel does not count system calls, or it was killed"


def _if_counted(name: str) -> Callable:
    """The collector itself reads files: a rank that read nothing did not count."""

    def of(view):
        return Value(
            np.where(view.ranks("read_requests") > 0, view.ranks(name), np.nan), reason=NOT_COUNTED
        )

    return of


for _name, _unit, _meaning in (
    ("write_requests", "count", "System calls by which it wrote to files, pipes and sockets."),
    ("write_bytes", "B", "Bytes that these wrote."),
    ("read_requests", "count", "System calls by which it read from files, pipes and sockets."),
    ("read_bytes", "B", "Bytes that these read."),
):
    metric(
        f"rank.{_name}",
        unit=_unit,
        quality=Quality.MEASURED,
        meaning=f"{_meaning} Between MPI_Init and MPI_Finalize, those of the MPI library included.",
    )(_if_counted(_name))


@metric("rank.system_share", unit="share", quality=Quality.MEASURED)
def system_share(view, run):
    """Its CPU time in the kernel as share of run.time, inside MPI and outside, start and end
    included."""
    return Value(view.ranks("system_time") / run.time, reason=KILLED)


@metric("rank.threads", unit="count", quality=Quality.MEASURED)
def threads(view):
    """Threads of its process, each counted by its CPU time, one for the busiest: a helper thread
    that uses a few percent is none."""
    values = view.ranks("threads")
    return Value(np.where(values > 0, values, np.nan), reason=KILLED)


@metric("rank.omp_threads", unit="count", quality=Quality.MEASURED)
def omp_threads(view):
    """OMP_NUM_THREADS; 0 if it is not set."""
    return view.ranks("omp_threads")


@metric("rank.memory_peak", unit="B", quality=Quality.MEASURED)
def memory_peak(view):
    """Its peak resident memory: METRICS 12, mem.hwm."""
    values = view.ranks("memory_peak")
    return Value(np.where(values > 0, values, np.nan), reason=KILLED)


@metric("rank.switch_rate", unit="1/s")
def switch_rate(rank):
    """rank.involuntary_switches for each second of rank.time."""
    return Value(ratio(rank.involuntary_switches, rank.time), reason=KILLED)


@metric("rank.cpu_time", unit="s", quality=Quality.MEASURED)
def cpu_time(view):
    """CPU time of its process, all threads, start and end of MPI included."""
    return view.ranks("user_time") + view.ranks("system_time")


@metric("rank.calls", unit="count", quality=Quality.MEASURED)
def calls(view):
    """Its MPI calls, without MPI_Init and MPI_Finalize."""
    if view.summed("calls"):
        return view.ranks("events")
    return view.per_rank("calls", "count", view.counted)


@metric("rank.bytes_sent", unit="B", quality=Quality.MEASURED)
def bytes_sent(view):
    """Bytes it sent to single peers, one-sided calls included, collective calls not."""
    if view.summary("peers", "bytes_sent"):
        return view.ranks("bytes_sent")
    return view.per_rank("peers", "bytes", np.ones(len(view.column("peers", "rank")), bool))


@metric("rank.shared_cores", unit="count")
def shared_cores(view):
    """Other ranks of its host whose CPUs overlap with its own, if all of them together have fewer
    CPUs than threads; else 0."""
    return view.places.shared


@metric("rank.mask_ranks", unit="count")
def mask_ranks(view):
    """Ranks of its host, itself included, that may run on exactly the same CPUs."""
    return view.places.same


@metric("rank.mask_cores", unit="count", quality=Quality.MEASURED)
def mask_cores(view):
    """CPUs in its affinity mask, counted from the list of CPUs."""
    return view.places.sizes


@metric("rank.threads_wanted", unit="count")
def threads_wanted(rank):
    """Cores that it needs to run all its threads at once: OMP_NUM_THREADS, or rank.threads where
    those are more; at least 1."""
    return np.fmax(np.fmax(rank.threads, rank.omp_threads), 1.0)


@metric("rank.mask_physical", unit="count")
def mask_physical(view, rank):
    """Physical cores in its affinity mask: rank.mask_cores, where a core has several hardware
    threads divided by their number."""
    cpus, cores = view.node_numbers("cpus"), view.node_numbers("cores")
    per_core = np.where(cores > 0, ratio(cpus, cores), np.nan)[view.node_of]
    return Value(rank.mask_cores / np.fmax(per_core, 1.0), reason=NO_CORES)


@metric("rank.spare_cores", unit="count")
def spare_cores(rank):
    """Physical cores that a helper thread of its own would find: those of its mask, divided among
    the ranks with the same mask, without those that its threads use. A helper inherits the mask."""
    return Value(
        rank.mask_physical / rank.mask_ranks - rank.threads_wanted,
        reason=NO_CORES,
    )
