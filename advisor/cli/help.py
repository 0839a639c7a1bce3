"""`advisor help`: the same as --help behind a command."""

from __future__ import annotations

import argparse

from advisor import cli

EXAMPLES = """examples:
  advisor help                 all commands
  advisor help report          one command
  advisor help rules new       a command of a command
"""


def add(subparsers) -> None:
    """Add the command to the parser."""
    command = subparsers.add_parser(
        "help",
        help="explain a command",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("command", metavar="COMMAND", nargs="*", help="without it: all commands")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what --help prints."""
    names = arguments.command
    try:
        cli.parser(names[0] if names else "").parse_args([*names, "--help"])
    except SystemExit as end:  # argparse has no other way to print the help of a command below
        return int(end.code or 0)
    return 0
