"""Decide how a launch line is measured: its programs, their MPI, the collector for it. Or why it
cannot be."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, List, Mapping, Optional, Sequence, Tuple

from advisor.base import launcher_names
from advisor.launching.collector.build import COLLECTOR, Product, collector_for
from advisor.launching.parse import line as lines
from advisor.launching.target.library_file import MpiLibrary
from advisor.launching.target.library_of import (
    Use,
    launcher_library,
    library_of,
    loaded_library,
    locate,
    with_version,
)
from advisor.model.errors import UserError

UNMEASURED = "It runs without being measured."
_QUEUES = ("sbatch", "qsub", "bsub", "pjsub", "ccc_msub", "msub", "oarsub", "condor_submit")


@dataclass(frozen=True)
class Target:
    """A launch line that can be measured: each of its programs uses `library`, whose collector is
    `collector`; None: its programs measure themselves."""

    line: lines.LaunchLine
    program: str
    use: Use
    library: MpiLibrary
    collector: Optional[Path]


def program_word(line: lines.LaunchLine) -> str:
    """The word of the first program; the first word if none was found."""
    return line.words[line.programs[0].index] if line.programs else line.words[0]


def target(
    line: lines.LaunchLine,
    environment: Mapping[str, str],
    say: Callable[[str], None],
    last_resort: Optional[Path] = None,
    product: Product = COLLECTOR,
) -> Target:
    """What to measure and with which collector. Raises UserError where it cannot be measured: the
    line then runs as it is."""
    use, found = library(line, environment, say)
    collector = collector_for(found, line.launcher, environment, say, last_resort, product)
    return Target(line, program_word(line), use, found, collector)


def library(
    line: lines.LaunchLine, environment: Mapping[str, str], say: Callable[[str], None]
) -> Tuple[Use, MpiLibrary]:
    """How the first program uses MPI, and the MPI library of the line. Raises UserError if it
    cannot be told."""
    if line.family == "unknown":
        raise _unknown(line)
    if not line.programs:
        raise UserError(
            line.doubt,
            UNMEASURED,
            "Put `advisor exec --` in front of the program, where it is started.",
        )
    for sentence in line.doubts():
        say(sentence)
    own = (
        launcher_library(line.launcher, environment)
        if line.launcher and not line.of_any_library
        else None
    )
    uses = [_use(line, program, environment, own) for program in line.programs]
    found = with_version(
        _one_library(line, uses) or _presumed(line, uses, environment, say), environment
    )
    _warn_of_a_foreign_launcher(line, found, own, say)
    return uses[0], found


def _use(
    line: lines.LaunchLine,
    program: lines.Program,
    environment: Mapping[str, str],
    own: Optional[MpiLibrary],
) -> Use:
    word = line.words[program.index]
    path = locate(word, environment, line.from_directory, program.directory)
    if path is None:
        meaning = UNMEASURED if line.launcher else ""
        raise UserError(
            f"The program {word} is not found on this host.",
            meaning,
            "Check the name, the folder and the modules that are loaded.",
        )
    return library_of(path, line.words[program.index + 1 : program.end], environment, own)


def _one_library(line: lines.LaunchLine, uses: Sequence[Use]) -> Optional[MpiLibrary]:
    """One MPI job has one MPI library; a program that may load it while it runs goes with the
    others. None if none of them tells."""
    known: List[MpiLibrary] = [use.library for use in uses if use.library and use.how != "launcher"]
    known += [use.library for use in uses if use.library]
    return known[0] if known else None


def _presumed(
    line: lines.LaunchLine,
    uses: Sequence[Use],
    environment: Mapping[str, str],
    say: Callable[[str], None],
) -> MpiLibrary:
    """The library that is loaded, for a program that does not tell under a launcher that starts
    any. Raises UserError if there is none."""
    name = program_word(line)
    if not line.launcher or all(use.how == "none" for use in uses):
        raise _without_mpi(line, name)
    library = loaded_library(environment) if line.of_any_library else None
    if library is None:
        raise UserError(
            f"Which MPI library {name} uses cannot be told.",
            UNMEASURED,
            f"Put `advisor exec --` in front of {name}, or build the collector by hand: advisor"
            " build --mpicc …",
        )
    say(
        f"Which MPI library {name} uses cannot be told: it is taken to be"
        f" {with_version(library, environment).title()}, which stands first along PATH."
    )
    return library


def _warn_of_a_foreign_launcher(
    line: lines.LaunchLine,
    library: MpiLibrary,
    own: Optional[MpiLibrary],
    say: Callable[[str], None],
) -> None:
    """Open MPI's ranks do not understand Hydra, nor MPICH's ranks PRRTE: then each rank is a job of
    its own."""
    if (
        line.family in ("openmpi", "hydra")
        and own
        and {own.family, library.family} == {"openmpi", "mpich"}
    ):
        say(
            f"{program_word(line)} uses {library.title()}, but {line.launcher} belongs to"
            f" {own.title()}: each rank may run alone. Start it with the mpirun of"
            f" {library.title()}."
        )


def _without_mpi(line: lines.LaunchLine, name: str) -> UserError:
    if os.path.basename(name) in _QUEUES:
        return UserError(
            f"{name} queues a job and returns before it runs.",
            UNMEASURED,
            "Write it inside the job script: advisor run -- mpirun … ./program",
        )
    later = next(
        (word for word in line.words[1:] if os.path.basename(word) in launcher_names.names()),
        "",
    )
    if later:
        return _unknown(line)
    return UserError(
        f"{name} is not an MPI program: it needs no MPI library.",
        UNMEASURED,
        "If it starts an MPI job itself, write there: mpirun … advisor exec -- ./program",
    )


def _unknown(line: lines.LaunchLine) -> UserError:
    return UserError(
        f"{line.words[0] if not line.launcher else line.launcher} is not a launcher that advisor"
        " knows.",
        UNMEASURED,
        f"Put the collector in by hand: {line.launcher or line.words[0]} … advisor exec --"
        " ./program",
    )
