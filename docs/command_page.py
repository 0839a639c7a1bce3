"""The reference of all commands, from what their parsers say: as the man page, for the site."""

from __future__ import annotations

import argparse
from typing import Iterator, List

from advisor import cli
from advisor.cli.command_tree import Command, command_tree, help_of, value_of

COMMANDS = "docs/COMMANDS.md"


def command_page() -> str:
    """All commands on one page, in Markdown."""
    top = command_tree(cli.parser())
    lines = ["# Commands", "", "`advisor COMMAND --help` says the same in the terminal.", ""]
    for command in (each for part in top.parts for each in (part, *part.parts)):
        lines += _described(command)
    return "\n".join(lines)


def _described(command: Command) -> Iterator[str]:
    level = "##" if command.name.count(" ") == 1 else "###"
    yield from (
        f"{level} {command.name}",
        "",
        f"{command.summary[:1].upper()}{command.summary[1:]}.",
        "",
    )
    rows = [
        f"| {_head(action)} | {_cell(help_of(action))} |"
        for action in (*command.operands, *command.options)
    ]
    if rows:
        yield from ("| option | meaning |", "|---|---|", *rows, "")
    examples = _examples(command)
    if examples:
        yield from ("```text", *examples, "```", "")


def _head(action: argparse.Action) -> str:
    """Within a code span a bar ends no cell, and would be shown with its backslash."""
    return f"`{' '.join(filter(None, (', '.join(action.option_strings), value_of(action))))}`"


def _examples(command: Command) -> List[str]:
    """Lines to copy, and what is said behind them."""
    lines = (command.parser.epilog or "").splitlines()
    return [
        line for line in lines if line.strip() and line.strip() not in ("example:", "examples:")
    ]


def _cell(text: str) -> str:
    """A bar would end the cell."""
    return text.replace("|", "\\|")
