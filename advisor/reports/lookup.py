"""Reading Measures by name, `table.column`; what is unknown comes back as None or empty, never as
zero."""

from __future__ import annotations

from typing import List, Optional

import numpy as np

from advisor.model.interval import Interval, of_cell
from advisor.model.measures import Column, Measures, Quality, Table
from advisor.model.unknown import is_unknown

_MARKS = {Quality.ESTIMATED: "~", Quality.ASSUMED: "*", Quality.UNKNOWN: "?"}


class Lookup:
    """The measures of one run."""

    def __init__(self, measures: Measures) -> None:
        self.measures = measures
        self.profile = measures.profile

    def table(self, name: str) -> Optional[Table]:
        """A table that has rows, or None."""
        table = self.measures.tables.get(name)
        return table if table is not None and len(table) else None

    def column(self, name: str) -> Optional[Column]:
        """A column that has rows, or None."""
        table, _, column = name.partition(".")
        found = self.table(table)
        return found.columns.get(column) if found else None

    def numbers(self, name: str) -> Optional[np.ndarray]:
        """A column as float64 with NaN for unknown cells; None if it is absent or has no known
        cell."""
        column = self.column(name)
        if column is None or column.quality == Quality.UNKNOWN:
            return None
        values = np.asarray(column.values)
        if values.dtype.kind != "f":
            values = np.array([_number(value) for value in column.values], dtype=float)
        return None if np.isnan(values).all() else values

    def texts(self, name: str) -> List[str]:
        """A column as texts; empty where unknown."""
        column = self.column(name)
        return [] if column is None else list(map(_text, column.values))

    def text_at(self, name: str, index: int) -> str:
        """One cell as text, of a table that may have a row for each of a million ranks."""
        column = self.column(name)
        return "" if column is None else _text(column.values[index])

    def number(self, name: str) -> Optional[float]:
        """The one cell of a one-row table."""
        values = self.numbers(name)
        return None if values is None or np.isnan(values[0]) else float(values[0])

    def text(self, name: str) -> str:
        """The one cell of a one-row table, as text."""
        return (self.texts(name) or [""])[0]

    def truth(self, name: str) -> Optional[bool]:
        """The one cell of a yes/no column; None if unknown."""
        return {"True": True, "yes": True, "False": False, "no": False}.get(self.text(name))

    def bound(self, name: str, side: str) -> Optional[float]:
        """The `low` or `high` bound of the one cell, or None."""
        column = self.column(name)
        bounds = getattr(column, side) if column is not None else None
        value = None if bounds is None or not len(bounds) else _number(bounds[0])
        return None if is_unknown(value) else value

    def interval(self, name: str, row: int = 0) -> Optional[Interval]:
        """What is printed in place of a cell; None if its number may stand alone."""
        column = self.column(name)
        return None if column is None else of_cell(column, row)

    def mark(self, name: str) -> str:
        """ "~" estimated, "*" assumed, "?" unknown, "" otherwise."""
        column = self.column(name)
        return "?" if column is None else _MARKS.get(column.quality, "")


def _text(value: object) -> str:
    return "" if is_unknown(value) else str(value)


def _number(value: object) -> float:
    if isinstance(value, (bool, np.bool_)):
        return float(value)
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return float("nan")
