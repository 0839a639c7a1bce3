"""Calls, call sites, communicators and hosts: where in the program."""

from __future__ import annotations

from typing import Callable, List, Optional, Sequence, Tuple

import numpy as np

from advisor.base.numbers import count, counted, number, percent, size, reported
from advisor.model.interval import Interval
from advisor.model.message import message
from advisor.reports.composing.splitting import sampled
from advisor.reports.figures import Cell, Grid, Heading
from advisor.reports.lookup import Lookup

SHOWN_SHARE, LEAST_SHARE = 0.01, 0.001
"""Rows below the first share of elapsed fold, but for a few; of those none is below the second:
METRICS 5."""
MOST_ROWS = 20
LEAST_ROWS = 5
MOST_REST = 200
"""Rows on a page beyond those that are shown at once."""


class _Column:
    """One column of a report's table: heading, measure, how it is written, factor from base
    unit."""

    def __init__(
        self, heading: str, measure: str, write: Callable = number, factor: float = 1.0
    ) -> None:
        self.heading, self.measure, self.write, self.factor = heading, measure, write, factor


_CALLS = (
    _Column(message("In MPI, s"), "time"),
    _Column(message("% of elapsed"), "share", number, 100),
    _Column(message("Waiting at least, s"), "wait"),
    _Column(message("Shortest rank, s"), "time_min"),
    _Column(message("Longest rank, s"), "time_max"),
    _Column(message("Calls a rank"), "calls_per_rank", count),
    _Column(message("Median size"), "median_size", size),
    _Column(message("Largest"), "largest_size", size),
)
_SITES = (
    _Column(message("In MPI, s"), "time"),
    _Column(message("% of elapsed"), "share", number, 100),
    _Column(message("Calls, all ranks"), "calls", count),
)
_STACKS = (
    _Column(message("In MPI, s"), "time"),
    _Column(message("% of elapsed"), "share", number, 100),
    _Column(message("Calls, all ranks"), "calls", count),
)
_COMMUNICATORS = (
    _Column(message("Ranks"), "size", count),
    _Column(message("Hosts"), "nodes", count),
    _Column(message("In MPI, s"), "time"),
    _Column(message("% of elapsed"), "share", number, 100),
    _Column(message("Waiting at least, s"), "wait"),
)
_PATH = (
    _Column(message("On the path, s"), "time"),
    _Column(message("% of the path"), "share", number, 100),
)
_HOSTS = (
    _Column(message("Ranks"), "ranks", count),
    _Column(message("Cores"), "cores", count),
    _Column(message("CPUs usable"), "cpus", count),
    _Column(message("Threads for each CPU"), "load"),
    _Column(message("Outside MPI, s"), "useful_time"),
    _Column(message("Memory of its ranks"), "memory_peak", size),
)
_COUNTERS = (
    _Column(message("Outside MPI"), "outside", count),
    _Column(message("Inside MPI"), "inside", count),
    _Column(message("A second outside MPI"), "outside_rate", count),
)


def tables(run: Lookup) -> Tuple[Grid, ...]:
    """All tables that have rows."""
    waiting = message("Waiting, s") if sampled(run) else message("Waiting at least, s")
    ranks = counted(run.number("run.ranks"), "rank")
    share = percent(run.number("run.mpi_share"))
    candidates = (
        _grid(
            run,
            "calls",
            "operation",
            message(
                "Calls, means over {ranks}. {share} of elapsed time in all.",
                ranks=ranks,
                share=share,
            ),
            ((message("Call"), "name"),),
            _with_waiting(_CALLS, waiting),
            _mpi_name,
        ),
        _grid(
            run,
            "sites",
            "site",
            message("Call sites, means over {ranks}.", ranks=ranks),
            (
                (message("Function"), "function"),
                (message("Place"), "place"),
                (message("Call"), "operation"),
            ),
            _SITES,
        ),
        _grid(
            run,
            "stacks",
            "stack",
            message("Call paths, means over {ranks}, estimated from sampled calls.", ranks=ranks),
            ((message("Call"), "operation"), (message("Call path, the caller first"), "path")),
            _STACKS,
            _mpi_name,
        ),
        _grid(
            run,
            "communicators",
            "communicator",
            message("Communicators, means over their members."),
            (
                (message("Name"), "name"),
                (message("Class"), "class"),
                (message("Mostly"), "operations"),
            ),
            _COMMUNICATORS,
        ),
        _grid(
            run,
            "path",
            "path",
            message("The path that decided how long the run took, waiting left out."),
            ((message("Call"), "operation"), (message("Function"), "function")),
            _PATH,
            _on_path,
        ),
        _grid(
            run,
            "hosts",
            "node",
            message("Hosts, means over their ranks."),
            ((message("Host"), "name"),),
            _HOSTS,
            fold=False,
        ),
        _grid(
            run,
            "counters",
            "counter",
            message("Counters of processor and system, sums over ranks; the parts are estimates."),
            ((message("Counter"), "name"),),
            _COUNTERS,
            fold=False,
        ),
    )
    return tuple(grid for grid in candidates if grid is not None)


