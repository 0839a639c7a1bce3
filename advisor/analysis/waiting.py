"""Waiting inside MPI, as far as durations tell: METRICS 3.1 and 3.4, level 2."""

from __future__ import annotations

from advisor.analysis.metric import Value, metric
from advisor.model.measures import Quality

NOTE = "lower bound from durations of collective calls; upper bound: all of the MPI time"

MEASURED = "as another tool measured it"


@metric("run.wait_time", unit="s", quality=Quality.ESTIMATED)
def wait_time(seen, run):
    """Waiting inside MPI for other ranks, averaged over ranks: at least this. METRICS 3.1 and 3.4, level 2."""
    told = seen.profile.totals.wait_time
    if told is not None:
        return Value(told, low=told, high=run.mpi_time, note=MEASURED)
    value = min(float(seen.waits.per_rank.mean()), run.mpi_time)
    return Value(value, low=value, high=run.mpi_time, note=NOTE)


@metric("run.wait_share", unit="share", quality=Quality.ESTIMATED)
def wait_share(seen, run):
    """run.wait_time as share of run.time: at least this."""
    value = run.wait_time / run.time
    note = NOTE if seen.profile.totals.wait_time is None else MEASURED
    return Value(value, low=value, high=run.mpi_share, note=note)
