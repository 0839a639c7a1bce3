"""`advisor export`: the numbers of a result for other programs."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from advisor import analysis
from advisor.cli import opening, tracing_out
from advisor.cli.messages import say
from advisor.cli.progress import Progress, with_progress
from advisor.cli.report import write
from advisor.model.errors import UserError
from advisor.model.measures import Measures
from advisor.reports import exporting
from advisor.reports.exporting.comma_separated import comma_separated, described
from advisor.reports.exporting.tables import tables

EXAMPLES = """examples:
  advisor export RESULT --format json -o tables.json
      all tables, with types and units
  advisor export RESULT --format csv -o FOLDER
      one file a table, and schema.csv
  advisor export RESULT --format csv --table operation
  advisor export RESULT --format openmetrics
      for job monitoring
  advisor export RESULT --format chrome -o ranks.json
      a time line for Perfetto
  advisor export RESULT --format otf2
      the archive, if run --trace could not make it at the end of the job
In CSV a ' stands in front of texts that a spreadsheet would take for formulas,
and control characters are \\u escapes.
"""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "export",
        help="write the numbers of a result for other programs",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "result", metavar="RESULT", help="a result folder, a profile file, or another tool's file"
    )
    command.add_argument(
        "--format",
        choices=(*exporting.FORMATS, "otf2"),
        required=True,
        help=(
            "csv, json: tables; openmetrics: measures of the run; chrome: when ranks ran; otf2: the"
            " trace of run --trace"
        ),
    )
    command.add_argument(
        "--table",
        metavar="TABLE",
        default="",
        help="csv, json: this table alone; advisor show RESULT lists them",
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="instead of standard output; a folder for csv of all tables",
    )
    command.set_defaults(run=run)


@with_progress("reading the result", "writing it")
def run(arguments: argparse.Namespace, progress: Progress) -> int:
    """Read, measure, write."""
    if arguments.format == "otf2":
        progress.done()  # It has its own.
        tracing_out.write(Path(arguments.result), say(False))
        return 0
    if arguments.table and arguments.format not in ("csv", "json"):
        raise UserError(
            f"--table has no meaning for {arguments.format}.",
            do="Leave it out, or choose csv or json.",
        )
    if arguments.format == "csv" and not arguments.table and not arguments.output:
        raise UserError(
            "All tables as CSV are several files.",
            do="Give a folder with -o, or one table with --table.",
        )
    measures = analysis.measure(opening.read(arguments.result))
    progress.stage(1)
    if arguments.format == "csv" and not arguments.table:
        _folder(measures, Path(arguments.output))
    else:
        write(arguments.output, exporting.export(measures, arguments.format, arguments.table))
    return 0


def _folder(measures: Measures, folder: Path) -> None:
    """One CSV a table. A folder that is there must be empty: nothing is overwritten."""
    found = tables(measures)
    try:
        os.makedirs(folder, exist_ok=True)
        if any(folder.iterdir()):
            raise UserError(f"{folder} is not empty.", do="Choose another folder with -o.")
        # csv brings its own ends of lines.
        for name, text in {
            **{name: comma_separated(table) for name, table in found.items()},
            "schema": described(found),
        }.items():
            (folder / f"{name}.csv").write_bytes(text.encode("utf-8"))
    except OSError as error:
        raise UserError(
            f"{folder} cannot be written: {error.strerror}.", do="Choose another folder with -o."
        ) from error
