"""`advisor demo`: compile a sample with a known fault, run it under the collector, and show the
report."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path

from advisor.base import resource_paths, trusted_files
from advisor.cli.messages import complain, say
from advisor.cli.progress import Progress
from advisor.cli.run import conclude
from advisor.launching.run import demonstration, session

EXAMPLES = """examples:
  advisor demo                                with the first MPI that is found
  advisor demo --mpicc mpicc.mpich -o first   with another MPI, into the folder first
"""


_SECONDS = 12
"""That the sample runs, on an idle core for each of its ranks."""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "demo",
        help="compile a sample, run it, show a report: about a minute",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help="result folder; never overwritten: DIR-2, DIR-3 …",
    )
    command.add_argument("--mpicc", metavar="MPICC", help="the MPI to use, by its compiler wrapper")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Compile, run, advise; 0 if the sample ran."""
    tell = say(quiet=False)
    wanted = arguments.mpicc and (shutil.which(arguments.mpicc) or arguments.mpicc)
    mpi = demonstration.find_mpi(os.environ, wanted)
    environment = demonstration.run_environment(mpi, os.environ)
    with Progress("compiling the sample"):
        program = demonstration.compile_sample(mpi, _folder(), environment)
    line = demonstration.launch_line(mpi, program)
    tell(
        f"one rank of {program.name} works four times as long as the others; it runs about"
        f" {_SECONDS} seconds"
    )
    tell(f"advisor run -- {' '.join(line)}")
    with Progress("preparing the run") as progress:
        prepared = session.prepare(line, environment, arguments.output, progress.tell, tell)
    if prepared.problem:
        complain(prepared.problem)
    with Progress("running the sample", expected=_SECONDS):
        finished = session.execute(prepared, environment)
    if finished.run is not None:
        arguments.rules, arguments.quiet, arguments.no_report = [], False, False
        conclude(prepared, finished.run, arguments)
    return finished.ended.code


def _folder() -> Path:
    """Where the sample stays, beside the collectors: the line that the report ends with must still
    run tomorrow."""
    cache = resource_paths.to_keep(os.environ)
    return (
        trusted_files.made(cache / "demo")
        if cache
        else Path(tempfile.mkdtemp(prefix="advisor-demo-"))
    )
