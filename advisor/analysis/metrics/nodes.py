"""One row for each host: what it is, and what its ranks did."""

from __future__ import annotations

import re
from typing import Any, Callable

import numpy as np

from advisor.analysis.derived.profile_columns import PROBE_HOST, RECORD_AGAIN
from advisor.analysis.engine.arrays import objects, ratio
from advisor.analysis.engine.metric import Unknown, Value, metric, rows
from advisor.model.measures import Quality

TURNS = 0.05
"""Of elapsed: what lacks a core for less displaces nothing that a finding would rest on."""
NOT_PROBED = "this fact of the host was not looked for, or could not be told"


@rows("node")
def node_rows(view) -> int:
    """Hosts of the job."""
    if not view.profile.nodes:
        raise view.absent("the profile names no host", "node", collect=RECORD_AGAIN)
    return len(view.profile.nodes)


@metric("node.name", unit="text", quality=Quality.MEASURED)
def name(view):
    """Name of the host."""
    return objects([node.name for node in view.profile.nodes])


@metric("node.ranks", unit="count", quality=Quality.MEASURED)
def ranks(view):
    """Ranks that ran on it."""
    return np.bincount(view.node_of, minlength=len(view.profile.nodes))


def _probed(view, values: Any) -> Value:
    """Facts of hosts; where there is none, the reason that the file gives for all of them, or that
    nobody looked."""
    why = view.absent(NOT_PROBED, "node", collect=PROBE_HOST)
    return Value(values, reason=why.reason, collect=why.collect)


def _number(fact: str) -> Callable:
    return lambda view: _probed(view, view.node_numbers(fact))


def _text(fact: str) -> Callable:
    return lambda view: _probed(
        view, [None if value is None else str(value) for value in view.node_facts(fact)]
    )


def _yes(fact: str) -> Callable:
    return lambda view: _probed(view, [present(value) for value in view.node_facts(fact)])


def present(value: Any) -> Any:
    """A fact as yes or no: a list of devices is yes, an empty one no, None stays unknown."""
    return None if value is None else bool(value) and value not in ("no", "none")


