"""MPI-IO: METRICS 12."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.metric import metric
from advisor.model.measures import Quality


def _sum(seen, name: str) -> float:
    seen.all_listed("io")
    ours = (seen.groups == "io")[seen.operations[1]] if len(seen.groups) else np.zeros(0, bool)
    values = seen.payload if name == "bytes" else seen.column("calls", name)
    return float(values[ours].astype(np.float64).sum())


@metric("io.calls", unit="count", quality=Quality.MEASURED)
def calls(seen):
    """Calls of MPI_File_* of all ranks."""
    return _sum(seen, "count")


@metric("io.bytes", unit="B", quality=Quality.MEASURED)
def payload(seen):
    """Bytes that they asked to read or write."""
    return _sum(seen, "bytes")


@metric("io.time", unit="s")
def time(seen):
    """Time in them, averaged over all ranks: METRICS 12, io.mpi.time."""
    return _sum(seen, "time") / seen.count


@metric("io.share", unit="share")
def share(io, run):
    """io.time as share of run.time."""
    return io.time / run.time
