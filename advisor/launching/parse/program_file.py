"""Programs that stand in a file which the launch line names: Open MPI's --app, Hydra's -configfile,
srun's --multi-prog, mpirun_rsh's -config. The job gets a copy of the file with the collector in
front of each program."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import List, Mapping, Optional, Sequence, Tuple

from advisor.launching.launchers.launcher import Launcher
from advisor.launching.parse.contexts import InFile, Program, read

_LARGEST = 1 << 20
_NOT_PLAIN = set("'\"\\")


@dataclass(frozen=True)
class ProgramFile:
    """`words`: the line as the user wrote it; word `at` names the file, behind `prefix`. `spots`:
    where in `text` programs begin."""

    words: Tuple[str, ...]
    at: int
    prefix: str
    text: str
    spots: Tuple[int, ...]

    def copied(self, inserted: Sequence[str], target: Path) -> Tuple[str, ...]:
        """Write the file with the words of `inserted`, one for each program, to `target`; the line
        that names it. Raises OSError."""
        text = self.text
        for spot, words in sorted(zip(self.spots, inserted), reverse=True):
            text = f"{text[:spot]}{words} {text[spot:]}"
        target.write_text(text, encoding="utf-8")
        return (*self.words[: self.at], f"{self.prefix}{target}", *self.words[self.at + 1 :])


@dataclass(frozen=True)
class Found:
    """The programs of a file as if they stood in the line `words`, one context behind the other."""

    file: ProgramFile
    words: Tuple[str, ...]
    programs: Tuple[Program, ...]


def find(
    words: Tuple[str, ...], launcher: Launcher, where: InFile, environment: Mapping[str, str]
) -> Optional[Found]:
    """The programs in the file that the line names; None if it cannot be read, or is written in a
    way that we do not take apart."""
    if not launcher.file_lines or where.at >= len(words):
        return None
    prefix, _, path = words[where.at].rpartition("=") if where.inside else ("", "", words[where.at])
    text = _text(path)
    contexts = [
        _context(match, launcher, environment)
        for match in re.finditer(r"[^\n]+", text or "")
        if not _comment(match[0])
    ]
    found = [context for context in contexts if context is not None]
    if text is None or not found or any(not program.index for _, _, program in found):
        return None
    flat, programs = _flat(words[0], found)
    return Found(
        ProgramFile(
            words,
            where.at,
            f"{prefix}=" if where.inside else "",
            text,
            tuple(spot for spot, _, _ in found),
        ),
        flat,
        programs,
    )


def _text(path: str) -> Optional[str]:
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read(_LARGEST)
        return text if len(text) < _LARGEST and "\0" not in text else None
    except (OSError, ValueError):
        return None


def _comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _context(
    match: "re.Match[str]", launcher: Launcher, environment: Mapping[str, str]
) -> Optional[Tuple[int, List[str], Program]]:
    """(where its program begins, its words, itself) of one line; None if it has options only. index
    0: not understood."""
    places = list(re.finditer(r"\S+", match[0]))
    words = [place[0] for place in places]
    begin = 0
    if launcher.file_lines == "ranks":
        begin = 1
    elif launcher.file_lines == "options :" and ":" in words:
        begin = words.index(":") + 1
    try:
        program, doubt = read(words, begin, len(words), launcher, environment)
    except InFile:
        return 0, words, Program(0, 0, len(words))
    if program is None and not doubt.startswith("The option"):
        return None
    if (
        program is None
        or doubt
        or any(_NOT_PLAIN & set(word) for word in words[: program.index + 1])
    ):
        return 0, words, Program(0, 0, len(words))
    ranks = (
        _counted(words[0])
        if launcher.file_lines == "ranks"
        else program.ranks or _number(words[:begin], launcher)
    )
    return (
        match.start() + places[program.index].start(),
        words,
        replace(program, ranks=ranks, option=()),
    )


def _number(words: Sequence[str], launcher: Launcher) -> Optional[int]:
    """The ranks that the options in front of a colon ask for."""
    values = [
        after
        for option, after in zip(words, words[1:])
        if option.lstrip("-") in launcher.ranks and after.isdigit()
    ]
    return int(values[-1]) if values else None


def _counted(ranks: str) -> Optional[int]:
    """How many ranks srun's "0-3,5" names; None for "*"."""
    count = 0
    for part in ranks.split(","):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if not match:
            return None
        count += int(match[2] or match[1]) - int(match[1]) + 1
    return count


def _flat(
    launcher: str, found: Sequence[Tuple[int, List[str], Program]]
) -> Tuple[Tuple[str, ...], Tuple[Program, ...]]:
    """One line with all programs of the file, and where they are in it."""
    words, programs = [launcher], []
    for _, own, program in found:
        words += [":"] if len(words) > 1 else []
        shift = len(words) - program.index
        words += own[program.index :]
        programs.append(
            replace(
                program, start=program.index + shift, index=program.index + shift, end=len(words)
            )
        )
    return tuple(words), tuple(programs)
