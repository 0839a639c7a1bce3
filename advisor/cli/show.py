"""`advisor show`: the numbers of a result, without judgement."""

from __future__ import annotations

import argparse
import os
import sys
from typing import List

from advisor import analysis
from advisor.base.numbers import HARD, counted
from advisor.cli import first_columns, forms, grid, opening
from advisor.cli.arguments import OF_SEVERAL
from advisor.cli.progress import Progress, with_progress
from advisor.cli.report import terminal_options
from advisor.model.errors import UserError

EXAMPLES = """examples:
  advisor show RESULT                             which tables there are
  advisor show RESULT operation                   one row for each MPI operation
  advisor show RESULT calls --sort time --limit 5
  advisor show RESULT rank --columns id,node,wait_share
  advisor show RESULT run --all                   all numbers of the run
  advisor show RESULT rank --csv > ranks.csv
A terminal shows the columns that fit, those that are asked for most first;
pipes, CSV and JSON have all. Times are in s, sizes in B, shares between 0 and
1. An unknown cell is ?, and empty in CSV. A value that is not known to within
10 % is an interval (95 %), or has ≥ or ≤; CSV has the number, JSON both ends as
well. In CSV a ' stands in front of texts that a spreadsheet would take for
formulas.
"""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "show",
        help="print the numbers of a result, without judgement",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("result", metavar="RESULT", help="result folder or profile file")
    command.add_argument("table", metavar="TABLE", nargs="?", help="without it: a list of tables")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="with units, quality and reasons")
    form.add_argument("--csv", action="store_true", help="numbers in full")
    command.add_argument("--limit", metavar="N", type=int, default=0, help="the first N rows")
    command.add_argument(
        "--columns", metavar="NAME,NAME", default="", help="these columns, in this order"
    )
    command.add_argument(
        "--all", action="store_true", help="in a terminal: all columns, in several blocks"
    )
    command.add_argument("--sort", metavar="COLUMN", help="largest first; text from A to Z")
    command.set_defaults(run=run)


@with_progress("reading the result", "computing its measures")
def run(arguments: argparse.Namespace, progress: Progress) -> int:
    """Print one table, or the list of them."""
    profile = opening.read(arguments.result)
    progress.stage(1)
    measures = analysis.measure(profile)
    progress.done()
    grids = grid.of_measures(measures) + grid.of_profile(profile)
    if arguments.table is None:
        table = grid.overview(grids)
        if not (arguments.json or arguments.csv):
            print(grid.summary(measures), end="\n\n")
    else:
        table = _chosen(arguments.table, grids)
    rows = arranged(table, arguments)
    print(form(rows, arguments), end="")
    if len(rows) < len(table) and sys.stdout.isatty() and not (arguments.json or arguments.csv):
        print(f"\n{counted(len(rows), 'row')} of {len(table)}".replace(HARD, " "))
    return 0


def _chosen(name: str, grids: List[grid.Grid]) -> grid.Grid:
    try:
        return grid.choose(name, grids)
    except UserError:
        if not os.path.exists(name):
            raise
        raise UserError(
            f"advisor show takes one result, and {name} stands where a table may.", do=OF_SEVERAL
        ) from None


def arranged(table: grid.Grid, arguments: argparse.Namespace) -> grid.Grid:
    """Sorted, cut, and with the columns asked for."""
    if arguments.limit < 0:
        raise UserError(
            f"--limit {arguments.limit} is not a number of rows.", do="Give 1 or more; 0 for all."
        )
    if arguments.sort:
        table = grid.sort(table, arguments.sort)
    if arguments.columns:
        names = [name.strip() for name in arguments.columns.split(",")]
        if not any(names):
            raise UserError("--columns names no column.", do="Write them as NAME,NAME.")
        table = grid.with_columns(table, [name for name in names if name])
    return grid.head(table, arguments.limit) if arguments.limit else table


def form(table: grid.Grid, arguments: argparse.Namespace) -> str:
    """The table as text in the form asked for."""
    if arguments.json:
        return forms.as_json(table)
    if arguments.csv:
        return forms.as_csv(table)
    everything = arguments.all or bool(arguments.columns)
    color = terminal_options(sys.stdout)["color"]
    ordered = table if arguments.columns else first_columns.ordered(table)
    return forms.as_text(ordered, sys.stdout.isatty(), color, everything)
