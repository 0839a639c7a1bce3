"""The line to type for a change that is no setting: another number of ranks, an argument of the
program, an option of the launcher or of the batch system."""

from __future__ import annotations

import math
import os
import re
import shlex
from typing import Callable, List, Mapping, Optional, Sequence, Tuple

from advisor.base import launcher_names
from advisor.model.profile import Run
from advisor.reports.composing.launch_line import program_at

Line = Callable[[Mapping[str, str]], Optional[str]]
_RANKS = ("-n", "-np", "--n", "--np", "--ntasks")
_SETS = ("jsrun",)
"""Launchers whose -n counts something else than ranks."""
_JOINED = re.compile(r"(-n|--ntasks=|--n=|--np=)(\d+)")
_JOB = "job.sh"
"""The user's script, whose name no profile has."""


def changed_line(run: Run, change: str, line: Line) -> str:
    """Empty where the change has no words for this launch line. `line`: settings → the launch line
    with them. `change`: as `change` of a remedy has it."""
    kind, _, rest = change.partition(" ")
    if kind == "submit":
        return f"{rest} {_JOB}"
    if kind == "launcher":
        return _measured(shlex.split(line(_options(rest)) or ""))
    words = list(run.launch_line)
    at = next(
        (at for at, word in enumerate(words) if os.path.basename(word) in launcher_names.names()),
        None,
    )
    if at is None:
        return ""
    program = program_at(words, at, run.program)
    if program == at + 1 and words[at + 1 : at + 2] != [run.program]:
        return ""
    if kind == "ranks":
        return _measured(_with_ranks(words, at, program, rest))
    arguments = _with_argument(words[program + 1 :], rest)
    return "" if arguments is None else _measured([*words[: program + 1], *arguments])


def _measured(words: Sequence[str]) -> str:
    return f"advisor run -- {shlex.join(words)}" if words else ""


def _options(text: str) -> Mapping[str, str]:
    parts = (word.partition("=") for word in shlex.split(text))
    return {name: value for name, _, value in parts}


def _with_ranks(words: List[str], at: int, program: int, number: str) -> List[str]:
    """The number of ranks in the one place where it stands; behind the launcher where it stands in
    none."""
    ranks = _whole(number)
    if ranks < 1 or os.path.basename(words[at]) in _SETS:
        return []
    own = words[at + 1 : program]
    places = [place for place, word in enumerate(own) if _is_number_of_ranks(own, place)]
    if len(places) > 1:
        return []
    if not places:
        return [*words[: at + 1], "-n", str(ranks), *words[at + 1 :]]
    (place,) = places
    joined = _JOINED.fullmatch(own[place])
    if joined:
        own[place] = f"{joined.group(1)}{ranks}"
    else:
        own[place + 1] = str(ranks)
    return [*words[: at + 1], *own, *words[program:]]


def _is_number_of_ranks(words: Sequence[str], place: int) -> bool:
    if _JOINED.fullmatch(words[place]):
        return True
    return words[place] in _RANKS and "".join(words[place + 1 : place + 2]).isdigit()


def _whole(number: str) -> int:
    try:
        return math.floor(float(re.sub(r"\s", "", number)))
    except ValueError:
        return 0


def _with_argument(arguments: Sequence[str], change: str) -> Optional[List[str]]:
    """`without OPTION`, or `OPTION VALUE`: in place of what it has, else at the end. None: there is
    nothing to take out."""
    removed = change.startswith("without ")
    option, value = _option(change[len("without ") :] if removed else change)
    found = list(arguments)
    if option in found:
        place = found.index(option)
        takes = value or removed and not "".join(found[place + 1 : place + 2]).startswith("-")
        found[place : place + (2 if takes else 1)] = [] if removed else [option, *value]
        return found
    return None if removed else [*found, option, *value]


def _option(text: str) -> Tuple[str, List[str]]:
    option, *value = shlex.split(text)
    return option, value
