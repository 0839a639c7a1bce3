"""Combines rows of equal key; model/columns.py defines how each column adds up."""

from __future__ import annotations

from typing import Dict, Tuple

import numpy as np

from advisor.model.columns import TABLES
from advisor.model.profile import Columns

_ADD = {"sum": np.add, "min": np.minimum, "max": np.maximum}


def put_together(name: str, columns: Columns) -> Columns:
    """The table with one row for each key, in the order of first appearance."""
    keys = [
        label for label, kind in TABLES[name].items() if kind.adds == "key" and label in columns
    ]
    if not keys or not len(columns[keys[0]]):
        return columns
    group = np.zeros(len(columns[keys[0]]), np.int64)
    for label in keys:
        codes, count = _codes(columns[label])
        group = _codes(group * count + codes)[0]
    first = np.unique(group, return_index=True)[1]
    return {
        label: _combine(values, group, first, TABLES[name][label].adds)
        for label, values in columns.items()
    }


def _combine(values: np.ndarray, group: np.ndarray, first: np.ndarray, adds: str) -> np.ndarray:
    result = values[first].copy()
    if adds in _ADD:
        # Start from the first row of each group, then add the others.
        rest = np.ones(len(values), bool)
        rest[first] = False
        _ADD[adds].at(result, group[rest], values[rest])
    return result


def _codes(values: np.ndarray) -> Tuple[np.ndarray, int]:
    """Each value's number, counted in the order of first appearance; how many there are."""
    index: Dict[object, int] = {}
    codes = np.fromiter(
        (index.setdefault(value, len(index)) for value in values.tolist()), np.int64, len(values)
    )
    return codes, len(index)
