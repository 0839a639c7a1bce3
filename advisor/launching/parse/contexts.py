"""One app context of a launch line: its options, and where its program is."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from typing import List, Mapping, Optional, Sequence, Tuple

from advisor.launching.launchers.launcher import Launcher, assignment, variable
from advisor.launching.launchers.options import is_option
from advisor.launching.parse.wrappers import assigned, wrapped


@dataclass(frozen=True)
class Program:
    """One app context. Positions in the words of the line: `start` of its first word, `index` of
    the program itself (behind env, numactl …), `end` behind its last argument."""

    start: int
    index: int
    end: int
    ranks: Optional[int] = None
    preload: Optional[str] = None
    """LD_PRELOAD that the line itself gives to this context."""
    directory: str = ""
    """The working directory that the line gives to its ranks."""
    elsewhere: bool = False
    """Whether the line names hosts, so that the program may be there and not here."""
    option: Tuple[str, ...] = ()
    """Words that hand one variable to the ranks, where `env` cannot stand in front of the program;
    {} for NAME=value."""
    once: bool = False
    """Whether this context's options reach all others."""


class InFile(Exception):
    """The programs are in the file that word `at` names; `inside`: behind an equals sign."""

    def __init__(self, option: str, at: int, inside: bool) -> None:
        super().__init__(f"The programs are in the file that {option} names, not in the line.")
        self.at, self.inside = at, inside


def split(words: Sequence[str], at: int, separator: str) -> List[Tuple[int, int]]:
    """Begin and end of each app context: the words between separators."""
    ends = [index for index in range(at, len(words)) if separator and words[index] == separator]
    starts = [at] + [index + 1 for index in ends]
    return [(start, end) for start, end in zip(starts, ends + [len(words)]) if start < end]


def read(
    words: Sequence[str], at: int, end: int, launcher: Launcher, environment: Mapping[str, str]
) -> Tuple[Optional[Program], str]:
    """The program of the context between `at` and `end`, and why that is a guess. Raises InFile."""
    found, doubt, file_option = _plain(at, end, launcher, environment), "", ""
    while at < end and is_option(words[at]):
        if words[at] == "--":
            at += 1
            break
        name = option_name(words[at])
        takes = launcher.options.consumed(words, at)
        if name in launcher.files and not launcher.file_is_operand:
            raise InFile(
                words[at].partition("=")[0], at if "=" in words[at] else at + 1, "=" in words[at]
            )
        if takes is None:
            takes = _guess(words, at, end, environment)
            doubt = (
                f"The option {words[at]} of {launcher.family} is not known; where the program"
                " begins is a guess."
            )
        file_option = words[at] if name in launcher.files else file_option
        found = _with_option(found, words, at, at + takes, launcher)
        at += takes
    if file_option:
        raise InFile(file_option, at, False)
    if launcher.bare and not launcher.handing and _is_bare(words, found.start, at, launcher):
        return (
            None,
            (
                f"{launcher.family} copies the program that stands first to the nodes, so the"
                " collector cannot stand in front of it."
            ),
        )
    return _behind(found, words, at, end, launcher, doubt)


def innermost(words: Sequence[str], at: int, end: int) -> int:
    """Position of the program behind all wrappers that start at `at`."""
    inner = wrapped(words, at, end)
    return at if inner is None else innermost(words, inner, end)


def option_name(word: str) -> str:
    """The name of an option, without dashes and value."""
    return word.lstrip("-").partition("=")[0]


def _plain(at: int, end: int, launcher: Launcher, environment: Mapping[str, str]) -> Program:
    """Before any option was read."""
    never = not launcher.in_front or any(environment.get(name) for name in launcher.bare_variables)
    return Program(
        at, at, end, option=launcher.handing if never else (), once=never and launcher.handing_once
    )


def _behind(
    found: Program, words: Sequence[str], at: int, end: int, launcher: Launcher, doubt: str
) -> Tuple[Optional[Program], str]:
    """The program behind the options: hosts, assignments, wrappers, then itself."""
    at += _hosts(found, words, at, end, launcher)
    while launcher.assignments and at < end and "=" in words[at]:
        found = replace(found, preload=assignment(words[at]).get("LD_PRELOAD", found.preload))
        at += 1
    if at >= end:
        return None, doubt or "The line names no program."
    index = innermost(words, at, end)
    inner = assigned(words, at, index, "LD_PRELOAD")
    return (
        replace(found, start=at, index=index, preload=found.preload if inner is None else inner),
        doubt,
    )


def _hosts(found: Program, words: Sequence[str], at: int, end: int, launcher: Launcher) -> int:
    """Words at `at` that are hosts. mpirun_rsh 2.3.7 takes any words for them if there is one more
    than ranks, and the first has no "="."""
    listed = any(
        is_option(word) and option_name(word) in launcher.listing
        for word in words[found.start : at]
    )
    if (
        not launcher.listing
        or listed
        or not found.ranks
        or end - at <= found.ranks
        or "=" in words[at]
    ):
        return 0
    return found.ranks


def _with_option(
    found: Program, words: Sequence[str], at: int, after: int, launcher: Launcher
) -> Program:
    """What the option at `at` says of the context."""
    name = option_name(words[at])
    value = words[at].partition("=")[2] or (
        words[at + 1] if after > at + 1 and at + 1 < len(words) else ""
    )
    preload = variable(launcher, words, at, "LD_PRELOAD")
    return replace(
        found,
        ranks=_ranks(words, at, launcher) or found.ranks,
        preload=found.preload if preload is None else preload,
        directory=value if name in launcher.directory else found.directory,
        elsewhere=found.elsewhere or name in launcher.hosts,
        option=launcher.handing if name in launcher.bare else found.option,
    )


def _is_bare(words: Sequence[str], start: int, end: int, launcher: Launcher) -> bool:
    return any(is_option(word) and option_name(word) in launcher.bare for word in words[start:end])


def _ranks(words: Sequence[str], at: int, launcher: Launcher) -> Optional[int]:
    name, _, value = words[at].lstrip("-").partition("=")
    if name in launcher.ranks:
        value = value or (words[at + 1] if at + 1 < len(words) else "")
    elif launcher.attached and not words[at].startswith("--") and words[at][1:2] in launcher.ranks:
        value = words[at][2:]
    else:
        return None
    return int(value) if value.isdigit() else None


def _guess(words: Sequence[str], at: int, end: int, environment: Mapping[str, str]) -> int:
    """Words of an option that nobody documents: the next word is its value, unless it can be
    started."""
    following = words[at + 1] if at + 1 < end else ""
    if not following or is_option(following) or "=" in words[at]:
        return 1
    return 1 if shutil.which(following, path=environment.get("PATH")) else 2
