"""Cells of a heat map as levels and as words."""

from __future__ import annotations

from typing import Callable, List, Sequence, Tuple

import numpy as np

from advisor.model.message import message
from advisor.reports.figures import Layer

STEPS = (1e-4, 0.01, 0.1, 0.4, 0.8)
"""Lower ends of the five shades, as shares of the largest cell."""
ALIKE = 1.01
"""Most to least: closer values have one shade."""
COLUMNS = 64
"""More columns than these, or rows of a matrix, are put together."""


def layer(name: str, cells: np.ndarray, write: Callable, ends: Tuple[float, ...] = ()) -> Layer:
    """`cells`: float64, 0 or NaN where nothing is. `ends`: lower ends of the shades, else shares of
    the largest cell."""
    known = np.nan_to_num(cells)
    ends = ends or tuple(step * known.max() for step in STEPS)
    levels = sum((known >= max(end, 1e-300)).astype(int) for end in ends)
    return Layer(
        name,
        tuple(tuple(row) for row in levels.tolist()),
        tuple(write(end) for end in ends),
        tuple(tuple(write(value) if value else "" for value in row) for row in known.tolist()),
    )


def even_ends(cells: np.ndarray) -> Tuple[float, ...]:
    """Equal steps of the logarithm between the least and the most, as for sizes and rates."""
    found = cells[cells > 0]
    if not len(found):
        return (1.0,) * len(STEPS)
    if found.max() < ALIKE * found.min():
        return (float(found.min()),) * len(STEPS)
    low, high = np.log(found.min()), np.log(found.max())
    return (float(found.min()), *np.exp(low + (high - low) * np.arange(1, 5) / 5).tolist())


def group_of(members: int, groups: int = COLUMNS) -> np.ndarray:
    """The group of each, neighbours together; each its own where they are few."""
    side = min(members, groups)
    return np.arange(members) * side // members


def group_names(members: int, groups: int) -> Tuple[str, ...]:
    """rank 3, or ranks 4 to 7."""
    of = group_of(members, groups)
    edges = [*np.flatnonzero(np.diff(of, prepend=-1)).tolist(), members]
    return tuple(_named(first, end - 1) for first, end in zip(edges, edges[1:]))


def _named(first: int, last: int) -> str:
    if first == last:
        return message("rank {rank}", rank=first)
    return message("ranks {first} to {last}", first=first, last=last)


def means(cells: np.ndarray, groups: int) -> np.ndarray:
    """Columns put together: means of their members."""
    of = group_of(cells.shape[1], groups)
    if len(of) <= groups:
        return cells
    edges = np.flatnonzero(np.diff(of, prepend=-1))
    return np.add.reduceat(cells, edges, axis=1) / np.bincount(of)


def quotient(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """part / whole, 0 where there is none."""
    return np.divide(part, whole, out=np.zeros_like(part), where=whole > 0)


def most_first(totals: Sequence[float], most: int) -> List[int]:
    """Places of the largest, at most so many, without those of nothing."""
    order = np.argsort(-np.asarray(totals), kind="stable")[:most]
    return [int(place) for place in order if totals[place] > 0]
