"""The parser of all commands: argparse, whose refusals are answered as all other mistakes are."""

from __future__ import annotations

import argparse
import re
import shlex
from typing import Iterable, List, NoReturn

from advisor.base.suggestions import suggestion
from advisor.model.errors import UserError

OF_SEVERAL = "Of several: advisor list RESULT …, or advisor compare BEFORE AFTER"
"""What to do with more results than a command takes."""
_MISSING = re.compile(r"the following arguments are required: (.*)")
_OF = re.compile(r"argument ([^:]+): (.*)", re.DOTALL)
_NO_NUMBER = re.compile(r"invalid int value: '(.*)'", re.DOTALL)


class Parser(argparse.ArgumentParser):
    """argparse with errors of ours. Parsers of commands are of this class as well."""

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """A word that is none of the choices of a command or option."""
        if action.choices is None or value in action.choices:
            return
        known = [str(each) for each in action.choices]
        if isinstance(action, argparse._SubParsersAction):
            typed = shlex.quote(str(value))
            what = (
                f"There is no command {typed}."
                if self.prog == "advisor"
                else f"{self.prog} has no command {typed}."
            )
            raise UserError(what, do=suggestion(str(value), known))
        name = "/".join(action.option_strings) or action.metavar or action.dest.upper()
        raise UserError(f"{name} cannot be {value}.", do=suggestion(str(value), known))

    def error(self, message: str) -> NoReturn:
        """Any other refusal, in two lines."""
        missing, of = _MISSING.fullmatch(message), _OF.fullmatch(message)
        what = f"{self.prog}: {message}."
        if missing:
            what = f"{self.prog} needs {missing.group(1)}."
        elif of:
            number = _NO_NUMBER.fullmatch(of.group(2))
            what = (
                f"{of.group(1)} needs a whole number, not {number.group(1)}."
                if number
                else f"{of.group(1)}: {of.group(2)}."
            )
        raise UserError(what, do=f"What it knows: {self.prog} --help")

    def options(self, words: Iterable[str]) -> List[str]:
        """The options of the command that these words name, and of those above it."""
        found = list(self._option_string_actions)
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                for word in words:
                    if word in action.choices:
                        return [*found, *action.choices[word].options(words)]
        return found


def add_rules(command: argparse._ActionsContainer) -> None:
    """The option of all commands that judge."""
    command.add_argument(
        "--rules",
        metavar="DIR",
        action="append",
        default=[],
        help="more rules, read after ours (also: ADVISOR_RULES)",
    )
