"""The Python interface: results as objects. `import advisor` offers what stands here.

Like the command line, this module may import every room, and no room imports it. It decides nothing
of its own: `advisor show`, `advisor report` and this module give the same numbers and the same
advice.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Dict, Mapping, Sequence, Union

import numpy as np

from advisor import analysis, reports
from advisor.cli import opening, worth
from advisor.cli.report import judged
from advisor.model import measures as model
from advisor.model.columns import TABLES
from advisor.model.errors import UserError
from advisor.model.finding import Advice
from advisor.model.profile import Profile

if TYPE_CHECKING:
    import pandas
    import pyarrow

__all__ = ["Result", "Table", "read"]
Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Table(model.Table):
    """One table. `table["time"]` is a column as a NumPy array, `len(table)` the number of rows,
    `table.row(0)` one row. `table.columns["time"]` also has `unit`, `quality`, `reason` (why cells
    are unknown), `low` and `high`.

    Numbers that are not known are NaN, other cells None; they are never 0. Times are in seconds,
    sizes in bytes, shares between 0 and 1.
    """

    def __getitem__(self, column: str) -> np.ndarray:
        """The values of one column. Raises UserError if there is none of that name."""
        if column not in self.columns:
            raise UserError(
                f"Table {self.name} has no column {column}.",
                do=f"It has: {', '.join(self.columns)}.",
            )
        return self.columns[column].values

    @property
    def units(self) -> Mapping[str, str]:
        """Column → unit: s, B, share, count, 1/s, text, yes/no, or empty."""
        return {name: column.unit for name, column in self.columns.items()}

    def to_arrow(self) -> "pyarrow.Table":
        """The same as an Arrow table; unknown cells are null, units are metadata of the fields.
        Needs pyarrow."""
        arrow = _installed("pyarrow")
        arrays, fields = [], []
        for column in self.columns.values():
            arrays.append(
                arrow.array(column.values, type=_arrow_type(column, arrow), from_pandas=True)
            )
            fields.append(arrow.field(column.name, arrays[-1].type, metadata={"unit": column.unit}))
        return arrow.Table.from_arrays(arrays, schema=arrow.schema(fields))

    def to_pandas(self) -> "pandas.DataFrame":
        """The same as a DataFrame; units are in `attrs["units"]`. Needs pandas."""
        frame = _installed("pandas").DataFrame(
            {name: np.array(column.values) for name, column in self.columns.items()}
        )
        frame.attrs["units"] = dict(self.units)
        return frame


@dataclass(frozen=True)
class Result:
    """One run. `profile` holds what was seen: the run, its library, hosts, settings and gaps
    (`advisor.model.profile`)."""

    profile: Profile

    @cached_property
    def tables(self) -> Mapping[str, Table]:
        """The tables of the profile by name; `advisor.model.columns` says what each column
        means."""
        return {name: _table(name, columns) for name, columns in self.profile.tables.items()}

    def measures(self) -> Mapping[str, Table]:
        """What follows from the profile by arithmetic, by name; `advisor rules vocabulary` says
        what each number means."""
        return {name: Table(name, table.columns) for name, table in self._measures.tables.items()}

    def advice(self, rules: Sequence[Path] = ()) -> Advice:
        """What the rules say: `findings`, the most valuable first, and `silences`, those that did
        not speak.

        Rules are those of `advisor report`: the rule book, ADVISOR_RULES, then the folders `rules`.
        """
        return judged(self.profile, [os.fspath(folder) for folder in rules])

    def report(self, format: str = "markdown", rules: Sequence[Path] = ()) -> str:
        """The report as text: terminal, html, markdown, mail or json. Raises UserError for
        another format."""
        document = reports.compose(self.advice(rules), worth.rates_of(self.profile))
        return reports.render(document, format)

    @cached_property
    def _measures(self) -> model.Measures:
        return analysis.measure(self.profile)


def read(path: Path) -> Result:
    """A result folder, a profile file, or a file of another tool. Raises UserError if it cannot be
    read."""
    return Result(opening.read(os.fspath(path)))


def _table(name: str, columns: Mapping[str, np.ndarray]) -> Table:
    found: Dict[str, model.Column] = {
        label: model.Column(
            label, TABLES[name][label].unit or ("text" if values.dtype == object else ""), values
        )
        for label, values in columns.items()
    }
    return Table(name, found)


def _arrow_type(column: model.Column, arrow: ModuleType) -> Any:
    """None: that of the array. A column of objects may be empty or unknown in all rows, and then
    shows no type."""
    if column.values.dtype != object:
        return None
    return arrow.bool_() if column.unit == "yes/no" else arrow.string()


def _installed(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ImportError as error:
        raise UserError(
            f"{name} is not installed for this Python.",
            do=f"Install it: python -m pip install {name}",
        ) from error
