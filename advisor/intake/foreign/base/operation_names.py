"""Names of MPI operations as other tools write them, and where their bytes count."""

from __future__ import annotations

import re
from typing import Optional

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
        "Pcontrol",
    }
)
"""No MPI time: METRICS 1."""
UNSIZED, MIXED = -1, -2
"""Bins: no data; data of sizes that were not kept apart."""

_GROUPS = ("TOTAL", "SYNC", "TIME")
"""What reports call MPI_X although it is no call: sums, and barriers put before collective calls.
"""
_SENDS = re.compile(
    r"P?[bsr]?send(_init)?|I[bsr]?send|I?sendrecv(_replace)?|Start(all)?", re.IGNORECASE
)
_COLLECTIVES = re.compile(
    r"I?(allgatherv?|allreduce|alltoall[vw]?|bcast|exscan|gatherv?|reduce(_scatter(_block)?)?|scan|scatterv?|neighbor_[a-z]+)(_init)?",
    re.IGNORECASE,
)
_OTHERS = re.compile(
    r"R?(put|get|accumulate|get_accumulate)|Fetch_and_op|Compare_and_swap|File_i?(read|write)[a-z_]*",
    re.IGNORECASE,
)


def operation_of(name: str) -> Optional[str]:
    """ "MPI_ALLREDUCE", "mpi_allreduce_" and "PMPI_Allreduce" → "Allreduce"; None if it is no MPI
    call."""
    match = re.fullmatch(
        r"P?MPI_([A-Za-z][A-Za-z_0-9]{1,60})", name.strip().rstrip("_"), re.IGNORECASE
    )
    if match is None or match.group(1).upper() in _GROUPS:
        return None
    return match.group(1)[0].upper() + re.sub(r"_(c|f08|f08ts)$", "", match.group(1)[1:].lower())


def is_send(operation: str) -> bool:
    """Whether it sends to one peer."""
    return bool(_SENDS.fullmatch(operation)) and not operation.startswith("Start")


def carries(operation: str) -> bool:
    """Whether payload is handed in: a receive, a wait or a barrier carries none."""
    return any(pattern.fullmatch(operation) for pattern in (_SENDS, _COLLECTIVES, _OTHERS))


def bin_of(size: int) -> int:
    """Size bin of METRICS 6.2."""
    return int(size).bit_length()
