"""`advisor version`: the same as --version."""

from __future__ import annotations

import argparse

from advisor import cli

EXAMPLES = """examples:
  advisor version
The version of advisor, and which Python runs it; the same as advisor --version.
"""


def add(subparsers: argparse._SubParsersAction) -> None:
    """Add the command to the parser."""
    command = subparsers.add_parser(
        "version",
        help="print the version, and which Python runs it",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what --version prints."""
    print(cli.version_line())
    return 0
