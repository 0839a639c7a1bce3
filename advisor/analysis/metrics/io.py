"""MPI-IO: METRICS 12."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.metric import metric
from advisor.model.measures import Quality


def _sum(view, name: str) -> float:
    view.all_listed("io")
    ours = (view.groups == "io")[view.operations[1]] if len(view.groups) else np.zeros(0, bool)
    values = view.payload if name == "bytes" else view.column("calls", name)
    return float(values[ours].astype(np.float64).sum())


@metric("io.calls", unit="count", quality=Quality.MEASURED)
def calls(view):
    """Calls of MPI_File_* of all ranks."""
    return _sum(view, "count")


@metric("io.bytes", unit="B", quality=Quality.MEASURED)
def payload(view):
    """Bytes that they asked to read or write."""
    return _sum(view, "bytes")


@metric("io.time", unit="s")
def time(view):
    """Time in them, averaged over all ranks: METRICS 12, io.mpi.time."""
    return _sum(view, "time") / view.count


@metric("io.share", unit="share")
def share(io, run):
    """io.time as share of run.time."""
    return io.time / run.time
