"""The critical path: the parts of the run in which nobody waited. Traces only."""

from __future__ import annotations

from typing import NamedTuple, Tuple

import numpy as np

from advisor.analysis.engine.arrays import coded
from advisor.analysis.engine.metric import metric, rows
from advisor.model.measures import Quality

OUTSIDE = "outside MPI"


class Steps(NamedTuple):
    """The path by call and region of the program, the longest first. `time`: seconds, all ranks
    together."""

    operation: Tuple[str, ...]
    function: Tuple[str, ...]
    time: np.ndarray


def _steps(view) -> Steps:
    operations, operation = coded(view.column("path", "operation"))
    functions, function = coded(view.column("path", "function"))
    width = max(1, len(functions))
    keys, place = np.unique(operation * width + function, return_inverse=True)
    time = np.bincount(
        place, weights=view.column("path", "time").astype(np.float64), minlength=len(keys)
    )
    order = np.argsort(-time, kind="stable")
    return Steps(
        tuple(operations[key // width] for key in keys[order]),
        tuple(functions[key % width] for key in keys[order]),
        time[order],
    )


@metric("rank.path_share", unit="share")
def path_share(view):
    """Of the critical path, the share that is on this rank. Where work is even and ranks are alike:
    1 / ranks. Traces only."""
    time = view.per_rank("path", "time", np.ones(len(view.column("path", "rank")), bool))
    return time / max(float(time.sum()), 1e-300)


@rows("path")
def path_rows(view) -> int:
    """Calls and regions of the program on the critical path, the longest first; none but in
    traces."""
    return len(_steps(view).time) if view.has("path") else 0


@metric("path.operation", unit="text", quality=Quality.MEASURED)
def operation(view):
    """The MPI call, or "outside MPI"."""
    return [name or OUTSIDE for name in _steps(view).operation]


@metric("path.function", unit="text", quality=Quality.MEASURED)
def function(view):
    """The region of the program, in a call the one that calls; empty: not known."""
    return _steps(view).function


@metric("path.time", unit="s")
def time(view):
    """Time on the critical path, of all ranks together."""
    return _steps(view).time


@metric("path.share", unit="share")
def share(path):
    """path.time as share of the whole path."""
    return path.time / max(float(np.sum(path.time)), 1e-300)
