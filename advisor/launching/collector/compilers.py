"""Compiler wrappers: where the mpicc of a library is, and which library an mpicc belongs to."""

from __future__ import annotations

import glob
import os
import re
import shlex
import shutil
from dataclasses import dataclass
from typing import Dict, Iterator, List, Mapping, Optional, Tuple

from advisor.base import answer_cache, external_programs
from advisor.launching.target.library_file import MpiLibrary
from advisor.launching.target.library_of import program_folders

_SHOW_SECONDS = 20
_MOST_SHOWN = 1 << 20
_NAMES = {
    "openmpi": ("mpicc.openmpi", "mpicc"),
    "mpich": ("mpicc.mpich", "mpicc"),
    "intel": ("mpicc", "mpigcc", "mpiicx", "mpiicc"),
    "cray": ("cc", "mpicc"),
}
_DEFINES = (
    ("intel", re.compile(r'#\s*define\s+I_MPI_VERSION\s+"([^"]+)"')),
    ("mvapich2", re.compile(r'#\s*define\s+MVAPICH2_VERSION\s+"([^"]+)"')),
    ("mvapich", re.compile(r'#\s*define\s+MVAPICH_VERSION\s+"([^"]+)"')),
    ("mpich", re.compile(r'#\s*define\s+MPICH_VERSION\s+"([^"]+)"')),
)
_OPENMPI = re.compile(r"#\s*define\s+OMPI_(MAJOR|MINOR|RELEASE)_VERSION\s+([0-9]+)")


@dataclass(frozen=True)
class Compiler:
    """An mpicc. `show`: the command that it stands for. `library`: the file that it links, if
    found."""

    path: str
    show: str
    name: str
    version: str
    library: str
    header: str = ""
    """Its mpi.h."""
    environment: Tuple[Tuple[str, str], ...] = ()
    """Variables that it needs and that are not set."""

    @property
    def standard(self) -> bool:
        """Whether it compiles for the standard's binary interface (MPI 5)."""
        return "-lmpi_abi" in self.show.split()

    def settings(self, environment: Mapping[str, str]) -> Dict[str, str]:
        """The environment to run it in."""
        return {**environment, **dict(self.environment)}


def compiler_for(
    library: MpiLibrary, launcher: str, environment: Mapping[str, str]
) -> Optional[Compiler]:
    """The mpicc that fits a library best: of the same file, else of the same version, else of the
    same series. None if none does."""
    ranked: List[Tuple[int, int, Compiler]] = []
    for order, path in enumerate(candidates(library, launcher, environment)):
        compiler = examine(path, environment)
        fit = _fit(compiler, library) if compiler else 0
        if compiler and fit == 3:
            return compiler
        if compiler and fit:
            ranked.append((-fit, order, compiler))
    return min(ranked, key=lambda entry: entry[:2])[2] if ranked else None


def candidates(library: MpiLibrary, launcher: str, environment: Mapping[str, str]) -> Iterator[str]:
    """Compiler wrappers that may belong to a library: beside the launcher, beside the library,
    along PATH. Each once."""
    names = (
        ("mpicc_abi", "mpicc")
        if library.family == "standard"
        else _NAMES.get(library.name, ("mpicc",))
    )
    seen, owners = (
        set(),
        external_programs.owners_of(
            library.path,
            shutil.which(launcher, path=environment.get("PATH")) or "" if launcher else "",
        ),
    )
    for folder in (*_beside_launcher(launcher, environment), *program_folders(library.path)):
        for name in names:
            path = os.path.join(folder, name)
            if path not in seen and external_programs.may_run(path, owners):
                seen.add(path)
                yield path
    for name in names:
        path = external_programs.which(name, environment.get("PATH"), owners) or ""
        if path and path not in seen:
            seen.add(path)
            yield path


