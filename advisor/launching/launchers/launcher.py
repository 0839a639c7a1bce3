"""What launchers have in common, and wrappers: the facts that parse/ needs of each.

Their values are in base/launchers.toml.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional, Sequence, Tuple

from advisor.launching.launchers.options import Options


@dataclass(frozen=True)
class Launcher:
    """One family of launchers. Option names are without dashes."""

    family: str
    names: Tuple[str, ...]
    """Names of programs that can be nothing else."""
    answers: Tuple[str, ...]
    """What `--version` says, for names that several families use."""
    options: Options
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
    paths: Tuple[str, ...] = ()
    """Parts of the path of a program with a shared name that can be nothing else."""
    commands: Tuple[Tuple[str, ...], ...] = ()
    """Words after its name without which it starts no ranks."""
    handing: Tuple[str, ...] = ()
    """Words that hand one variable to the ranks; {} stands for NAME=value."""
    in_front: bool = True
    """Whether `env` may stand in front of the program, rather than `handing` among the options."""
    bare: Tuple[str, ...] = ()
    """Options with which nothing may stand in front of the program."""
    bare_variables: Tuple[str, ...] = ()
    """Environment variables that say the same."""
    handing_once: bool = False
    """Whether what the first program's options hand on reaches all programs of the line."""
    first_for_all: bool = False
    """Whether what the first program's options say holds for all others that do not say it
    themselves."""
    file_lines: str = ""
    """How the lines of a file in `files` are read:

    "options" in front of the program, "ranks" or "options :" in front of it.
    """
    file_is_operand: bool = False
    """Whether the file stands where else the program stands."""
    attached: bool = False
    """Whether values may be attached to one-letter options: -n4."""
    of_any_library: bool = False
    """Whether it starts programs of any MPI library, and has none of its own."""
    tried: bool = True
    """Whether advisor was ever run with this launcher, not only with its documentation."""
    separator: str = ":"
    assignments: bool = False
    """Whether NAME=value words stand between options and program."""
    from_directory: bool = False
    """Whether a program without a slash may lie in the working directory."""
    listing: Tuple[str, ...] = ()
    """Options without which as many words as there are ranks name their hosts, behind all options.
    """


@dataclass(frozen=True)
class Wrapper:
    """A program that starts another: options as getopt reads them, then `operands` words, then that
    program."""

    options: Options
    operands: int = 0
    assignments: bool = False
    """Whether NAME=value words stand in front of the program."""


def variable(launcher: Launcher, words: Sequence[str], at: int, name: str) -> Optional[str]:
    """The value that the environment option at `at` gives to variable `name`, or None."""
    option = words[at].lstrip("-")
    if option.partition("=")[0] not in launcher.environment:
        return None
    takes = launcher.options.consumed(words, at) or 1
    rest = [option.partition("=")[2]] if "=" in option else list(words[at + 1 : at + takes])
    return _assigned(rest, name)


def _assigned(rest: Sequence[str], name: str) -> Optional[str]:
    if rest and rest[0].startswith(name + "="):
        return rest[0][len(name) + 1 :]
    return rest[1] if len(rest) > 1 and rest[0] == name else None


def assignment(name: str) -> Mapping[str, str]:
    """NAME=value as a mapping of one; empty if the word is none."""
    key, equals, value = name.partition("=")
    return (
        {key: value} if equals and key.replace("_", "a").isalnum() and not key[0].isdigit() else {}
    )
