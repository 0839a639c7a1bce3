"""Cells of a record: whether they hold what their columns hold in a profile."""

from __future__ import annotations

from typing import Any, Mapping

import numpy as np

from advisor.intake.untrusted.damage import Damage, whole
from advisor.model.columns import ColumnKind
from advisor.model.unknown import is_unknown


def cell(name: str, value: Any, kind: ColumnKind) -> np.ndarray:
    """One value as a column of one row. Damage if it is beyond what the column holds."""
    if kind.dtype == "text":
        return np.array([value], dtype=object)
    if kind.dtype[0] in "iu":
        bounds = np.iinfo(kind.dtype)
        value = whole(count({name: value}, name, 0), name, int(bounds.min), int(bounds.max))
    return np.array([value], dtype="<" + kind.dtype)


def count(scalars: Mapping[str, float], name: str, otherwise: int) -> int:
    """A scalar as a whole number; Damage if it is not a number or has no bounds."""
    value = scalars.get(name, otherwise)
    if is_unknown(value) or abs(value) == float("inf"):
        raise Damage(f"{name} is not a whole number")
    return int(value)


def fitting(what: str, values: np.ndarray, kind: ColumnKind) -> np.ndarray:
    """The values, if they are of the kind that the column has in a profile."""
    if (values.dtype == object) != (kind.dtype == "text") or (
        values.dtype.kind == "f" and kind.dtype[0] in "iu"
    ):
        raise Damage(f"{what} is of another type")
    return values


def numeric(what: str, values: np.ndarray) -> None:
    """Damage unless these can be added and scaled."""
    if values.dtype.kind not in "iuf":
        raise Damage(f"{what} is not a number")


def whole_numbers(what: str, values: np.ndarray) -> np.ndarray:
    """The values, or Damage if they are not whole numbers."""
    if values.dtype.kind not in "iu":
        raise Damage(f"{what} is not a whole number")
    return values