for _name, _fact, _unit, _kind, _meaning in (
    ("sockets", "sockets", "count", _number, "Sockets with CPUs."),
    ("cores", "cores", "count", _number, "Physical cores."),
    ("numa_nodes", "numa_nodes", "count", _number, "NUMA nodes that have CPUs."),
    ("smt", "smt", "yes/no", _yes, "Whether a core runs more than one thread at a time."),
    ("memory", "memory", "B", _number, "Memory of the host."),
    ("cpu", "cpu.model", "text", _text, "Model of its CPU."),
    ("xpmem", "xpmem", "yes/no", _yes, "Whether the XPMEM device is there."),
    ("knem", "knem", "yes/no", _yes, "Whether the KNEM device is there."),
    ("limic", "limic", "yes/no", _yes, "Whether the LiMIC device is there."),
    (
        "cma",
        "cma",
        "yes/no",
        _yes,
        "Whether a process may read the memory of another of the same user (cross-memory attach).",
    ),
    (
        "ptrace_scope",
        "ptrace_scope",
        "count",
        _number,
        "Yama's ptrace_scope: above 0 it forbids cross-memory attach.",
    ),
    ("infiniband", "infiniband", "yes/no", _yes, "Whether it has an InfiniBand port."),
    ("roce", "roce", "yes/no", _yes, "Whether it has an RDMA port on Ethernet."),
    ("omnipath", "omnipath", "yes/no", _yes, "Whether it has an Omni-Path port."),
    ("slingshot", "slingshot", "yes/no", _yes, "Whether it has a Slingshot port."),
    ("efa", "efa", "yes/no", _yes, "Whether it has an Elastic Fabric Adapter."),
    ("gpu", "gpu", "yes/no", _yes, "Whether it has a GPU."),
    ("network_ports", "network_ports", "count", _number, "RDMA ports that are up."),
    (
        "network_rate",
        "network_rate",
        "count",
        _number,
        "Rate of its fastest RDMA or Slingshot port, in Gbit/s.",
    ),
    ("network_speed", "network_speed", "text", _text, "Lanes and generation of that port: 4X EDR."),
    ("network_driver", "network_driver", "text", _text, "Kernel driver of that port: mlx5_core."),
    (
        "xpmem_usable",
        "xpmem_usable",
        "yes/no",
        _yes,
        "Whether a user may open the XPMEM device; unknown where there is none.",
    ),
    (
        "knem_usable",
        "knem_usable",
        "yes/no",
        _yes,
        "Whether a user may open the KNEM device; unknown where there is none.",
    ),
    (
        "umad_usable",
        "umad_usable",
        "yes/no",
        _yes,
        (
            "Whether a user may open umad0, which MVAPICH2 needs for multicast; unknown without"
            " /dev/infiniband."
        ),
    ),
    (
        "gpu_peer_memory",
        "gpu_peer_memory",
        "yes/no",
        _yes,
        (
            "Whether a kernel module lets network cards reach the memory of its NVIDIA GPUs;"
            " unknown without such GPUs, or where the open driver may do without."
        ),
    ),
    (
        "gdrcopy",
        "gdrcopy",
        "yes/no",
        _yes,
        (
            "Whether the device of GDRCopy is there, for small pieces of GPU memory; unknown"
            " without NVIDIA GPUs."
        ),
    ),
    (
        "hugepages",
        "hugepages",
        "text",
        _text,
        "Huge pages that are reserved: 2048kB:12/64 is 12 of 64 free.",
    ),
    ("thp", "thp", "text", _text, "Transparent huge pages: always, madvise or never."),
    (
        "memory_limit",
        "memory_limit",
        "B",
        _number,
        "Memory that the control group grants; unknown where it sets no limit.",
    ),
    ("shm_free", "shm_free", "B", _number, "Free room in /dev/shm."),
    ("kernel", "kernel", "text", _text, "Release of its kernel."),
    (
        "clocksource",
        "clocksource",
        "text",
        _text,
        "What its kernel reads the time from: tsc, hpet, acpi_pm, xen.",
    ),
    ("container", "container", "yes/no", _yes, "Whether ranks ran in a container."),
    (
        "user_namespace",
        "user_namespace",
        "yes/no",
        _yes,
        (
            "Whether ranks ran in a user namespace of their own: then cross-memory attach between"
            " containers fails."
        ),
    ),
    ("memlock", "memlock", "B", _number, "Limit of locked memory; -1: none."),
    ("virtual", "virtual", "yes/no", _yes, "Whether it is a virtual machine."),
    (
        "load_at_start",
        "loadavg",
        "count",
        _number,
        (
            "Load average of the minute before the run; on Linux tasks that wait for a disk count"
            " as well."
        ),
    ),
    (
        "load_at_end",
        "loadavg_end",
        "count",
        _number,
        "Load average of the last minute of the run, its own ranks among it.",
    ),
    (
        "tasks_at_start",
        "tasks_ready",
        "count",
        _number,
        (
            "Tasks that were running or ready to run at the end of MPI_Init, of whomever, those of"
            " this job among them."
        ),
    ),
    ("tasks_at_end", "tasks_ready_end", "count", _number, "The same at the begin of MPI_Finalize."),
    (
        "steal_time",
        "steal_time",
        "s",
        _number,
        "Time that the hypervisor kept from all CPUs of this virtual machine while the job ran.",
    ),
    (
        "throttled_time",
        "throttled_time",
        "s",
        _number,
        (
            "Time that threads of the control group were kept from running by its quota; unknown"
            " where there is none."
        ),
    ),
):
    metric(f"node.{_name}", unit=_unit, quality=Quality.MEASURED, meaning=_meaning)(_kind(_fact))