def _with_waiting(columns: Sequence[_Column], heading: str) -> Tuple[_Column, ...]:
    """The column of waiting is named for what it is: an estimate, or a lower bound."""
    return tuple(
        _Column(heading, column.measure) if column.measure == "wait" else column
        for column in columns
    )


def _on_path(text: str) -> str:
    return text if " " in text else _mpi_name(text)


def _mpi_name(text: str) -> str:
    return text if text.startswith("MPI_") else f"MPI_{text}"


def _grid(
    run: Lookup,
    name: str,
    table: str,
    caption: str,
    texts: Sequence[tuple],
    columns: Sequence[_Column],
    first: Callable = str,
    fold: bool = True,
) -> Optional[Grid]:
    """A table ordered by time; rows below 1 % of elapsed fold. Columns without any known cell are
    left out."""
    found = run.table(table)
    if found is None:
        return None
    texts = [entry for entry in texts if any(run.texts(f"{table}.{entry[1]}"))]
    columns = [column for column in columns if run.numbers(f"{table}.{column.measure}") is not None]
    order, hidden = _order(run, table, len(found), fold)
    rows = tuple(_row(run, table, index, texts, columns, first) for index in order)
    rest = tuple(_row(run, table, index, texts, columns, first) for index in hidden[:MOST_REST])
    headings = [Heading(head, code=head in ("Function", "Place")) for head, _ in texts]
    headings += [Heading(column.heading, True) for column in columns]
    return (
        Grid(name, caption, tuple(headings), rows, _folded(run, table, hidden), rest)
        if rows and texts
        else None
    )


def _order(run: Lookup, table: str, rows: int, fold: bool) -> Tuple[List[int], List[int]]:
    share = run.numbers(f"{table}.share")
    if share is None or not fold:
        return list(range(min(rows, 64))), list(range(min(rows, 64), rows))
    share = np.nan_to_num(share)
    order = [int(index) for index in np.argsort(-share, kind="stable")]
    shown = sum(
        1
        for place, index in enumerate(order)
        if place < MOST_ROWS
        and (share[index] >= SHOWN_SHARE or place < LEAST_ROWS and share[index] >= LEAST_SHARE)
    )
    shown = max(shown, 1)
    return order[:shown], order[shown:]


def _row(
    run: Lookup,
    table: str,
    index: int,
    texts: Sequence[tuple],
    columns: Sequence[_Column],
    first: Callable,
) -> Tuple[Cell, ...]:
    cells = [Cell(run.text_at(f"{table}.{measure}", index)) for _, measure in texts]
    if cells:
        cells[0] = Cell(
            first(cells[0].text)
            if cells[0].text
            else message("unnamed")
            if table == "communicator"
            else message("unknown")
        )
    cells = _without_repetition(cells)
    for column in columns:
        values = run.numbers(f"{table}.{column.measure}")
        value = np.nan if values is None else values[index] * column.factor
        cells.append(
            Cell("", None)
            if np.isnan(value)
            else Cell(_written(run, table, column, index, value), float(value))
        )
    return tuple(cells)


def _written(run: Lookup, table: str, column: _Column, index: int, value: float) -> str:
    """The number, or its interval; where the heading says "at least", the bound alone."""
    found = run.interval(f"{table}.{column.measure}", index)
    if found is not None and found.high is None and "at least" in column.heading:
        found = None
    scaled = found and Interval(*(None if end is None else end * column.factor for end in found))
    return reported(scaled, _small(value, column.write), column.write, True)


def _without_repetition(cells: List[Cell]) -> List[Cell]:
    """A place that could not be resolved to a line is "function in module": the function stands
    beside it."""
    if len(cells) > 1 and cells[0].text and cells[1].text.startswith(cells[0].text + " in "):
        cells[1] = Cell(cells[1].text[len(cells[0].text) + 4 :])
    return cells


def _small(value: float, write: Callable) -> str:
    """In a column of seconds or percent, what is too small to be told apart is not written with
    five zeros."""
    return "< 0.001" if write is number and 0 < value < 0.001 else write(value)


def _folded(run: Lookup, table: str, hidden: List[int]) -> str:
    if not hidden:
        return ""
    share = run.numbers(f"{table}.share")
    rows = counted(len(hidden), "more row")
    if share is None:
        return message("{rows} not shown.", rows=rows)
    return message(
        "{rows} not shown, together {share} of elapsed time.",
        rows=rows,
        share=percent(float(np.nansum(share[hidden]))),
    )
