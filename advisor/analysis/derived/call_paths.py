"""The ways by which the program came to sampled calls, those with equal frames put together.

Each sampled call stands for one over the probability of sampling it. The sums of an operation are
then scaled to its calls and its time, which are known exactly: what counts is how they divide among
the ways.
"""

from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from advisor.analysis.derived.cython_names import readable
from advisor.analysis.engine.arrays import objects


class CallPaths(NamedTuple):
    """One entry for each way, the one with the most time first. `calls`, `time`: of all ranks;
    their errors: one standard deviation, None: not recorded."""

    operation: np.ndarray
    path: np.ndarray
    calls: np.ndarray
    time: np.ndarray
    calls_error: Optional[np.ndarray]
    time_error: Optional[np.ndarray]


def call_paths(view: Any) -> CallPaths:
    """The rows of `stacks`; Unknown without that table."""
    first = np.flatnonzero(view.column("stacks", "level") == 0)
    ends = np.append(first[1:], len(view.column("stacks", "level")))
    found: Dict[Tuple[str, str], np.ndarray] = {}
    for begin, end in zip(first.tolist(), ends.tolist()):
        key = (view.column("stacks", "operation")[begin], " < ".join(_frames(view, begin, end)))
        found[key] = found.get(key, np.zeros(4)) + _sampled(view, begin)
    names, sums = [key[0] for key in found], np.array(list(found.values())).reshape(-1, 4)
    scales = _scales(view, names, sums[:, :2])
    values, errors = sums[:, :2] * scales, _errors(view, names, sums) * scales
    order = np.argsort(-values[:, 1], kind="stable")
    keys = [list(found)[index] for index in order]
    known = view.has("stacks", "time_time")
    return CallPaths(
        objects([key[0] for key in keys]),
        objects([key[1] for key in keys]),
        values[order, 0],
        values[order, 1],
        errors[order, 0] if known else None,
        errors[order, 1] if known else None,
    )


def callers(paths: CallPaths, operation: str) -> Dict[str, float]:
    """Place of the caller of MPI → seconds, as far as ways to `operation` are known."""
    found: Dict[str, float] = {}
    for name, path, time in zip(paths.operation, paths.path, paths.time.tolist()):
        if name == operation:
            frame = path.split(" < ")[0]
            place = frame.rpartition(" (")[2].rstrip(")") if frame.endswith(")") else frame
            found[place] = found.get(place, 0.0) + time
    return found


def _errors(view: Any, names: List[str], sums: np.ndarray) -> np.ndarray:
    """Standard deviations of the sums, float64 [ways, 2], as far as these are parts of the exact
    sums of their operation: R being the share of a way, those of sum a (x - R all x), with 1 - R
    for its own calls and R for the others. Ranks keep the same instances and may err together:
    sum of deviations, at most the root of their number times the sum of squares (Cauchy and
    Schwarz)."""
    operation = np.array([sorted(set(names)).index(name) for name in names], dtype=np.int64)
    totals = (
        np.array([np.bincount(operation, weights=column) for column in sums.T])
        .reshape(4, -1)
        .T[operation]
        if names
        else sums
    )
    share = sums[:, :2] / np.where(totals[:, :2] > 0, totals[:, :2], 1.0)
    return np.sqrt(
        view.count
        * ((1 - share) ** 2 * sums[:, 2:] + share**2 * np.maximum(totals[:, 2:] - sums[:, 2:], 0))
    )


def _sampled(view: Any, row: int) -> np.ndarray:
    """Calls and time, and the sums of squares for their errors (0: not recorded)."""
    names = ("count", "time", "count_count", "time_time")
    return np.array(
        [view.column("stacks", name)[row] if view.has("stacks", name) else 0 for name in names],
        dtype=np.float64,
    )


def _scales(view: Any, operations: List[str], sums: np.ndarray) -> np.ndarray:
    """What brings the sums of each operation to its exact calls and time, float64 [ways, 2]."""
    names, codes = view.operations
    exact = {
        name: np.array(
            [view.column("calls", column)[codes == index].sum() for column in ("count", "time")],
            dtype=np.float64,
        )
        for index, name in enumerate(names)
    }
    estimated: Dict[str, np.ndarray] = {}
    for name, pair in zip(operations, sums):
        estimated[name] = estimated.get(name, np.zeros(2)) + pair
    scale = [
        exact.get(name, estimated[name]) / np.where(estimated[name] > 0, estimated[name], 1.0)
        for name in operations
    ]
    return np.array(scale).reshape(-1, 2)


def _frames(view: Any, first: int, end: int) -> List[str]:
    """Each frame as far as it is known: forces (forces.f90:212), or forces in app, or app+0x1f3."""
    names = ("module", "offset", "file", "line", "function")
    columns = [
        (
            view.column("stacks", name)[first:end].tolist()
            if view.has("stacks", name)
            else [None] * (end - first)
        )
        for name in names
    ]
    return [_frame(*cells) for cells in zip(*columns)]


def _frame(module: str, offset: int, file: str, line: int, function: str) -> str:
    place = place_of(module, offset, file, line, function)
    return f"{function} ({place})" if function and file else place


def place_of(module: str, offset: int, file: str, line: int, function: str) -> str:
    """file:line, or function in module, or module+offset; a Python name says its module."""
    if file:
        return f"{os.path.basename(file)}:{line}" if line else os.path.basename(file)
    name = os.path.basename(module) or "unknown"
    if not function:
        return f"{name}+0x{offset:x}"
    called = readable(function)
    # A Python name says its module; main._omp_fn.0 does not.
    says_module = function.startswith("__pyx_") and not called.startswith("__pyx_")
    return called if says_module else f"{called} in {name}"
