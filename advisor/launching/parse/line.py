"""A launch line: where its programs are, and the same line with the collector in front of them.
Nothing is executed here but the launcher's `--version`."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from advisor.launching.launchers.launcher import Launcher
from advisor.launching.launchers.recognise import looks_like_launcher, recognise
from advisor.launching.parse import contexts, program_file
from advisor.launching.parse.contexts import InFile, Program, innermost
from advisor.launching.parse.wrappers import assigned
from advisor.launching.target import preload_order
from advisor.launching.target.library_of import locate
from advisor.model.errors import UserError

Recognise = Callable[[str, Mapping[str, str]], Optional[Launcher]]


@dataclass(frozen=True)
class LaunchLine:
    """`family`: openmpi, hydra, srun, mpirun_rsh …; "" without launcher, "unknown" with one that we
    do not know."""

    words: Tuple[str, ...]
    family: str
    launcher: str
    programs: Tuple[Program, ...]
    doubt: str = ""
    """Why the programs could not be found, or are a guess."""
    from_directory: bool = False
    tried: bool = True
    """Whether advisor was ever run with this launcher."""
    of_any_library: bool = False
    """Whether the launcher has no MPI library of its own."""
    file: Optional[program_file.ProgramFile] = None
    """The file that holds the programs; `words` then are as if they stood in the line."""

    @property
    def ranks(self) -> Optional[int]:
        """Ranks that the line asks for; None if it does not say."""
        counts = [program.ranks for program in self.programs]
        return sum(counts) if counts and None not in counts else None  # type: ignore[arg-type]

    @property
    def written(self) -> Tuple[str, ...]:
        """The line as the user wrote it."""
        return self.file.words if self.file else self.words

    def doubts(self) -> Tuple[str, ...]:
        """What is uncertain about how this line was read, in sentences."""
        name = os.path.basename(self.launcher)
        untried = (
            f"{name}'s line was read by its documented options: advisor was never run with {name}"
            " itself."
        )
        return tuple(
            sentence for sentence in (self.doubt, "" if self.tried else untried) if sentence
        )


def parse(
    words: Sequence[str], environment: Mapping[str, str], recognise: Recognise = recognise
) -> LaunchLine:
    """Find the launcher and the programs. `words` must not be empty."""
    words = tuple(words)
    first = innermost(words, 0, len(words))
    launcher = recognise(words[first], environment)
    if launcher is not None:
        begin = _behind_command(words, first + 1, launcher)
        if begin:
            return _with_launcher(words, first, begin, launcher, environment)
    if launcher is not None or looks_like_launcher(words[first]):
        return LaunchLine(
            words, "unknown", words[first], (), f"The launcher {words[first]} is not known."
        )
    preload = assigned(words, 0, first, "LD_PRELOAD")
    return LaunchLine(words, "", "", (Program(0, first, len(words), 1, preload),))


def insert(
    line: LaunchLine,
    variables: Mapping[str, str],
    environment: Mapping[str, str],
    folder: Optional[Path] = None,
) -> Tuple[str, ...]:
    """The line with `env NAME=value …` in front of every program. LD_PRELOAD keeps what is set
    already (target/preload_order.py).

    `folder`: where a copy of the file goes that holds the programs. Raises UserError if it cannot
    be written so.
    """
    if line.file is not None:
        return _insert_in_file(line, line.file, variables, environment, folder)
    words = list(line.words)
    once = any(program.once for program in line.programs)
    for position, program in reversed(list(enumerate(line.programs))):
        pairs = [
            f"{name}={value}" for name, value in _own(line, program, variables, environment).items()
        ]
        if program.option:
            handed = (
                []
                if once and position
                else [part.replace("{}", pair, 1) for pair in pairs for part in program.option]
            )
            place = program.start - (words[program.start - 1] == "--")
            words[place:place] = handed
            continue
        if line.from_directory:
            words[program.index] = _reachable(words[program.index], environment)
        words[program.index : program.index] = [_env(), *pairs]
    return tuple(words)


def _own(
    line: LaunchLine, program: Program, variables: Mapping[str, str], environment: Mapping[str, str]
) -> Dict[str, str]:
    """The variables for one program, with what is preloaded into it already."""
    own = dict(variables)
    before = program.preload if program.preload is not None else environment.get("LD_PRELOAD", "")
    if "LD_PRELOAD" in own:
        own["LD_PRELOAD"] = preload_order.ordered(
            own["LD_PRELOAD"], before, _file_of(line, program, environment), environment
        )
    return own


def _file_of(line: LaunchLine, program: Program, environment: Mapping[str, str]) -> Optional[str]:
    try:
        return locate(
            line.words[program.index], environment, line.from_directory, program.directory
        )
    except (UserError, ValueError):
        return None


def _insert_in_file(
    line: LaunchLine,
    file: program_file.ProgramFile,
    variables: Mapping[str, str],
    environment: Mapping[str, str],
    folder: Optional[Path],
) -> Tuple[str, ...]:
    texts = []
    for program in line.programs:
        pairs = [
            f"{name}={value}" for name, value in _own(line, program, variables, environment).items()
        ]
        texts.append(" ".join([_env(), *pairs]))
    if folder is None or any(set("'\"\\\t\n #") & set(value) for value in variables.values()):
        raise UserError(
            "The programs are in a file, into which the result folder's name does not fit.",
            "It runs without being measured.",
            "Choose a folder without spaces and quotes: advisor run -o DIR -- …",
        )
    return file.copied(texts, folder / "programs")


def _behind_command(words: Sequence[str], at: int, launcher: Launcher) -> int:
    """Position behind the words that make a launcher start ranks; 0 if they are not there."""
    if not launcher.commands:
        return at
    return next(
        (
            at + len(command)
            for command in launcher.commands
            if tuple(words[at : at + len(command)]) == command
        ),
        0,
    )


def _with_launcher(
    words: Tuple[str, ...], at: int, begin: int, launcher: Launcher, environment: Mapping[str, str]
) -> LaunchLine:
    programs: List[Program] = []
    line = LaunchLine(
        words,
        launcher.family,
        words[at],
        (),
        "",
        launcher.from_directory,
        launcher.tried,
        launcher.of_any_library,
    )
    doubt = ""
    for start, end in contexts.split(words, begin, launcher.separator):
        try:
            program, why = contexts.read(words, start, end, launcher, environment)
        except InFile as where:
            return _with_file(line, launcher, where, environment)
        doubt = doubt or why
        if program is not None:
            programs.append(program)
    return replace(line, programs=tuple(_first_for_all(programs, launcher)), doubt=doubt)


def _with_file(
    line: LaunchLine, launcher: Launcher, where: InFile, environment: Mapping[str, str]
) -> LaunchLine:
    found = program_file.find(line.words, launcher, where, environment)
    if found is None:
        return replace(line, doubt=str(where))
    return replace(line, words=found.words, programs=found.programs, file=found.file)


def _first_for_all(programs: List[Program], launcher: Launcher) -> List[Program]:
    """Options of the first context reach all others under Hydra (-genv, -gtool); a context's own
    value is stronger."""
    if not programs or not launcher.first_for_all:
        return programs
    first = programs[0]
    return [
        replace(
            p,
            preload=first.preload if p.preload is None else p.preload,
            option=p.option or first.option,
        )
        for p in programs
    ]


def _reachable(word: str, environment: Mapping[str, str]) -> str:
    """Open MPI also finds a bare name in the working directory; `env` looks only along PATH."""
    if (
        "/" in word
        or shutil.which(word, path=environment.get("PATH"))
        or not os.access(word, os.X_OK)
    ):
        return word
    return "./" + word


def _env() -> str:
    return "/usr/bin/env" if os.path.exists("/usr/bin/env") else "env"
