"""A launch line: where its programs are, and the same line with the collector in front of them. Nothing is executed here
but the launcher's `--version`."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from typing import Callable, List, Mapping, Optional, Sequence, Tuple

from advisor.launching.launcher import Launcher, assignment, variable
from advisor.launching.launchers import looks_like_launcher, recognise
from advisor.launching.options import is_option
from advisor.launching.wrappers import assigned, wrapped

Recognise = Callable[[str, Mapping[str, str]], Optional[Launcher]]


@dataclass(frozen=True)
class Program:
    """One app context. Positions in the words of the line: `start` of its first word, `index` of the program itself
    (behind env, numactl …), `end` behind its last argument."""

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
    option: str = ""
    """The option that hands variables to the ranks, where `env` cannot stand in front of the program."""


@dataclass(frozen=True)
class LaunchLine:
    """`family`: openmpi, hydra, srun, mpirun_rsh; "" without launcher, "unknown" with one that we do not know."""

    words: Tuple[str, ...]
    family: str
    launcher: str
    programs: Tuple[Program, ...]
    doubt: str = ""
    """Why the programs could not be found, or are a guess."""
    from_directory: bool = False

    @property
    def ranks(self) -> Optional[int]:
        """Ranks that the line asks for; None if it does not say."""
        counts = [program.ranks for program in self.programs]
        return sum(counts) if counts and None not in counts else None  # type: ignore[arg-type]


def parse(words: Sequence[str], environment: Mapping[str, str], recognise: Recognise = recognise) -> LaunchLine:
    """Find the launcher and the programs. `words` must not be empty."""
    words = tuple(words)
    first = innermost(words, 0, len(words))
    launcher = recognise(words[first], environment)
    if launcher is not None:
        return _with_launcher(words, first, launcher, environment)
    if looks_like_launcher(words[first]):
        return LaunchLine(words, "unknown", words[first], (), f"The launcher {words[first]} is not known.")
    preload = assigned(words, 0, first, "LD_PRELOAD")
    return LaunchLine(words, "", "", (Program(0, first, len(words), 1, preload),))


def insert(line: LaunchLine, variables: Mapping[str, str], environment: Mapping[str, str]) -> Tuple[str, ...]:
    """The line with `env NAME=value …` in front of every program. LD_PRELOAD goes in front of one that is set already."""
    words = list(line.words)
    for program in reversed(line.programs):
        own = dict(variables)
        before = program.preload if program.preload is not None else environment.get("LD_PRELOAD", "")
        if before and "LD_PRELOAD" in own:
            own["LD_PRELOAD"] += ":" + before
        pairs = [f"{name}={value}" for name, value in own.items()]
        if program.option:
            words[program.start : program.start] = [word for pair in pairs for word in (program.option, pair)]
            continue
        if line.from_directory:
            words[program.index] = _reachable(words[program.index], environment)
        words[program.index : program.index] = [_env(), *pairs]
    return tuple(words)


def innermost(words: Sequence[str], at: int, end: int) -> int:
    """Position of the program behind all wrappers that start at `at`."""
    inner = wrapped(words, at, end)
    return at if inner is None else innermost(words, inner, end)


def _with_launcher(words: Tuple[str, ...], at: int, launcher: Launcher, environment: Mapping[str, str]) -> LaunchLine:
    programs: List[Program] = []
    doubt = ""
    for start, end in contexts(words, at + 1, launcher.separator):
        program, why = _program(words, start, end, launcher, environment)
        doubt = doubt or why
        if program is not None:
            programs.append(program)
    programs = _first_preload_for_all(programs, launcher)
    return LaunchLine(words, launcher.family, words[at], tuple(programs), doubt, launcher.from_directory)


def contexts(words: Sequence[str], at: int, separator: str) -> List[Tuple[int, int]]:
    """Begin and end of each app context: the words between separators."""
    ends = [index for index in range(at, len(words)) if separator and words[index] == separator]
    starts = [at] + [index + 1 for index in ends]
    return [(start, end) for start, end in zip(starts, ends + [len(words)]) if start < end]


def _program(
    words: Sequence[str], at: int, end: int, launcher: Launcher, environment: Mapping[str, str]
) -> Tuple[Optional[Program], str]:
    found, doubt = Program(at, at, end), ""
    while at < end and is_option(words[at]):
        if words[at] == "--":
            at += 1
            break
        if _name(words[at]) in launcher.files:
            return None, f"The programs are in the file that {words[at]} names, not in the line."
        takes = launcher.consumed(words, at)
        if takes is None:
            takes = _guess(words, at, end, environment)
            doubt = f"The option {words[at]} of {launcher.family} is not known; where the program begins is a guess."
        found = _with_option(found, words, at, at + takes, launcher)
        at += takes
    while launcher.assignments and at < end and "=" in words[at]:
        found = replace(found, preload=assignment(words[at]).get("LD_PRELOAD", found.preload))
        at += 1
    if at >= end:
        return None, doubt or "The line names no program."
    index = innermost(words, at, end)
    inner = assigned(words, at, index, "LD_PRELOAD")
    return replace(found, start=at, index=index, preload=found.preload if inner is None else inner), doubt


def _with_option(found: Program, words: Sequence[str], at: int, after: int, launcher: Launcher) -> Program:
    """What the option at `at` says of the context."""
    name = _name(words[at])
    value = words[at].partition("=")[2] or (words[at + 1] if after > at + 1 and at + 1 < len(words) else "")
    preload = variable(launcher, words, at, "LD_PRELOAD")
    return replace(
        found,
        ranks=_ranks(words, at, launcher) or found.ranks,
        preload=found.preload if preload is None else preload,
        directory=value if name in launcher.directory else found.directory,
        elsewhere=found.elsewhere or name in launcher.hosts,
        # Open MPI 5 looks for `env` under --path too, even for /usr/bin/env, and would not find it.
        option=f"-{launcher.environment[0]}" if name in launcher.found_under else found.option,
    )


def _name(word: str) -> str:
    return word.lstrip("-").partition("=")[0]


def _ranks(words: Sequence[str], at: int, launcher: Launcher) -> Optional[int]:
    name, _, value = words[at].lstrip("-").partition("=")
    if name in launcher.ranks:
        value = value or (words[at + 1] if at + 1 < len(words) else "")
    elif launcher.family == "srun" and words[at].startswith("-n") and words[at][2:].isdigit():
        value = words[at][2:]
    else:
        return None
    return int(value) if value.isdigit() else None


def _guess(words: Sequence[str], at: int, end: int, environment: Mapping[str, str]) -> int:
    """Words of an option that nobody documents: the next word is its value, unless it can be started."""
    following = words[at + 1] if at + 1 < end else ""
    if not following or is_option(following) or "=" in words[at]:
        return 1
    return 1 if shutil.which(following, path=environment.get("PATH")) else 2


def _first_preload_for_all(programs: List[Program], launcher: Launcher) -> List[Program]:
    """Options of the first context reach all others under Hydra (-genv); a context's own value is stronger."""
    if not programs or launcher.family != "hydra" or programs[0].preload is None:
        return programs
    first = programs[0].preload
    return [replace(p, preload=first) if p.preload is None else p for p in programs]


def _reachable(word: str, environment: Mapping[str, str]) -> str:
    """Open MPI also finds a bare name in the working directory; `env` looks only along PATH."""
    if "/" in word or shutil.which(word, path=environment.get("PATH")) or not os.access(word, os.X_OK):
        return word
    return "./" + word


def _env() -> str:
    return "/usr/bin/env" if os.path.exists("/usr/bin/env") else "env"
