"""`advisor undo`: undoes what `advisor apply` wrote, and first shows what that is."""

from __future__ import annotations

import argparse
from pathlib import Path

from advisor.cli.messages import say
from advisor.verifying import undoing

EXAMPLES = """examples:
  advisor undo RESULT
      scripts are restored byte for byte; what was changed since is not touched
Only what your own advisor apply recorded on this account is undone. For another
record, the commands to undo it by hand are shown.
"""


def add(subparsers) -> None:
    """The command and its options."""
    command = subparsers.add_parser(
        "undo",
        help="undo what apply wrote",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument(
        "result", metavar="RESULT", type=Path, help="the result that was given to apply"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Say what will be done, restore, remove, and say what was done."""
    plan, tell = undoing.planned(arguments.result), say(False)
    for sentence in plan.sentences():
        tell(f"{'the record says' if plan.refusal else 'now'}: {sentence}")
    for sentence in undoing.take_back(plan):
        tell(sentence)
    return 0