def listed(text: Any, pattern: str) -> float:
    """Entries of a fact such as mlx5_0:1:InfiniBand:100,… or nvidia:4: the sum of what the
    pattern's group gives. NaN: not known."""
    if text is None:
        return np.nan
    return float(
        sum(int(found) if found.isdigit() else 1 for found in re.findall(pattern, str(text)))
    )


@metric("node.infiniband_ports", unit="count")
def infiniband_ports(view):
    """InfiniBand ports that are up."""
    return _probed(view, [listed(value, r"[^,]+") for value in view.node_facts("infiniband")])


@metric("node.gpus", unit="count")
def gpus(view):
    """GPUs that can compute."""
    return _probed(view, [listed(value, r"[a-z]:(\d{1,4})") for value in view.node_facts("gpu")])


@metric("node.cpus", unit="count", quality=Quality.MEASURED)
def cpus(view):
    """Logical CPUs that may be used, or the CPU time that the control group grants, whichever is
    less."""
    return _probed(view, view.usable_cpus)


@metric("node.ethernet_only", unit="yes/no")
def ethernet_only(view, node):
    """Whether none of the faster fabrics was found."""
    fabrics = zip(node.infiniband, node.roce, node.omnipath, node.slingshot, node.efa)
    cells = [False if True in found else (None if None in found else True) for found in fabrics]
    return _probed(view, cells)


def _sum(view, values: np.ndarray) -> np.ndarray:
    return np.bincount(view.node_of, weights=values, minlength=len(view.profile.nodes))


def _with_ranks(view, values: np.ndarray) -> Value:
    here = np.bincount(view.node_of, minlength=len(view.profile.nodes)) > 0
    return Value(np.where(here, values, np.nan), reason="no rank ran on this host")


@metric("node.useful_time", unit="s")
def useful_time(view, node):
    """Mean useful time of its ranks."""
    return _with_ranks(view, ratio(_sum(view, view.useful), node.ranks))


@metric("node.useful_max", unit="s")
def useful_max(view):
    """Largest useful time of its ranks."""
    largest = np.zeros(len(view.profile.nodes))
    np.fmax.at(largest, view.node_of, view.useful)
    return _with_ranks(view, largest)


@metric("node.mpi_share", unit="share")
def mpi_share(view, node, run):
    """Mean MPI time of its ranks as share of run.time."""
    return _with_ranks(view, ratio(_sum(view, view.mpi_time), node.ranks) / run.time)


@metric("node.threads", unit="count")
def threads(view, rank):
    """Threads of all its ranks that used CPU time."""
    return _with_ranks(view, _sum(view, rank.threads))


@metric("node.load", unit="share")
def load(view, node, run):
    """node.threads for each of node.cpus; above 1 threads take turns.

    1 where there are more threads than CPUs and yet none lacked a core for 5 % of run.time: threads
    that sleep, or use their cores one after the other, do not displace each other.
    """
    made = ratio(node.threads, node.cpus)
    queued = np.zeros(len(view.profile.nodes))
    np.maximum.at(queued, view.node_of, _longest_queue(view))
    return np.where((made > 1) & (queued < TURNS * run.time), 1.0, made)


def _longest_queue(view) -> np.ndarray:
    """Seconds without a core of each rank's first thread, or of all its others; infinite where the
    kernel does not tell."""
    try:
        first = np.where(view.no_core.reported, view.no_core.inside + view.no_core.outside, np.inf)
    except Unknown:
        return np.full(view.count, np.inf)
    helpers = view.ranks("no_core_helpers") if view.has("ranks", "no_core_helpers") else 0.0
    return np.fmax(first, helpers)


@metric("node.memory_peak", unit="B", quality=Quality.ESTIMATED)
def memory_peak(view, rank):
    """Sum of the peaks of its ranks: an upper bound, pages that ranks share count for each."""
    return _with_ranks(view, _sum(view, rank.memory_peak))
