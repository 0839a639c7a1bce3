"""Rows of a table put together over ranks: one for each distinct key."""

from __future__ import annotations

from typing import NamedTuple, Sequence

import numpy as np


class Cells(NamedTuple):
    """`of`: the cell of each row, int [rows], -1 for rows left out; `first`: a row of each cell,
    int [cells]."""

    of: np.ndarray
    first: np.ndarray

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sums over the rows of each cell, float64 [cells]."""
        keep = self.of >= 0
        return np.bincount(
            self.of[keep], weights=values[keep].astype(np.float64), minlength=len(self.first)
        )

    def largest(self, values: np.ndarray) -> np.ndarray:
        """Largest of the rows of each cell, float64 [cells]; a cell of no positive value has 0."""
        keep = self.of >= 0
        result = np.zeros(len(self.first))
        np.maximum.at(result, self.of[keep], values[keep].astype(np.float64))
        return result


def cells(keys: Sequence[np.ndarray], chosen: np.ndarray, weight: np.ndarray) -> Cells:
    """Cells of the chosen rows by integer keys [rows], ordered by the sum of `weight`, the largest
    first."""
    where = np.flatnonzero(chosen)
    code = np.zeros(len(where), np.int64)
    for key in keys:
        values, number = np.unique(key[where], return_inverse=True)
        code = np.unique(code * max(1, len(values)) + number, return_inverse=True)[1]
    _, first = np.unique(code, return_index=True)
    order = np.argsort(
        -np.bincount(code, weights=weight[where].astype(np.float64), minlength=len(first)),
        kind="stable",
    )
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    of = np.full(len(chosen), -1)
    of[where] = rank[code]
    return Cells(of, where[first][order])
