"""Where names of expressions get their values: cells of Measures, limits of the rule, the row at
hand."""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, Mapping, Optional, Sequence, Tuple

import numpy as np

from advisor.advice.language.unknown import Missing, Unknown
from advisor.model.interval import Interval, of_cell
from advisor.model.measures import Measures, Quality, Table
from advisor.model.message import message
from advisor.model.rule import Limit

ONE_ROW = ("run", "library", "onesided", "io", "application")
"""Tables with at most one row: their columns can be named anywhere."""

_UNSEEN = object()
_MANY_LOOKS = (1 << 10) - 1
_PATIENT = lambda: None  # noqa: E731 - without bounds
_LONG = 100_000
"""Rows of a table whose numbers stay in their arrays."""
_WORDS = {"yes": True, "no": False, True: True, False: False, 1.0: True, 0.0: False, "": None}
_NONE_OF = {
    "application": message("the program is not one that we know"),
    "onesided": message("the program made no one-sided calls"),
    "io": message("the program made no MPI-IO calls"),
    "traffic": message("the program sent no messages"),
    "setting": message("no settings were seen"),
}


class _Numbers(Sequence):
    """A long column of numbers, of which mostly a few cells are asked for: a list of all would take
    four times its memory."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index):
        return _known(self._values.item(index))


class View:
    """Measures prepared for many look-ups: plain Python values, one list a column, made when first
    asked for."""

    def __init__(self, measures: Measures) -> None:
        self.measures = measures
        self.remembered: Dict[object, Any] = {}
        """Values of aggregates that do not depend on the row at hand."""
        self.times: Dict[str, FrozenSet[str]] = {}
        """Rule → the pieces of time that its finding is about; see judging/conflicts.py."""
        self.columns: Dict[Tuple[str, str], Optional[Sequence[object]]] = {}
        """Values of columns that were asked for before."""
        self.arrays: Dict[Tuple[str, str], Any] = {}
        """The same columns as cells; see frame.py."""
        self.reasons: Dict[Tuple[str, str], Unknown] = {}
        """Why columns are unknown, which is the same for each of a hundred thousand rows."""
        self.looks, self.patient = 0, _PATIENT
        """Values that were looked up, and what is asked after each few thousand of them; see
        judging/time_limit.py."""

    def looked(self) -> None:
        """One more value was looked up."""
        self.looks += 1
        if not self.looks & _MANY_LOOKS:
            self.patient()

    def table(self, name: str) -> Optional[Table]:
        """A table, or None if it was not seen. No rows and a gap of its name: not seen."""
        table = self.measures.tables.get(name)
        return None if table is not None and not len(table) and self._gap(name) else table

    def cells(self, table: str, column: str) -> Optional[Sequence[object]]:
        """All values of a column, None where unknown; None if there is no such column."""
        key = (table, column)
        if key not in self.columns:
            self.columns[key] = self._plain(table, column)
        return self.columns[key]

    def unit(self, table: str, column: str) -> str:
        """Unit of a column; empty if there is no such column."""
        found = self.measures.tables.get(table)
        return found.columns[column].unit if found and column in found.columns else ""

    def quality(self, table: str, column: str) -> Quality:
        """Quality of a column; UNKNOWN if there is no such column."""
        found = self.measures.tables.get(table)
        return (
            found.columns[column].quality if found and column in found.columns else Quality.UNKNOWN
        )

    def interval(self, table: str, column: str, row: int) -> Optional[Interval]:
        """What is printed in place of a cell that is known too badly to stand alone."""
        found = self.measures.tables.get(table)
        return of_cell(found.columns[column], row) if found and column in found.columns else None

    def missing(self, table: str, column: str = "") -> Unknown:
        """Why a cell, or a whole table, is unknown, and what to collect."""
        key = (table, column)
        if key not in self.reasons:
            self.reasons[key] = self._missing(table, column)
        return self.reasons[key]

    def _missing(self, table: str, column: str) -> Unknown:
        found = self.table(table)
        if found is not None and not len(found):
            return Unknown(
                [
                    Missing(
                        "",
                        _NONE_OF.get(table) or message("this run has no {table}", table=table),
                        "",
                        True,
                    )
                ]
            )
        cells = found.columns.get(column) if found is not None else None
        gap = self._gap(f"{table}.{column}") or self._gap(table)
        reason = (
            (cells.reason if cells else "")
            or (gap.reason if gap else "")
            or message("not measured")
        )
        collect = (cells.collect if cells else "") or (gap.collect if gap else "")
        return Unknown([Missing(f"{table}.{column}" if column else table, reason, collect)])

    def _gap(self, subject: str):
        gaps = tuple(self.measures.gaps) + tuple(self.measures.profile.gaps)
        return next((gap for gap in gaps if gap.subject == subject), None)

    def _plain(self, table: str, column: str) -> Optional[Sequence[object]]:
        found = self.table(table)
        cells = found.columns.get(column) if found is not None else None
        if cells is None:
            return None
        if len(cells.values) > _LONG and cells.values.dtype.kind == "f" and cells.unit != "yes/no":
            return _Numbers(cells.values)
        values = cells.values.tolist()
        # Long columns of numbers are mostly known throughout.
        if cells.values.dtype.kind != "f" or not np.isfinite(cells.values).all():
            values = [_known(value) for value in values]
        return (
            [None if v is None else _WORDS.get(v) for v in values]
            if cells.unit == "yes/no"
            else values
        )


class Scope:
    """The names that an expression may use now. `rows`: table → index of the row at hand."""

    __slots__ = ("view", "limits", "rows")

    def __init__(
        self, view: View, limits: Mapping[str, Limit], rows: Optional[Mapping[str, int]] = None
    ) -> None:
        self.view, self.limits, self.rows = view, limits, rows or {}

    def value(self, table: str, column: str) -> Any:
        """float, bool or str, or Unknown with the reason."""
        self.view.looked()
        if table == "limit":
            return (
                float(self.limits[column].value)
                if column in self.limits
                else self.view.missing(table, column)
            )
        cells: Any = self.view.columns.get((table, column), _UNSEEN)
        if cells is _UNSEEN:
            cells = self.view.cells(table, column)
        index = self.rows.get(table, 0 if table in ONE_ROW else None)
        known = (
            cells[index] if cells is not None and index is not None and index < len(cells) else None
        )
        return self.view.missing(table, column) if known is None else known

    def interval(self, table: str, column: str) -> Optional[Interval]:
        """What is printed in place of the value of the row at hand; None if that may stand
        alone."""
        index = self.rows.get(table, 0 if table in ONE_ROW else None)
        return None if index is None else self.view.interval(table, column, index)

    def length(self, table: str) -> Optional[int]:
        """Rows of a table; None if it was not seen."""
        found = self.view.table(table)
        return None if found is None else len(found)

    def at(self, table: str, index: int) -> "Scope":
        """The same names, with this row of this table at hand."""
        return Scope(self.view, self.limits, {**self.rows, table: index})


def _known(value: object) -> object:
    if isinstance(value, bool) or isinstance(value, str) or value is None:
        return value
    try:
        number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if number - number == 0 else None
