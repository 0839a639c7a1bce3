"""The user's launch line with all doable settings in it: the thing to paste."""

from __future__ import annotations

import os
import shlex
from typing import List, Mapping, Optional, Sequence, Tuple

from advisor.reports.document import Item, LaunchLine
from advisor.reports.format import listed, nouns

_LAUNCHERS = ("mpirun", "mpiexec", "orterun", "prun", "prterun", "mpiexec.hydra", "mpirun.openmpi", "mpiexec.openmpi",
              "mpirun.mpich", "mpiexec.mpich", "srun", "mpirun_rsh", "aprun", "jsrun")


def launch_line(words: Sequence[str], library: str, program: str, settings: Mapping[str, str], items: Tuple[Item, ...]) -> Optional[LaunchLine]:
    """None if nothing is doable or the line is not known. Keys that begin with "-" are options of the launcher."""
    if not settings or not words:
        return None
    at = next((place for place, word in enumerate(words) if os.path.basename(word) in _LAUNCHERS), None)
    line = _inserted(list(words), at, library, program, settings)
    numbers = [entry.number for entry in items if _uses(entry, settings)]
    title = "Your launch line, with " + (f"finding{'s' if len(numbers) > 1 else ''} {listed(numbers)}" if numbers else nouns(len(settings), "setting"))
    return LaunchLine(shlex.join(line), title, tuple(settings.items()))


def _uses(entry: Item, settings: Mapping[str, str]) -> bool:
    return any(action.command and name in action.text for action in entry.actions for name in settings)


def _inserted(words: List[str], at: Optional[int], library: str, program: str, settings: Mapping[str, str]) -> List[str]:
    if at is None:
        return [*_assignments(settings), *words]
    launcher = os.path.basename(words[at])
    if launcher == "srun":
        return [*_assignments(settings), *words[: at + 1], *_options(settings), *words[at + 1 :]]
    if launcher == "mpirun_rsh":
        # NAME=VALUE stands after all options, in front of the program.
        place = next((index for index in range(at + 1, len(words)) if words[index] == program), at + 1)
        return [*words[: at + 1], *_options(settings), *words[at + 1 : place], *_assignments(settings), *words[place:]]
    return [*words[: at + 1], *_options(settings), *_exports(library, settings), *words[at + 1 :]]


def _options(settings: Mapping[str, str]) -> List[str]:
    return [word for name, value in settings.items() if name.startswith("-") for word in (name, *shlex.split(value))]


def _assignments(settings: Mapping[str, str]) -> List[str]:
    return [f"{name}={value}" for name, value in settings.items() if not name.startswith("-")]


def _exports(library: str, settings: Mapping[str, str]) -> List[str]:
    """Environment as each family of launchers hands it to the ranks."""
    words: List[str] = []
    for name, value in settings.items():
        if name.startswith("-"):
            continue
        if library in ("openmpi", "hpcx"):
            words += ["--mca", name[9:], value] if name.startswith("OMPI_MCA_") else ["-x", f"{name}={value}"]
        else:
            words += ["-genv", name, value]
    return words

