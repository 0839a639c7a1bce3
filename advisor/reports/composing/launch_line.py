"""The user's launch line with all doable settings in it: the thing to paste."""

from __future__ import annotations

import os
import shlex
from types import MappingProxyType
from typing import List, Mapping, Optional, Sequence, Tuple

from advisor.base import launcher_names
from advisor.base.numbers import counted, listed
from advisor.model.finding import State
from advisor.model.launch_options import Contradicted, contradicted, length, mapped
from advisor.model.library import OPEN_MPI
from advisor.model.message import message
from advisor.model.profile import Run
from advisor.reports.document import Item, LaunchLine

_MCA = "OMPI_MCA_"
_ASSIGNING = ("-x", "-genv", "-env", "--genv", "--env", "--mca", "-mca", "--prtemca", "--gmca")


def launch_line(
    run: Run,
    library: str,
    settings: Mapping[str, str],
    items: Tuple[Item, ...],
    instead: Mapping[str, str] = MappingProxyType({}),
) -> Optional[LaunchLine]:
    """None if nothing is doable or the line is not known. Keys that begin with "-" are options of
    the launcher.

    `instead`: settings that these take the place of, with their source as profiles name it; the
    line is without them.
    """
    words = list(run.launch_line)
    at = next(
        (
            place
            for place, word in enumerate(words)
            if os.path.basename(word) in launcher_names.names()
        ),
        None,
    )
    if not settings or at is None:
        return None
    end = program_at(words, at, run.program)
    launcher = os.path.basename(words[at])
    behind = _behind(launcher, words, at)
    before, own, rest = words[:at], words[behind:end], words[end:]
    if library in OPEN_MPI and "--map-by" in settings:
        settings = {**settings, "--map-by": mapped(settings["--map-by"], tuple(own))}
    front, middle = _settings_as_words(launcher, library, settings)
    own, gone = without(own, {**settings, **instead}, contradicted(launcher, library, settings))
    line = [*front, *before, *words[at:behind], *middle, *own, *rest]
    if launcher in launcher_names.names_with("assignments"):
        # NAME=VALUE stands after all options, in front of the program.
        line = [*before, words[at], *_options(settings), *own, *_assignments(settings), *rest]
    exported = [
        word for name, source in instead.items() if source == "environment" for word in ("-u", name)
    ]
    line = ["env", *exported, *line] if exported else line
    numbers = [entry.number for entry in items if _uses(entry, settings)]
    title = _title(numbers, len(settings), shlex.join(gone))
    return LaunchLine(shlex.join(line), title, tuple(settings.items()))


def _behind(launcher: str, words: Sequence[str], at: int) -> int:
    """Where its options begin: behind its name, or behind `flux run`."""
    return (
        at
        + 1
        + max(
            (
                len(command)
                for command in launcher_names.commands(launcher)
                if tuple(words[at + 1 : at + 1 + len(command)]) == command
            ),
            default=0,
        )
    )


def _title(numbers: Sequence[int], settings: int, gone: str) -> str:
    """Which findings are in it; how many settings, where no finding has them; what is left out."""
    if not numbers:
        with_it: str = message(
            "Your launch line, with {settings}", settings=counted(settings, "setting")
        )
    elif len(numbers) == 1:
        with_it = message("Your launch line, with finding {number}", number=numbers[0])
    else:
        with_it = message("Your launch line, with findings {numbers}", numbers=listed(numbers))
    return message("{title}, without {words}", title=with_it, words=gone) if gone else with_it


def program_at(words: Sequence[str], launcher: int, program: str) -> int:
    """Where the program stands; behind the launcher if it is not found, so that nothing of the line
    is changed."""
    names = (program, os.path.basename(program))
    later = range(launcher + 1, len(words))
    return next(
        (
            place
            for place in later
            if words[place] in names or os.path.basename(words[place]) == names[1]
        ),
        launcher + 1,
    )


def _uses(entry: Item, settings: Mapping[str, str]) -> bool:
    names = [name[len(_MCA) :] if name.startswith(_MCA) else name for name in settings]
    return any(
        action.command and action.state == State.DOABLE.value and name in action.text
        for action in entry.actions
        for name in names
    )


def without(
    words: Sequence[str], settings: Mapping[str, str], against: Contradicted
) -> Tuple[List[str], List[str]]:
    """The user's own words without those that give another value to one of these settings, or
    contradict one; and those."""
    kept: List[str] = []
    gone: List[str] = []
    at = 0
    while at < len(words):
        taken = _length_of_conflict(tuple(words[at:]), settings, against)
        kept += [_exporting(words[at], settings)] if taken == 0 else []
        gone += words[at : at + taken]
        at += max(1, taken)
    return kept, gone


def _exporting(word: str, settings: Mapping[str, str]) -> str:
    """srun's --export without values of these variables, which would win over those in front of
    it."""
    if not word.startswith("--export="):
        return word
    return "--export=" + ",".join(
        part
        for part in word[len("--export=") :].split(",")
        if "=" not in part or part.partition("=")[0] not in settings
    )


def _length_of_conflict(
    words: Tuple[str, ...], settings: Mapping[str, str], against: Contradicted
) -> int:
    """How many words at the beginning set one of the settings, or contradict one; 0 if they do
    not."""
    first, second = words[0], words[1] if len(words) > 1 else ""
    if first in _ASSIGNING:
        name = second.partition("=")[0]
        is_set = name in settings or _MCA + name in settings or name in against.parameters
        return (2 if "=" in second or first == "-x" else 3) if is_set else 0
    if not first.startswith("-"):
        name = first.partition("=")[0]
        return 1 if "=" in first and (name in settings or name in against.parameters) else 0
    return length(words, against)


def _settings_as_words(
    launcher: str, library: str, settings: Mapping[str, str]
) -> Tuple[List[str], List[str]]:
    """Words in front of the launcher, and words behind it."""
    if launcher in launcher_names.names_with("of_any_library"):
        return _assignments(settings), _options(settings)
    return [], [*_options(settings), *_exports(library, settings)]


def _options(settings: Mapping[str, str]) -> List[str]:
    return [
        word
        for name, value in settings.items()
        if name.startswith("-")
        for word in (name, *shlex.split(value))
    ]


def _assignments(settings: Mapping[str, str]) -> List[str]:
    return [f"{name}={value}" for name, value in settings.items() if not name.startswith("-")]


def _exports(library: str, settings: Mapping[str, str]) -> List[str]:
    """Variables as each family of launchers hands them to the ranks."""
    words: List[str] = []
    for name, value in settings.items():
        if name.startswith("-"):
            continue
        if library in OPEN_MPI:
            words += (
                ["--mca", name[len(_MCA) :], value]
                if name.startswith(_MCA)
                else ["-x", f"{name}={value}"]
            )
        else:
            words += ["-genv", name, value]
    return words
