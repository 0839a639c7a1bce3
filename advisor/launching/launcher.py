"""What all launchers have in common: the facts that line.py needs of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Mapping, Optional, Sequence, Tuple

Consumed = Callable[[Sequence[str], int], Optional[int]]
"""(words, position of an option) → words it takes, itself included; None: not documented."""


@dataclass(frozen=True)
class Launcher:
    """One family of launchers. Option names are without dashes."""

    family: str
    names: Tuple[str, ...]
    """Names of programs that can be nothing else."""
    answers: Tuple[str, ...]
    """What `--version` says, for names that several families use."""
    consumed: Consumed
    ranks: Tuple[str, ...]
    """Options that give the number of ranks of one app context."""
    environment: Tuple[str, ...] = ()
    """Options that hand an environment variable to the ranks."""
    files: Tuple[str, ...] = ()
    """Options whose file holds the programs, so that the line does not show them."""
    directory: Tuple[str, ...] = ()
    """Options that name the working directory of the ranks."""
    hosts: Tuple[str, ...] = ()
    """Options that name hosts: the program may lie there and not here."""
    found_under: Tuple[str, ...] = ()
    """Options under whose folders the program must lie, so that nothing can stand in front of it."""
    separator: str = ":"
    assignments: bool = False
    """Whether NAME=value words stand between options and program."""
    from_directory: bool = False
    """Whether a program without a slash may lie in the working directory."""


def variable(launcher: Launcher, words: Sequence[str], at: int, name: str) -> Optional[str]:
    """The value that the environment option at `at` gives to variable `name`, or None."""
    option = words[at].lstrip("-")
    if option.partition("=")[0] not in launcher.environment:
        return None
    takes = launcher.consumed(words, at) or 1
    rest = [option.partition("=")[2]] if "=" in option else list(words[at + 1 : at + takes])
    return _assigned(rest, name)


def _assigned(rest: Sequence[str], name: str) -> Optional[str]:
    if rest and rest[0].startswith(name + "="):
        return rest[0][len(name) + 1 :]
    return rest[1] if len(rest) > 1 and rest[0] == name else None


def assignment(name: str) -> Mapping[str, str]:
    """NAME=value as a mapping of one; empty if the word is none."""
    key, equals, value = name.partition("=")
    return {key: value} if equals and key.replace("_", "a").isalnum() and not key[0].isdigit() else {}
