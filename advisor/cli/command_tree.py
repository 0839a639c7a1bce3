"""Commands as their parsers describe them, for what is made of all of them: completion and the
manual page."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import List, Tuple


@dataclass(frozen=True)
class Command:
    """`name`: as one types it, such as "advisor rules list". `parts`: the commands below it."""

    name: str
    summary: str
    parser: argparse.ArgumentParser
    parts: Tuple["Command", ...]

    @property
    def word(self) -> str:
        """The last word of its name."""
        return self.name.rpartition(" ")[2]

    @property
    def options(self) -> List[argparse.Action]:
        """What begins with a dash, without --help, which all have, and what only advisor itself
        says to advisor."""
        return [
            each
            for each in self.parser._actions
            if each.option_strings and each.dest != "help" and each.help != argparse.SUPPRESS
        ]

    @property
    def operands(self) -> List[argparse.Action]:
        """What stands without a dash."""
        return [
            each
            for each in self.parser._actions
            if not each.option_strings and not isinstance(each, argparse._SubParsersAction)
        ]


def command_tree(
    parser: argparse.ArgumentParser, name: str = "advisor", summary: str = ""
) -> Command:
    """A parser with all parsers below it. argparse has no public way to ask for them, in any
    version."""
    found = [each for each in parser._actions if isinstance(each, argparse._SubParsersAction)]
    parts = [
        (word, part, said)
        for action in found
        for (word, part), said in zip(action.choices.items(), _summaries(action))
    ]
    return Command(
        name,
        summary,
        parser,
        tuple(command_tree(part, f"{name} {word}", said) for word, part, said in parts),
    )


def help_of(action: argparse.Action) -> str:
    """The help of an option in one line, with its values filled in as argparse does it."""
    return " ".join(((action.help or "") % vars(action)).split())


def value_of(action: argparse.Action) -> str:
    """What stands behind an option, or in place of an operand; empty if nothing does."""
    if action.nargs == 0:
        return ""
    if action.metavar:
        name = " ".join(action.metavar) if isinstance(action.metavar, tuple) else action.metavar
    else:
        name = "|".join(map(str, action.choices)) if action.choices else action.dest.upper()
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} ..."}.get(str(action.nargs), name)


def _summaries(action: argparse._SubParsersAction) -> List[str]:
    return [help_of(each) for each in action._choices_actions]
