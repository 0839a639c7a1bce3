"""One row for each way by which the program came to MPI calls that were sampled; only if stacks
were asked for."""

from __future__ import annotations

import numpy as np

from advisor.analysis.derived.sampled_waits import DEVIATIONS
from advisor.analysis.engine.metric import Value, metric, rows
from advisor.model.measures import Quality

NOTE = "from sampled calls"
NO_ERROR = "from sampled calls; the error was not recorded"


def _within(values, error) -> Value:
    """An estimate with its 95 % interval; `error`: one deviation, None: not known."""
    if error is None:
        return Value(values, note=NO_ERROR)
    return Value(
        values,
        low=np.maximum(values - DEVIATIONS * error, 0),
        high=values + DEVIATIONS * error,
        note=NOTE,
    )


@rows("stack")
def stack_rows(view) -> int:
    """Ways, the one with the most time first."""
    return len(view.call_paths.operation)


@metric("stack.operation", unit="text", quality=Quality.MEASURED)
def operation(view):
    """Operation that is called at its end."""
    return view.call_paths.operation


@metric("stack.path", unit="text", quality=Quality.MEASURED)
def path(view):
    """Its frames with function and place, the caller of MPI first, each called by the next; of
    Python code those of Python."""
    return view.call_paths.path


@metric("stack.calls", unit="count", quality=Quality.ESTIMATED)
def calls(view):
    """Calls of all ranks that came this way: its part of the sampled calls of the operation, times
    all of them."""
    return _within(view.call_paths.calls, view.call_paths.calls_error)


@metric("stack.time", unit="s", quality=Quality.ESTIMATED)
def time(view):
    """Time in these calls, averaged over all ranks: its part of the time in sampled calls of the
    operation, times that of all of them."""
    error = view.call_paths.time_error
    return _within(view.call_paths.time / view.count, None if error is None else error / view.count)


@metric("stack.share", unit="share", quality=Quality.ESTIMATED)
def share(view, run):
    """stack.time as share of run.time."""
    made = time(view)
    return Value(
        *(
            None if values is None else values / run.time
            for values in (made.values, made.low, made.high)
        ),
        note=made.note,
    )
