"""Which columns of a wide table `show` prints first in a terminal: those that people ask for, as
many as fit."""

from __future__ import annotations

from dataclasses import replace
from typing import List, Mapping, Tuple

from advisor.cli.grid import Grid, GridColumn

Groups = Tuple[Tuple[str, ...], ...]
OF_RUN: Groups = (
    ("program", "ranks", "nodes", "time"),
    ("mpi_share", "wait_share", "transfer_share", "no_core_share"),
    ("parallel_efficiency", "load_balance", "communication_efficiency", "overhead_share"),
)
"""Rows of the run, with an empty line between the groups."""
_FIRST: Mapping[str, Tuple[str, ...]] = {
    "run": tuple(name for group in OF_RUN for name in group),
    "rank": ("id", "node", "time", "mpi_share", "wait_share", "delay_cost_share", "compute_share"),
    "node": ("name", "ranks", "cores", "memory", "mpi_share", "delay_cost_share", "load", "cpu"),
    "operation": ("name", "calls", "time", "share", "wait_share", "bytes", "median_size", "site"),
    "cell": ("operation", "class", "size", "calls", "time", "share", "bytes"),
    "cause": ("kind", "operation", "size", "time", "share", "rank", "site"),
    "library": (
        *("name", "version", "family", "standard", "layer", "fabric", "device", "ucx_version"),
        *("built_with_ucx", "built_with_ofi", "built_with_cma", "built_with_xpmem"),
    ),
    "setting": ("name", "value", "place", "known", "right_name"),
    "ranks": ("rank", "node", "pid", "cores", "threads", "memory_peak", "events", "state"),
}
ROWS = 12
"""Of a table with one row, which is printed upright."""


def first_columns(grid: Grid, width: int, sizes: Mapping[str, int]) -> Tuple[Grid, int]:
    """The table with the columns that are shown first, and how many are left out. `sizes`: letters
    of each column with its head."""
    order = list(ordered(grid).columns)
    count = min(ROWS, len(order)) if len(grid) == 1 else _that_fit(order, width, sizes)
    chosen = order[:count]
    return replace(grid, columns=tuple(chosen)), len(order) - len(chosen)


def ordered(grid: Grid) -> Grid:
    """The table with those columns in front, the others behind as they were."""
    known = {column.name: column for column in grid.columns}
    first = [known[name] for name in _FIRST.get(grid.name, ()) if name in known]
    names = {column.name for column in first}
    rest = [column for column in grid.columns if column.name not in names]
    return replace(grid, columns=(*first, *rest))


def _that_fit(order: List[GridColumn], width: int, sizes: Mapping[str, int]) -> int:
    """One at least."""
    used, count = 0, 0
    for column in order:
        used += sizes[column.name] + 1
        if used > width + 1 and count:
            break
        count += 1
    return count
