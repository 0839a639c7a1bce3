"""The rows on which an expression is evaluated: one row, or all rows of a table at once."""

from __future__ import annotations

from typing import Iterator, Optional

import numpy as np

from advisor.advice.language.cells import NUMBER, Cells, single, stacked, taken, unknown
from advisor.advice.language.scope import Scope, View
from advisor.advice.language.unknown import Unknown
from advisor.model.measures import Quality


class Frame:
    """The names of a scope, with the columns of `table` in place of its row at hand.

    `rows`: only these.
    """

    __slots__ = ("scope", "table", "rows")

    def __init__(self, scope: Scope, table: str = "", rows: Optional[np.ndarray] = None) -> None:
        self.scope, self.table, self.rows = scope, table, rows

    def cells(self, table: str, column: str) -> Cells:
        """A column of the table, or the one value that a name has here."""
        if table != self.table:
            return single(self.scope.value(table, column))
        self.scope.view.looked()
        found = _column(self.scope.view, table, column)
        return found if self.rows is None else taken(found, self.rows)

    def each(self) -> Iterator[Scope]:
        """A scope for each row."""
        rows = (
            range(self.scope.length(self.table) or 0) if self.rows is None else self.rows.tolist()
        )
        return (self.scope.at(self.table, row) for row in rows)


def _column(view: View, table: str, column: str) -> Cells:
    if (table, column) not in view.arrays:
        view.arrays[table, column] = _read(view, table, column)
    return view.arrays[table, column]


def _read(view: View, table: str, column: str) -> Cells:
    found = view.table(table)
    cells = found.columns.get(column) if found is not None else None
    why = lambda row: view.missing(table, column)  # noqa: E731 - the same for each row
    if cells is None:
        return unknown(why)
    if cells.unit != "yes/no" and cells.values.dtype.kind == "f":
        if cells.quality is Quality.UNKNOWN:
            return unknown(why)  # of a million ranks, a cell for all takes the room of one
        return Cells(NUMBER, cells.values.astype(np.float64), np.isfinite(cells.values), why)
    missing = Unknown(())
    return stacked(
        [missing if value is None else value for value in view.cells(table, column) or ()]
    )._replace(why=why)
