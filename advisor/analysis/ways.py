"""The ways by which the program came to sampled calls, those with equal frames put together.

Each sampled call stands for one over the probability of sampling it. The sums of an operation are then scaled to its calls and its time,
which are known exactly: what counts is how they divide among the ways.
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np

from advisor.analysis.arrays import objects
from advisor.analysis.sites import place_of


class Ways(NamedTuple):
    """One entry for each way, the one with the most time first. `calls`, `time`: of all ranks."""

    operation: np.ndarray
    path: np.ndarray
    calls: np.ndarray
    time: np.ndarray


def ways(seen: Any) -> Ways:
    """The rows of `stacks`; Unknown without that table."""
    first = np.flatnonzero(seen.column("stacks", "level") == 0)
    ends = np.append(first[1:], len(seen.column("stacks", "level")))
    found: Dict[Tuple[str, str], np.ndarray] = {}
    for begin, end in zip(first.tolist(), ends.tolist()):
        key = (seen.column("stacks", "operation")[begin], " < ".join(_frames(seen, begin, end)))
        found[key] = found.get(key, np.zeros(2)) + _sampled(seen, begin)
    values = np.array(list(found.values())).reshape(-1, 2) * _scales(seen, [key[0] for key in found], list(found.values()))
    order = np.argsort(-values[:, 1], kind="stable")
    keys = [list(found)[index] for index in order]
    return Ways(objects([key[0] for key in keys]), objects([key[1] for key in keys]), values[order, 0], values[order, 1])


def _sampled(seen: Any, row: int) -> np.ndarray:
    return np.array([seen.column("stacks", "count")[row], seen.column("stacks", "time")[row]], dtype=np.float64)


def _scales(seen: Any, operations: List[str], sums: List[np.ndarray]) -> np.ndarray:
    """What brings the sums of each operation to its exact calls and time, float64 [ways, 2]."""
    names, codes = seen.operations
    exact = {name: np.array([seen.column("calls", column)[codes == index].sum() for column in ("count", "time")], dtype=np.float64)
             for index, name in enumerate(names)}
    estimated: Dict[str, np.ndarray] = {}
    for name, pair in zip(operations, sums):
        estimated[name] = estimated.get(name, np.zeros(2)) + pair
    scale = [exact.get(name, estimated[name]) / np.where(estimated[name] > 0, estimated[name], 1.0) for name in operations]
    return np.array(scale).reshape(-1, 2)


def _frames(seen: Any, first: int, end: int) -> List[str]:
    """Each frame as far as it is known: forces (forces.f90:212), or forces in app, or app+0x1f3."""
    names = ("module", "offset", "file", "line", "function")
    columns = [seen.column("stacks", name)[first:end].tolist() if seen.has("stacks", name) else [None] * (end - first) for name in names]
    return [_frame(*cells) for cells in zip(*columns)]


def _frame(module: str, offset: int, file: str, line: int, function: str) -> str:
    place = place_of(module, offset, file, line, function)
    return f"{function} ({place})" if function and file else place
