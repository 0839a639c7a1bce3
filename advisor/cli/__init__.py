"""The command line. The only room that knows all others; one command, one file."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from advisor import __version__
from advisor.cli.arguments import Parser

COMMANDS = (
    "run",
    "exec",
    "report",
    "compare",
    "bundle",
    "list",
    "verify",
    "apply",
    "undo",
    "show",
    "export",
    "fleet",
    "rules",
    "doctor",
    "demo",
    "build",
    "completion",
    "help",
    "version",
)
EXAMPLES = """examples:
  advisor demo                                    a first report in a minute
  advisor run -- mpirun -n 64 ./vasp_std          profile a job, then advise
  advisor report RESULT --format markdown         the same advice for a ticket
  advisor show RESULT calls                       the numbers without judgement
  advisor doctor                                  what can be measured here
"""


def parser(command: str = "") -> Parser:
    """The parser of all commands, or of one. Each command's module adds its own part and sets
    `run`.

    One: the modules of all commands together take half a second to import, which a job would wait
    for.
    """
    top = Parser(
        prog="advisor",
        description="Profiles an MPI job and says what to change.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    about = "print the version, and which Python runs it"
    top.add_argument("-v", "--version", action="version", version=version_line(), help=about)
    subparsers = top.add_subparsers(title="commands", metavar="COMMAND")
    for name in (command,) if command in COMMANDS else COMMANDS:
        import_module(f"advisor.cli.{name}").add(subparsers)
    return top


def version_line() -> str:
    """What a report of a mistake needs first.

    Of several Pythons, users rarely know which one they started.
    """
    number = ".".join(map(str, sys.version_info[:3]))
    return f"advisor {__version__} (Python {number}, {sys.executable})"
