"""The checks of `advisor doctor` that need more than one room: MPI libraries with their collectors, rules, folders."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from typing import Dict, List, Mapping, Optional, Tuple

from advisor import advice
from advisor.cli.report import folders
from advisor.launching import collector
from advisor.launching.compilers import Compiler, compiler_for
from advisor.launching.library_file import MpiLibrary
from advisor.launching.library_of import launcher_library, with_version
from advisor.model.errors import UserError
from advisor.probing.check import Check
from advisor.probing.commands import answer
from advisor.probing.installations import launchers
from advisor.probing.library import probe_library

NONE = Check("MPI library", False, "no mpirun or mpiexec along PATH or beside this Python", "load an MPI module, or: python -m pip install mpich", needed=True)
_TELLING = (("ucx", "UCX"), ("ofi", "libfabric"), ("psm2", "PSM2"), ("cma", "CMA"), ("xpmem", "XPMEM"), ("knem", "KNEM"), ("hcoll", "HCOLL"), ("mcast", "multicast"), ("cuda", "CUDA"))


@dataclass(frozen=True)
class Measured:
    """An MPI library that was found, its launchers, and whether jobs of it can be measured."""

    library: MpiLibrary
    launchers: Tuple[str, ...]
    check: Check


def libraries(environment: Mapping[str, str]) -> List[Measured]:
    """Every MPI library that a launcher here belongs to; one entry without launchers if there is none."""
    found: Dict[str, Tuple[MpiLibrary, List[str]]] = {}
    for launcher in launchers(environment):
        library = launcher_library(launcher, environment)
        if library is not None:
            found.setdefault(os.path.realpath(library.path), (library, []))[1].append(launcher)
    entries = [(with_version(library, environment), tuple(paths)) for library, paths in found.values()]
    measured = [Measured(library, paths, _check(library, paths, environment)) for library, paths in entries]
    return measured or [Measured(MpiLibrary("unknown", "", "", ""), (), NONE)]


def _check(library: MpiLibrary, paths: Tuple[str, ...], environment: Mapping[str, str]) -> Check:
    where = f"{' '.join(os.path.basename(path) for path in paths[:3])} in {os.path.dirname(paths[0])}"
    compiler = compiler_for(library, paths[0], environment)
    if compiler is None:
        return Check(library.title(), False, f"{where}; no mpicc for it", "load the module with its mpicc, or install its development package")
    if _kept(compiler, library, environment):
        return Check(library.title(), True, f"{where}; collector is built")
    problem = _refusal(compiler, environment)
    if problem:
        return Check(library.title(), False, f"{where}; {compiler.path} does not compile: {problem}", "a C compiler and the headers of this library")
    return Check(library.title(), True, f"{where}; the collector is built at the first run, with {compiler.path}, which works")


def _kept(compiler: Compiler, library: MpiLibrary, environment: Mapping[str, str]) -> bool:
    name = f"advisor-{library.name}-{library.version or 'any'}-{collector.fingerprint(compiler, library)}.so"
    return any((folder / name).is_file() for folder in collector.caches(environment))


def _refusal(compiler: Compiler, environment: Mapping[str, str]) -> Optional[str]:
    """Why this wrapper cannot compile a small MPI library of ours; None if it can."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "a.c")
        with open(source, "w", encoding="ascii") as file:
            file.write("#include <mpi.h>\nint f(void) { return MPI_Init(0, 0); }\n")
        words = [compiler.path, "-shared", "-fPIC", "-o", os.path.join(folder, "a.so"), source]
        return None if answer(words, 60.0, compiler.settings(environment)) is not None else "it fails on a program of two lines"


def built_with(found: List[Measured]) -> List[Check]:
    """What each library was built with, as far as it tells: what remedies ask for."""
    return [_built_with(entry) for entry in found if entry.launchers]


def _built_with(entry: Measured) -> Check:
    facts = probe_library(entry.library.path, entry.library.name, entry.library.version, entry.launchers[0])
    known = {title: facts[f"built_with.{key}"].value for key, title in _TELLING if f"built_with.{key}" in facts}
    have, lack = ([title for title, value in known.items() if value is wanted] for wanted in (True, False))
    if not known:
        return Check(entry.library.title(), None, "does not say what it was built with", "install its own commands (ompi_info, mpichversion, mpiname)")
    device = f"{facts['device'].value}; " if "device" in facts else ""
    return Check(entry.library.title(), True, f"{device}with {', '.join(have) or 'none of these'}; without {', '.join(lack) or 'none'}")


def rules(more: List[str]) -> Check:
    """Whether the rule folders can be read."""
    places = folders(more)
    try:
        count = len(advice.load_rules(places))
    except UserError as problem:
        return Check("Rules", False, problem.what, problem.do or "advisor rules check FOLDER")
    return Check("Rules", count > 0, f"{count} from {', '.join(map(str, places))}")


def places_to_write(environment: Mapping[str, str]) -> List[Tuple[str, str]]:
    """(what for, folder): results, temporary files, and the first cache of collectors that exists or can be made."""
    named = [("Results", os.getcwd()), ("Temporary files", tempfile.gettempdir())]
    cache = next((folder for folder in collector.caches(environment) if os.access(str(folder if folder.exists() else folder.parent), os.W_OK)), None)
    return named + ([("Collectors", str(cache if cache.exists() else cache.parent))] if cache else [])
