"""`mpirun … advisor exec -- ./program`: for job scripts that own their launch line."""

from __future__ import annotations

import argparse
import os
import secrets
import shlex
import sys
from pathlib import Path
from typing import List, Optional

from advisor import launching
from advisor.cli.messages import complain, say
from advisor.cli.progress import Progress
from advisor.launching.run import child, env_forwarding, in_job, tracing
from advisor.model.errors import UserError

EXAMPLES = """examples:
  mpirun -n 4 advisor exec -- ./app input.dat
  mpirun -n 4 advisor-exec ./app input.dat
      the same without starting Python on every rank
  eval "$(advisor exec --print-env -- ./app)"
      before a launch line that stays as it is: mpirun -n 4 ./app
  advisor exec --finish $?
      after the launch line: time, exit code and report
  advisor report RESULT
      the report without them, at any time
  mpirun -n 4 advisor exec --trace=first=60s -- ./app
      also an OTF2 trace, which --finish makes (or ADVISOR_TRACE=first=60s)
"""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "exec",
        help="profile from inside a launch line",
        usage="mpirun … advisor exec -- ./program …",
        description=(
            "For job scripts that own their launch line. The result goes to $ADVISOR_OUTPUT, or to"
            " ./advisor-<job>."
        ),
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "--print-env",
        action="store_true",
        help="print the variables that the ranks of the next launch need, as lines of sh",
    )
    command.add_argument(
        "--launcher",
        metavar="NAME",
        default="",
        help=(
            "of --print-env: what starts the ranks, if not the MPI library's own mpirun (srun,"
            " aprun, …)"
        ),
    )
    command.add_argument(
        "--trace",
        metavar="SELECTION",
        nargs="?",
        const="all",
        help=(
            "keep an OTF2 trace as well, as advisor run --trace does; --finish or advisor export"
            " RESULT --format otf2 makes the archive"
        ),
    )
    command.add_argument(
        "--finish",
        metavar="CODE",
        type=int,
        help="the launch has ended with CODE: make its report, and end with CODE",
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        type=Path,
        help=(
            "result folder (default: $ADVISOR_OUTPUT or ./advisor-<job>; for --finish that of the"
            " job that was started last here)"
        ),
    )
    command.add_argument("--answer", metavar="DIR", type=Path, help=argparse.SUPPRESS)
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """One of four things; 127 or 126 if there is no such program."""
    if arguments.finish is not None:
        return finish(arguments.output or in_job.newest_folder(os.environ), arguments.finish)
    if arguments.trace is not None:
        os.environ[tracing.VARIABLE] = arguments.trace
        tracing.wished(os.environ)  # One that makes no sense is said here, by all ranks.
    if arguments.print_env:
        return print_variables(arguments.words or [], arguments.launcher, arguments.output)
    if not arguments.words:
        raise UserError(
            "There is no program to run.",
            do="Write it after two dashes: mpirun -n 4 advisor exec -- ./program",
        )
    return (
        give_answer(arguments.answer, arguments.words)
        if arguments.answer
        else start(arguments.words)
    )


def start(words: List[str]) -> int:
    """Become advisor-exec, which becomes the program: ranks agree there, and need no Python."""
    script = Path(launching.__file__).with_name("advisor-exec")
    environment = {**os.environ, "ADVISOR_PYTHON": sys.executable}
    try:
        child.become(["/bin/sh", str(script), *words], environment)
    except OSError as error:
        complain(UserError(f"{words[0]} cannot be started: {error.strerror}."))
    return 126


def give_answer(meeting: Path, words: List[str]) -> int:
    """Work out what the ranks need, and write it where they wait for it."""
    try:
        settled = in_job.answer(meeting, words, dict(os.environ), say(False))
        say(False)(f"when the job has ended: advisor report {typed(settled.folder)}")
    except UserError as problem:
        complain(problem)
    except Exception as error:  # The program must run, whatever is wrong with us.
        complain(
            UserError(
                f"advisor failed: {type(error).__name__}: {error}",
                "The program runs without being measured.",
            )
        )
    return 0


def print_variables(words: List[str], launcher: str, output: Optional[Path]) -> int:
    """Lines for `eval`: nothing but a comment if nothing can be measured, so that the job script
    goes on."""
    environment = {**os.environ, **({"ADVISOR_OUTPUT": str(output)} if output else {})}
    try:
        with Progress("preparing the launch") as progress:
            settled = in_job.settle(
                words, environment, secrets.token_hex(8), launcher, progress.tell
            )
    except UserError as problem:
        complain(problem)
        print("# advisor: nothing is measured")
        return 0
    print(env_forwarding.script(settled.variables, settled.library, launcher, environment))
    say(False)(
        "behind the launch line: advisor exec --finish $?    The result goes to"
        f" {typed(settled.folder)}"
    )
    return 0


def finish(folder: Path, code: int) -> int:
    """What `advisor run` does after the job. The code is the job's."""
    from advisor.cli import sealing

    left = in_job.ended(folder.absolute(), code, dict(os.environ))
    try:
        sealing.conclude(left, rules=[], quiet=False)
        if tracing.left(left.folder):
            from advisor.cli import tracing_out

            tracing_out.write(left.folder, say(False))
    except UserError as problem:
        complain(problem)
    return code


def typed(folder: Path) -> str:
    """A folder as it can be typed."""
    return shlex.quote(os.path.relpath(folder) if folder.parent == Path.cwd() else str(folder))