def examine(path: str, environment: Mapping[str, str]) -> Optional[Compiler]:
    """What `PATH -show` and the mpi.h that it names say; None if that is no compiler wrapper of an
    MPI. `name` "unknown": of none that we know."""
    added = _needed(path, environment)
    show = _show(path, {**environment, **added})
    words = _split(show)
    includes = [word[2:] for word in words if word.startswith("-I")] + ["/usr/include"]
    header = next(
        (
            path
            for path in (os.path.join(folder, "mpi.h") for folder in includes)
            if os.path.exists(path)
        ),
        "",
    )
    name, version = header_version(header)
    if not words or not name or not _compiles(words[0], path, environment):
        return None
    folders = [word[2:] for word in words if word.startswith("-L")]
    names = [word[2:] for word in words if re.fullmatch(r"-l(mpi|mpich|mpi_abi)", word)]
    found = [
        file
        for folder in folders
        for wanted in names
        for file in glob.glob(os.path.join(folder, f"lib{wanted}.so"))
    ]
    return Compiler(
        path,
        show,
        name,
        version,
        os.path.realpath(found[0]) if found else "",
        header,
        tuple(added.items()),
    )


def _compiles(compiler: str, wrapper: str, environment: Mapping[str, str]) -> bool:
    """Whether the compiler that a wrapper stands for is there, and may be run where the wrapper
    may."""
    path = shutil.which(compiler, path=environment.get("PATH"))
    return path is not None and external_programs.may_run(
        path, external_programs.owners_of(os.path.realpath(wrapper))
    )


def _fit(compiler: Compiler, library: MpiLibrary) -> int:
    # One folder may hold a library with its own binary interface beside one with the standard's.
    if compiler.standard != (library.family == "standard") or compiler.name not in (
        library.name,
        "unknown",
    ):
        return 0
    # Python packages hold copies where others have links, so the folder is compared, not the file.
    if compiler.library and os.path.dirname(compiler.library) == os.path.dirname(
        os.path.realpath(library.path)
    ):
        return 3
    if compiler.name == "unknown":
        return 0
    if not library.version or compiler.version == library.version:
        return 2
    return 1 if compiler.version.partition(".")[0] == library.version.partition(".")[0] else 0


def _beside_launcher(launcher: str, environment: Mapping[str, str]) -> Iterator[str]:
    path = shutil.which(launcher, path=environment.get("PATH")) if launcher else None
    for place in dict.fromkeys((path, os.path.realpath(path)) if path else ()):
        yield os.path.dirname(os.path.abspath(place))


def _needed(path: str, environment: Mapping[str, str]) -> Dict[str, str]:
    """Intel's wrappers find their headers through I_MPI_ROOT, which its modules set and its Python
    package does not."""
    prefix = os.path.dirname(os.path.dirname(os.path.abspath(path)))
    intel = os.path.exists(os.path.join(prefix, "bin", "impi_info"))
    return {"I_MPI_ROOT": prefix} if intel and not environment.get("I_MPI_ROOT") else {}


def _show(path: str, environment: Mapping[str, str]) -> str:
    """A wrapper is mostly a script that starts further programs: what it said is kept."""

    def ask() -> Optional[str]:
        said = external_programs.ask([path, "-show"], _SHOW_SECONDS, environment, most=_MOST_SHOWN)
        return said.text.strip() if said else None

    files = (path, os.path.realpath(path))
    return answer_cache.answer([path, "-show"], lambda _: files, ask, environment) or ""


def _split(show: str) -> List[str]:
    try:
        return shlex.split(show)
    except ValueError:
        return show.split()


def header_version(header: str) -> Tuple[str, str]:
    """Which library an mpi.h belongs to, and its version; empty if it is none."""
    try:
        with open(header, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return "", ""
    parts = dict(_OPENMPI.findall(text))
    if len(parts) == 3:
        return "openmpi", ".".join(parts[part] for part in ("MAJOR", "MINOR", "RELEASE"))
    found = ((name, pattern.search(text)) for name, pattern in _DEFINES)
    # Any library's header defines this; a collector can be built for one that we have never heard
    # of.
    other = ("unknown", "") if "MPI_COMM_WORLD" in text else ("", "")
    return next(((name, match.group(1)) for name, match in found if match), other)
