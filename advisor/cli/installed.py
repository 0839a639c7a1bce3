"""The MPI libraries of this machine, and whether jobs of theirs can be measured: is their collector
built, can it be."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Dict, List, Mapping, Optional, Tuple

from advisor.launching.collector import build
from advisor.launching.collector.compilers import Compiler, compiler_for
from advisor.launching.target.library_file import MpiLibrary
from advisor.launching.target.library_of import launcher_library, with_version
from advisor.probing.check import Check
from advisor.probing.commands import answer
from advisor.probing.installations import launchers

NONE = Check(
    "MPI library",
    False,
    "no mpirun or mpiexec along PATH or beside this Python",
    "load the module of one; for the demonstration alone: the first command of the README",
    needed=True,
)


@dataclass(frozen=True)
class Measured:
    """An MPI library that was found, its launchers, and whether jobs of it can be measured."""

    library: MpiLibrary
    launchers: Tuple[str, ...]
    check: Check


def libraries(environment: Mapping[str, str]) -> List[Measured]:
    """Every MPI library that a launcher here belongs to; one entry without launchers if there is
    none."""
    found: Dict[str, Tuple[MpiLibrary, List[str]]] = {}
    for launcher in launchers(environment):
        library = launcher_library(launcher, environment)
        if library is not None:
            found.setdefault(os.path.realpath(library.path), (library, []))[1].append(launcher)
    entries = [
        (with_version(library, environment), tuple(paths)) for library, paths in found.values()
    ]
    measured = [
        Measured(library, paths, _check(library, paths, environment)) for library, paths in entries
    ]
    return measured or [Measured(MpiLibrary("unknown", "", "", ""), (), NONE)]


def _check(library: MpiLibrary, paths: Tuple[str, ...], environment: Mapping[str, str]) -> Check:
    where = (
        f"{' '.join(os.path.basename(path) for path in paths[:3])} in {os.path.dirname(paths[0])}"
    )
    compiler = compiler_for(library, paths[0], environment)
    advice_to_root = _for_root(library, environment)
    if compiler is None:
        ready = build.came_with_package(library)
        return Check(
            library.title(),
            ready.path is not None,
            f"{where}; no mpicc for it; "
            + (f"collector {ready.build}" if ready.path else ready.reason),
            advice_to_root
            if ready.path
            else "load the module with its mpicc, or install its development package",
        )
    if build.find(compiler, library, environment):
        return Check(library.title(), True, f"{where}; collector is built", advice_to_root)
    problem = _refusal(compiler, environment)
    if problem:
        ready = build.came_with_package(library)
        then = f"collector {ready.build}" if ready.path else ready.reason
        return Check(
            library.title(),
            ready.path is not None,
            f"{where}; {compiler.path} does not compile: {problem}; {then}",
            advice_to_root if ready.path else "a C compiler and the headers of this library",
        )
    return Check(
        library.title(),
        True,
        f"{where}; the collector is built at the first run, with {compiler.path}, which works",
        advice_to_root,
    )


def _for_root(library: MpiLibrary, environment: Mapping[str, str]) -> str:
    """Open MPI starts nothing for root unless two variables say that it may."""
    names = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
    if (
        os.geteuid()
        or library.family != "openmpi"
        or all(environment.get(name) == "1" for name in names)
    ):
        return ""
    return f"you are root: export {'=1 '.join(names)}=1, or mpirun --allow-run-as-root"


def _refusal(compiler: Compiler, environment: Mapping[str, str]) -> Optional[str]:
    """Why this wrapper cannot compile a small MPI library of ours; None if it can."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "a.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("#include <mpi.h>\nint f(void) { return MPI_Init(0, 0); }\n")
        words = [compiler.path, "-shared", "-fPIC", "-o", os.path.join(folder, "a.so"), source]
        return (
            None
            if answer(words, 60.0, compiler.settings(environment)) is not None
            else "it fails on a program of two lines"
        )
