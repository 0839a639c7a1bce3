"""Causes as the areas that figures draw: which kind of time in MPI a cause is."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import numpy as np

from advisor.model.causes import UNSPLIT, WAITING, Cause
from advisor.reports.lookup import Lookup

IN_MPI = ("no_core", "waiting", "moving", "polling", "unsplit")
"""In the order of the first screen, in which they are drawn: from the left, or from the bottom."""
_KINDS = {
    "transfer": "moving",
    "library": "moving",
    "I/O": "moving",
    "no core in MPI": "no_core",
    "polling": "polling",
    UNSPLIT: "unsplit",
}
_LAST, _AT_THE_END, _AT_IO = "Finalize", "wait at the end", "wait at I/O"

Parts = Dict[str, np.ndarray]


def role_of(part: Cause) -> str:
    """The area of a cause; empty outside MPI, where the wait at the end is too."""
    if part.kind == WAITING:
        if part.state == _AT_THE_END:
            return ""
        return "moving" if part.state == _AT_IO else "waiting"
    return _KINDS.get(part.kind, "")


def in_mpi(run: Lookup) -> Optional[Parts]:
    """Seconds by role, [ranks], or [1] where only means are known; None: causes are not known."""
    known = run.measures.causes
    if known is None:
        return None
    parts = {role: np.zeros(known.seconds.shape[1]) for role in IN_MPI}
    for part, values in zip(known.parts, known.seconds):
        role = role_of(part)
        if role:
            parts[role] = parts[role] + values
    return parts


def in_files(run: Lookup) -> float:
    """Mean seconds of I/O, which has the area of transfer and a row of its own on the first
    screen."""
    known = run.measures.causes
    if known is None:
        return 0.0
    rows = [
        row for row, part in enumerate(known.parts) if part.kind == "I/O" or part.state == _AT_IO
    ]
    return float(known.means[rows].sum())


def by_operation(run: Lookup) -> List[Tuple[str, str, float]]:
    """(role, operation, mean seconds) of the time in MPI, but time without a core: in which calls
    that was is not kept."""
    known = run.measures.causes
    found: Dict[Tuple[str, str], float] = {}
    if known is None:
        return []
    for part, value in zip(known.parts, known.means.tolist()):
        role = role_of(part)
        if role and part.operation:
            key = (role, part.operation)
            found[key] = found.get(key, 0.0) + value
    return [(*key, value) for key, value in found.items()]
