"""`advisor build`: make the collector for an MPI library by hand."""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path

from advisor.cli.progress import Progress
from advisor.launching.collector import build
from advisor.model.errors import UserError

EXAMPLES = """examples:
  advisor build                        for the mpicc of the PATH
  advisor build --mpicc mpicc.mpich    for another MPI library
  advisor build -o collector.so        into a file to preload (LD_PRELOAD) by hand
"""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "build",
        help="build the collector for an MPI library by hand",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--mpicc",
        metavar="MPICC",
        default="mpicc",
        help="compiler wrapper of the library (default: mpicc along PATH)",
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        type=Path,
        help="write it there, not into the cache that advisor run looks in",
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Build, and print where it is."""
    mpicc = shutil.which(arguments.mpicc)
    if mpicc is None:
        raise UserError(
            f"{arguments.mpicc} is not found.",
            do="Give the compiler wrapper of your MPI: advisor build --mpicc /path/to/mpicc",
        )
    with Progress("building the collector") as progress:
        built = build.by_hand(mpicc, arguments.output, dict(os.environ), progress.tell)
    print(built)
    return 0
