"""How `show` prints a table: aligned text, JSON, CSV."""

from __future__ import annotations

import io
import shutil
from dataclasses import replace
from typing import Any, Dict, List, Tuple

from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from advisor.base.numbers import HARD, counted
from advisor.cli.first_columns import OF_RUN, Groups, first_columns
from advisor.cli.grid import Grid, GridColumn, listed
from advisor.model.harmless import csv_text, json_text, visible
from advisor.model.interval import BYTES
from advisor.model.interval import written as interval_text

_EPOCH = 1e8
_LONGEST = 80
"""Letters of a cell in aligned text; JSON and CSV have all of it."""


def as_json(grid: Grid) -> str:
    """One object: columns with units, quality, reasons and bounds, a number for each row; rows;
    null where unknown."""
    columns = [
        {key: value for key, value in vars(column).items() if key != "cells" and value}
        for column in grid.columns
    ]
    rows = [dict(zip((column.name for column in grid.columns), row)) for row in _by_row(grid)]
    return json_text({"table": grid.name, "columns": columns, "rows": rows}, indent=1) + "\n"


def as_csv(grid: Grid) -> str:
    """Heads with units, then rows; empty where unknown."""
    return csv_text([[_title(column) for column in grid.columns], *_by_row(grid)], line_end="\n")


def as_text(grid: Grid, for_people: bool, color: bool = False, everything: bool = True) -> str:
    """Aligned columns: as wide as the terminal in several blocks if need be, or all in one line
    when piped. People get the first columns, in one block, unless they want `everything`."""
    width, left = shutil.get_terminal_size().columns if for_people else 10_000, 0
    if for_people and not everything:
        grid, left = first_columns(grid, width, _widths(grid))
    upright = len(grid) == 1 and len(grid.columns) > 4
    if upright:
        grid = _upright(grid, OF_RUN if left and grid.name == "run" else ())
    printed = io.StringIO()
    console = Console(
        file=printed, width=width, force_terminal=color, no_color=not color, highlight=False
    )
    for block in [grid] if upright else _blocks(grid, console.width):
        console.print(_rich(block, for_people, color, upright))
    lines = printed.getvalue().splitlines()
    text = "\n".join(line.rstrip() for line in lines) + "\n"
    if left:
        text += f"\n{counted(left, 'more column')}: --all, or --columns NAME,NAME\n"
    return text.replace(HARD, " ")


def written(cell: Any, unit: str) -> str:
    """A cell in the unit of its head."""
    if cell is None:
        return "?"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int) or (
        isinstance(cell, float) and unit in ("B", "count", "") and cell == int(cell)
    ):
        return f"{int(cell)}"
    if isinstance(cell, float):
        # Points in time have ten digits before the point, and microseconds matter.
        return f"{cell:.6f}" if unit == "s" and abs(cell) >= _EPOCH else f"{cell:.4g}"
    return visible(str(cell))


def _shown(column: GridColumn, row: int) -> str:
    """A cell as people read it: what is not known to within 10 % is its interval."""
    cell, found = column.cells[row], column.interval(row)
    if found is None:
        return written(cell, column.unit)
    return interval_text(
        found, lambda end: written(end, column.unit), "≥", "≤", BYTES if column.unit == "B" else 2
    )


def _texts(grid: Grid) -> List[List[str]]:
    return [[_shown(column, row) for row in range(len(grid))] for column in grid.columns]


def _rich(grid: Grid, for_people: bool, color: bool, upright: bool) -> RichTable:
    table = RichTable(
        box=None,
        pad_edge=False,
        show_edge=False,
        header_style="bold" if color else "",
        collapse_padding=True,
    )
    for column in grid.columns:
        numbers = any(
            isinstance(cell, (int, float)) and not isinstance(cell, bool) for cell in column.cells
        )
        table.add_column(
            Text(_title(column)),
            justify="right" if numbers else "left",
            no_wrap=not for_people or (upright and column is not grid.columns[-1]),
            overflow="fold",
        )
    for cells in zip(*_texts(grid)):
        table.add_row(
            *(Text(cell if len(cell) <= _LONGEST else cell[: _LONGEST - 1] + "…") for cell in cells)
        )
    return table


def _blocks(grid: Grid, width: int) -> List[Grid]:
    """The table cut into blocks of columns that fit side by side; each begins with the first
    column."""
    sizes = [size + 1 for size in _widths(grid).values()]
    blocks: List[List[int]] = [[]]
    for index, size in enumerate(sizes):
        if (
            len(blocks[-1]) > 1
            and sum(sizes[i] for i in blocks[-1]) + size > width
            and len(grid.columns) > 4
        ):
            blocks.append([0])
        blocks[-1].append(index)
    return [
        replace(grid, columns=tuple(grid.columns[i] for i in block)) for block in blocks if block
    ]


def _widths(grid: Grid) -> Dict[str, int]:
    """Letters of each column with its head."""
    return {
        column.name: max([len(_title(column)), *(min(len(text), _LONGEST) for text in texts)])
        for column, texts in zip(grid.columns, _texts(grid))
    }


def _upright(grid: Grid, groups: Groups = ()) -> Grid:
    """A table of one row as one line for each column, with an empty line between groups."""
    ends = {group[-1] for group in groups[:-1]}
    rows = []
    for column in grid.columns:
        rows.append((column.name, _shown(column, 0), column.unit, column.quality, column.reason))
        rows += [("",) * 5] * (column.name in ends)
    return listed(grid.name, ("name", "value", "unit", "quality", "why unknown"), rows)


def _by_row(grid: Grid) -> List[Tuple[Any, ...]]:
    return list(zip(*(column.cells for column in grid.columns)))


def _title(column: GridColumn) -> str:
    name = visible(column.name)
    return (
        f"{name} [{column.unit}]"
        if column.unit not in ("", "text", "yes/no", "count", "share")
        else name
    )
