"""Tables of a profile and of its measures in one shape."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from advisor.base.suggestions import suggestion
from advisor.model.columns import TABLES
from advisor.model.errors import UserError
from advisor.model.harmless import visible
from advisor.model.interval import Interval, interval
from advisor.model.measures import Measures, Quality
from advisor.model.profile import Profile
from advisor.model.unknown import plain_cells

_HOLDS = {
    "run": "the run",
    "rank": "a rank",
    "node": "a host",
    "operation": "an MPI operation",
    "cell": "an operation, class and size bin",
    "communicator": "a communicator",
    "site": "a place in the program that calls MPI",
    "traffic": "a path between ranks",
    "onesided": "all one-sided calls",
    "io": "all of MPI-IO",
    "library": "the MPI library",
    "application": "the program, if recognised",
    "setting": "a setting in force",
    "ranks": "a rank",
    "calls": "a rank, operation, class and size bin",
    "communicators": "a communicator",
    "members": "a rank, communicator and operation",
    "sites": "a rank, call site and operation",
    "handling": "a rank, call site and operation whose data no fast path takes",
    "peers": "a rank and a peer",
    "windows": "a rank and kind of window",
    "waits": "a rank, operation and communicator that was sampled",
    "delays": "a rank that others wait for",
    "overlap": "a path and size of nonblocking messages",
    "references": "a size of message that was sent for comparison",
    "phases": "a rank (or a group of ranks) and a slice of time",
    "regions": "a rank and a level of MPI_Pcontrol",
    "phase": "a slice of time",
    "slice": "a group of ranks in a slice of time",
    "region": "a level of MPI_Pcontrol",
    "counter": "a counter of the processor or the system",
    "counters": "a rank and a counter",
    "variable": "a performance variable of the library",
    "variables": "a rank and a performance variable",
    "stack": "a way to an MPI call",
    "stacks": "a frame of such a way",
    "facts": "a fact about a host or the library",
    "gaps": "something that was not seen",
}


@dataclass(frozen=True)
class GridColumn:
    """One column; None in `cells` is unknown."""

    name: str
    unit: str
    cells: Sequence[Any]
    quality: str = ""
    reason: str = ""
    low: Sequence[Any] = ()
    high: Sequence[Any] = ()
    """Bounds of each cell; empty where the column has none."""

    def interval(self, row: int) -> Optional[Interval]:
        """What is printed for a cell that is known too badly to stand alone."""
        low, high = (ends[row] if ends else None for ends in (self.low, self.high))
        return (
            interval(self.cells[row], low, high, Quality[self.quality.upper()])
            if low is not None or high is not None
            else None
        )


@dataclass(frozen=True)
class Grid:
    """One table to print."""

    name: str
    kind: str
    columns: Tuple[GridColumn, ...]

    def __len__(self) -> int:
        return len(self.columns[0].cells) if self.columns else 0


def of_measures(measures: Measures) -> List[Grid]:
    """Computed tables, in the order in which one reads them."""
    return [
        Grid(
            name,
            "measures",
            tuple(
                GridColumn(
                    column.name,
                    column.unit,
                    plain_cells(column.values),
                    column.quality.name.lower(),
                    column.reason,
                    *map(_ends, (column.low, column.high)),
                )
                for column in measures.tables[name].columns.values()
            ),
        )
        for name in measures.tables
    ]


def of_profile(profile: Profile) -> List[Grid]:
    """What was seen: the tables of the file, the facts of hosts and library, and the gaps."""
    grids = [
        Grid(
            name,
            "profile",
            tuple(
                GridColumn(label, TABLES[name][label].unit, plain_cells(values))
                for label, values in columns.items()
            ),
        )
        for name, columns in profile.tables.items()
    ]
    subjects = [("library", profile.library.facts)] + [
        (node.name, node.facts) for node in profile.nodes
    ]
    facts = [
        (subject, key, fact.value, fact.source)
        for subject, known in subjects
        for key, fact in known.items()
    ]
    gaps = [(gap.subject, gap.reason, gap.collect) for gap in profile.gaps]
    return grids + [
        listed("facts", ("of", "fact", "value", "source"), facts),
        listed("gaps", ("subject", "reason", "collect"), gaps),
    ]


def choose(name: str, grids: Sequence[Grid]) -> Grid:
    """The table of that name, or an error that says which there are."""
    for table in grids:
        if table.name == name:
            return table
    if name in _HOLDS:
        raise UserError(
            f"This result has no table {name} ({_HOLDS[name]} in each row).",
            do="Without a name of a table advisor show lists what it has.",
        )
    raise UserError(
        f"There is no table {name}.", do=suggestion(name, [table.name for table in grids])
    )


def overview(grids: Sequence[Grid]) -> Grid:
    """All tables with their rows, and what they hold."""
    rows = [(grid.name, len(grid), _HOLDS.get(grid.name, ""), grid.kind) for grid in grids]
    return listed("tables", ("table", "rows", "one row for", "from"), rows)


def summary(measures: Measures) -> str:
    """One line about the run."""
    row, library = measures.tables["run"].row(0), measures.profile.library
    share = "" if row["mpi_share"] is None else f", {row['mpi_share']:.1%} of it in MPI"
    where = (
        ""
        if row["nodes"] is None
        else f" on {row['nodes']:.0f} host{'s' if row['nodes'] != 1 else ''}"
    )
    took = (
        "" if row["time"] is None else f": {row['time']:.4g} s from MPI_Init to MPI_Finalize{share}"
    )
    return visible(
        f"{row['program'] or 'program unknown'}, {row['ranks']:.0f} ranks{where}, {library.name}"
        f" {library.version}".strip()
        + took
    )


def sort(grid: Grid, name: str) -> Grid:
    """Ordered by a column: numbers from the largest, text from A; unknown cells last."""
    names = [column.name for column in grid.columns]
    if name not in names:
        raise UserError(f"Table {grid.name} has no column {name}.", do=suggestion(name, names))
    cells = grid.columns[names.index(name)].cells
    numbers = all(isinstance(cell, (int, float)) for cell in cells if cell is not None)
    known = sorted(
        (i for i, cell in enumerate(cells) if cell is not None),
        key=lambda i: cells[i] if numbers else str(cells[i]),
        reverse=numbers,
    )
    return _rows(grid, known + [i for i, cell in enumerate(cells) if cell is None])


def with_columns(grid: Grid, names: Sequence[str]) -> Grid:
    """The columns of these names, in their order."""
    known = {column.name: column for column in grid.columns}
    for name in names:
        if name not in known:
            raise UserError(
                f"Table {grid.name} has no column {name}.", do=suggestion(name, list(known))
            )
    return replace(grid, columns=tuple(known[name] for name in dict.fromkeys(names)))


def head(grid: Grid, count: int) -> Grid:
    """The first rows."""
    return _rows(grid, list(range(min(count, len(grid)))))


def listed(name: str, heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Grid:
    """A table of rows."""
    return Grid(
        name,
        "profile",
        tuple(GridColumn(head, "text", [row[i] for row in rows]) for i, head in enumerate(heads)),
    )


def _rows(grid: Grid, order: Sequence[int]) -> Grid:
    return replace(grid, columns=tuple(_of_rows(column, order) for column in grid.columns))


def _of_rows(column: GridColumn, order: Sequence[int]) -> GridColumn:
    cells, low, high = (
        [values[i] for i in order] if values else ()
        for values in (column.cells, column.low, column.high)
    )
    return replace(column, cells=list(cells), low=low, high=high)


def _ends(values: Optional[np.ndarray]) -> List[Any]:
    return [] if values is None else plain_cells(np.asarray(values))
