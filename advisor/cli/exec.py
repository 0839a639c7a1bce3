"""`mpirun … advisor exec -- ./program`: for job scripts that own their launch line. Started once a rank, it becomes the program."""

from __future__ import annotations

import argparse
import os
import shlex

from advisor.cli.messages import complain, say
from advisor.launching import child, inside
from advisor.model.errors import UserError

EXAMPLES = """examples:
  mpirun -n 4 advisor exec -- ./app input.dat
  ADVISOR_OUTPUT=before srun advisor exec -- ./app
  advisor report before                       afterwards: exec alone makes no report
"""


def add(subparsers) -> None:
    """The command."""
    command = subparsers.add_parser(
        "exec", help="profile from inside a launch line", usage="mpirun … advisor exec -- ./program …",
        description="For job scripts that own their launch line. The result goes to $ADVISOR_OUTPUT, or to ./advisor-<job>.",
        epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Become the program, with the collector if it can be had; 127 or 126 if there is no such program."""
    if not arguments.words:
        raise UserError("There is no program to run.", do="Write it after two dashes: mpirun -n 4 advisor exec -- ./program")
    environment = dict(os.environ)
    first = inside.rank(environment) in ("0", "")
    try:
        environment = inside.environment_for(arguments.words, environment, say(quiet=not first))
        if first and "ADVISOR_RUN" not in os.environ and environment.get("ADVISOR_OUTPUT"):
            say(quiet=False)(f"when the job has ended: advisor report {_folder(environment['ADVISOR_OUTPUT'])}")
    except UserError as problem:
        if first:
            complain(problem)
    except Exception as error:  # The program must run, whatever is wrong with us.
        complain(UserError(f"advisor failed: {type(error).__name__}: {error}", "The program runs without being measured."))
    try:
        child.become(arguments.words, environment)
    except OSError as error:
        complain(UserError(f"{arguments.words[0]} cannot be started: {error.strerror}."))
        return 127 if isinstance(error, FileNotFoundError) else 126


def _folder(output: str) -> str:
    """The result folder as it can be typed; the collector is given the folder of parts in it."""
    folder = os.path.dirname(output) if os.path.basename(output) == "parts" else output
    return shlex.quote(os.path.relpath(folder) if os.path.dirname(folder) == os.getcwd() else folder)
