"""Small arithmetic on arrays that all metrics share."""

from __future__ import annotations

from typing import Any, Tuple

import numpy as np


def number(value: Any) -> float:
    """A fact as a number; NaN if it is none."""
    return (
        float(value)
        if isinstance(value, (int, float)) and not isinstance(value, bool)
        else float("nan")
    )


def objects(values: Any) -> np.ndarray:
    """A list as an object array [n], whatever is in it."""
    values = values.tolist() if isinstance(values, np.ndarray) else list(values)
    result = np.empty(len(values), dtype=object)
    result[:] = values
    return result


def coded(values: np.ndarray) -> Tuple[Tuple[str, ...], np.ndarray]:
    """Distinct values in order of appearance, and each value's number among them, int [n]."""
    names = dict.fromkeys(values)
    index = {name: number for number, name in enumerate(names)}
    return tuple(names), np.fromiter(map(index.__getitem__, values), np.int64, len(values))


def ratio(part: Any, whole: Any) -> Any:
    """part / whole; NaN where nothing is whole."""
    with np.errstate(divide="ignore", invalid="ignore"):
        result = np.true_divide(part, np.where(np.asarray(whole) == 0, np.nan, whole))
    return result if np.ndim(result) else float(result)
