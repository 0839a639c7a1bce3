"""The command line. The only room that knows all others; one command, one file."""

from __future__ import annotations

import argparse
from importlib import import_module

from advisor import __version__

COMMANDS = ("run", "exec", "report", "compare", "bundle", "verify", "apply", "undo", "show", "export", "rules", "doctor", "demo", "build", "completion")
EXAMPLES = """examples:
  advisor demo                                    a first report in a minute
  advisor run -- mpirun -n 64 ./vasp_std          profile a job, then advise
  advisor report RESULT --format markdown         the same advice for a ticket
  advisor show RESULT calls                       the numbers without judgement
  advisor doctor                                  what can be measured here
"""


def parser() -> argparse.ArgumentParser:
    """The parser of all commands. Each command's module adds its own part and sets `run`."""
    top = argparse.ArgumentParser(
        prog="advisor",
        description="Profiles an MPI job and says what to change.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"advisor {__version__}")
    subparsers = top.add_subparsers(title="commands", metavar="COMMAND")
    for command in COMMANDS:
        import_module(f"advisor.cli.{command}").add(subparsers)
    return top
