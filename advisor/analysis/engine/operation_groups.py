"""The group of each MPI operation (METRICS 2), and which ranks wait in it for which (METRICS
3.3)."""

from __future__ import annotations

import re

GROUPS = {
    "p2p": "blocking point-to-point calls and posts of nonblocking ones",
    "completion": "MPI_Wait, MPI_Waitall and the like",
    "collective": "blocking collective calls",
    "sync": "barriers",
    "nonblocking_collective": "posts of nonblocking collective calls",
    "rma": "one-sided data calls",
    "rma_sync": "one-sided synchronisation",
    "io": "MPI-IO",
    "probe": "probes and tests",
    "management": "communicators, groups, types, windows and all else",
}
LIFECYCLE = frozenset(
    {
        "Init",
        "Init_thread",
        "Finalize",
        "Session_init",
        "Session_finalize",
        "Abort",
        "Initialized",
        "Finalized",
    }
)
"""Start-up and end have a line of their own and are no MPI time: METRICS 1."""

_PATTERNS = (
    ("sync", r"I?barrier|Barrier_init"),
    ("rma_sync", r"Win_(fence|start|complete|post|wait|test|(un)?lock.*|flush.*|sync)"),
    ("rma", r"R?(put|get|accumulate|get_accumulate)|Fetch_and_op|Compare_and_swap"),
    ("probe", r"I?m?probe|Test(all|any|some|_cancelled)?|Parrived|Request_get_status.*"),
    ("completion", r"Wait(all|any|some)?"),
    (
        "p2p",
        r"(I?[bsr]?send|I?m?recv|I?sendrecv(_replace)?|P?[bsr]?send_init|P?recv_init|Start(all)?|Pready.*)",
    ),
    ("io", r"File_.*"),
    (
        "nonblocking_collective",
        r"I(allgatherv?|allreduce|alltoall[vw]?|bcast|exscan|gatherv?|reduce.*|scan|scatterv?|neighbor_.*)",
    ),
    (
        "collective",
        r"(All(gatherv?|reduce|toall[vw]?)|Bcast|Exscan|Gatherv?|Reduce(_scatter(_block)?)?|Scan|Scatterv?|Neighbor_[a-z]+)(_init)?",
    ),
)
_COMPILED = tuple((group, re.compile(pattern, re.IGNORECASE)) for group, pattern in _PATTERNS)

ALL_TO_ALL = frozenset(
    "Barrier Allreduce Allgather Allgatherv Alltoall Alltoallv Alltoallw Reduce_scatter"
    " Reduce_scatter_block Comm_dup Comm_dup_with_info Comm_split Comm_split_type Comm_create"
    " Cart_create Cart_sub Graph_create Dist_graph_create Dist_graph_create_adjacent".split()
)
"""Every member needs something of every other: METRICS 3.3, class N-to-N."""
MAY_SKIP = frozenset("Allgatherv Alltoallv Alltoallw Reduce_scatter".split())
"""A member of these that contributes nothing delays nobody: METRICS 3.3, zero-byte members."""

LOCAL = re.compile(
    r"(Un)?pack(_external)?(_size)?|Type_.*|Comm_(rank|size|group|test_inter|remote_size|get_attr)"
    r"|Group_.*|Get_(count|elements.*|address)|Status_.*|Op_.*|Info_.*|Cart_(coords|rank|get|shift)",
    re.IGNORECASE,
)
"""Calls that the standard calls local: no other rank takes part in them."""
NOTHING = "nothing"
"""Class of calls that asked whether something had come or was complete, and were told no."""
ACCUMULATES = frozenset(
    "Accumulate Get_accumulate Fetch_and_op Compare_and_swap Raccumulate Rget_accumulate".split()
)
PUTS, GETS = frozenset({"Put", "Rput"}), frozenset({"Get", "Rget"})


def group_of(operation: str) -> str:
    """The group of an operation, named without MPI_ and _c."""
    for group, pattern in _COMPILED:
        if pattern.fullmatch(operation):
            return group
    return "management"


def asks(operation: str) -> bool:
    """Whether a call returns at once, whatever it finds."""
    return (
        group_of(operation) == "probe"
        and operation not in ("Probe", "Mprobe", "Test_cancelled")
        or operation == "Win_test"
    )


def sends(operation: str) -> bool:
    """Whether a call hands a message, or part of one, to a single rank."""
    return group_of(operation) == "p2p" and "recv" not in operation.lower().replace(
        "sendrecv", "send"
    )


def receives(operation: str) -> bool:
    """Whether a call takes a message from a single rank, or may be the one in which such a message
    or a post comes to its end."""
    return "recv" in operation.lower() or group_of(operation) in ("completion", "probe")
