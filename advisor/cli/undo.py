"""`advisor undo`: takes back what `advisor apply` wrote."""

from __future__ import annotations

import argparse
from pathlib import Path

from advisor.cli.messages import say
from advisor.verifying import overlay

EXAMPLES = """examples:
  advisor undo RESULT        scripts are restored bit for bit; what was changed since is not touched
"""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser("undo", help="take back what apply wrote", epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("result", metavar="RESULT", type=Path, help="the result folder that was given to apply")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Restore, remove, and say what was done."""
    for sentence in overlay.undo(arguments.result):
        say(False)(sentence)
    return 0
