"""One row for each way by which the program came to MPI calls that were sampled; only if stacks were asked for."""

from __future__ import annotations

from advisor.analysis.metric import Value, metric, rows
from advisor.model.measures import Quality

NOTE = "from sampled calls; the error is not computed"


@rows("stack")
def stack_rows(seen) -> int:
    """Ways, the one with the most time first."""
    return len(seen.ways.operation)


@metric("stack.operation", unit="text", quality=Quality.MEASURED)
def operation(seen):
    """Operation that is called at its end."""
    return seen.ways.operation


@metric("stack.path", unit="text", quality=Quality.MEASURED)
def path(seen):
    """Its frames with function and place, the caller of MPI first, each called by the next; of Python code those of Python."""
    return seen.ways.path


@metric("stack.calls", unit="count", quality=Quality.ESTIMATED)
def calls(seen):
    """Calls of all ranks that came this way: its part of the sampled calls of the operation, times all of them."""
    return Value(seen.ways.calls, note=NOTE)


@metric("stack.time", unit="s", quality=Quality.ESTIMATED)
def time(seen):
    """Time in these calls, averaged over all ranks: its part of the time in sampled calls of the operation, times that of all of them."""
    return Value(seen.ways.time / seen.count, note=NOTE)


@metric("stack.share", unit="share", quality=Quality.ESTIMATED)
def share(stack, run):
    """stack.time as share of run.time."""
    return stack.time / run.time
