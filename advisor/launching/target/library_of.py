"""Which MPI a program uses: its ELF file, the script that starts it, or else the launcher's own
library."""

from __future__ import annotations

import glob
import os
import re
import shlex
import shutil
import stat
from dataclasses import dataclass, replace
from typing import FrozenSet, Iterator, Mapping, Optional, Sequence

from advisor.base import answer_cache, elf, external_programs
from advisor.launching.target import needed_libraries
from advisor.launching.target.library_file import MpiLibrary, examine, is_mpi
from advisor.launching.target.python_library import is_python, python_library
from advisor.model.errors import UserError

_SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "csh", "tcsh")
_SCRIPT_BYTES = 65536
_ASK = {
    "openmpi": (("ompi_info", "--version"), ("mpirun", "--version")),
    "mpich": (("mpichversion",), ("mpiexec.hydra", "--version")),
}
_ASK_SECONDS = 10
_VERSION = re.compile(r"(?:Open MPI v|Open MPI\) |OpenRTE\) |Version:\s+)([0-9][0-9a-z.]*)")


@dataclass(frozen=True)
class Use:
    """How a program uses MPI. `how`: needs (its ELF file says so), starts (a script starts such a
    program), launcher (the launcher's own library: the program may load MPI while it runs),
    untold (it may load one, and there is no launcher), none (it cannot)."""

    how: str
    library: Optional[MpiLibrary] = None


def locate(
    word: str, environment: Mapping[str, str], from_directory: bool = False, directory: str = ""
) -> Optional[str]:
    """The file that a program word names; None if there is none. Raises UserError if it may not be
    executed.

    `directory`: where the ranks start, if not here. `from_directory`: whether a name without a
    slash may lie there.
    """
    here = os.path.join(directory, word)
    path = here if "/" in word else shutil.which(word, path=environment.get("PATH"))
    if path is None and from_directory and os.path.isfile(here):
        path = os.path.abspath(here)
    if path is None or not os.path.exists(path):
        return None
    if os.path.isdir(path) or not os.access(path, os.X_OK):
        raise UserError(
            f"{word} cannot be executed.", do=f"Check the name, or: chmod +x {shlex.quote(path)}"
        )
    return path


def library_of(
    path: str,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    launcher: Optional[MpiLibrary],
) -> Use:
    """The library that the program at `path` uses. Raises UserError where nothing can be preloaded
    into it."""
    if launcher is None and is_python(path):
        found = python_library(path, environment)
        return Use("starts", found) if found else Use("untold")
    if elf.is_elf(path) and os.path.basename(path) not in _SHELLS:
        return _of_binary(path, environment, launcher)
    for inner in programs_in_script(path, arguments, environment):
        use = _of_binary(inner, environment, None)
        if use.library:
            return Use("starts", use.library)
    return Use("launcher", launcher) if launcher else Use("untold")


def launcher_library(launcher: str, environment: Mapping[str, str]) -> Optional[MpiLibrary]:
    """The library that belongs to a launcher: of one of its own family, near it. None if it cannot
    be told."""
    path = shutil.which(launcher, path=environment.get("PATH"))
    if path is None:
        return None
    names = (
        ("libmpich.so*", "libmpi.so*")
        if "mpich" in os.path.realpath(path) + path or "hydra" in path
        else ("libmpi.so*", "libmpich.so*")
    )
    for folder in library_folders(path):
        for name in names:
            for file in sorted(glob.glob(os.path.join(folder, name))):
                if elf.is_elf(file):
                    binary = elf.read(file)
                    return examine(file, binary.soname if binary else "")
    return None


def loaded_library(environment: Mapping[str, str]) -> Optional[MpiLibrary]:
    """The library whose launcher or compiler wrapper stands first along PATH: the one of the module
    that is loaded, as a rule."""
    found = (launcher_library(name, environment) for name in ("mpirun", "mpiexec", "mpicc"))
    return next((library for library in found if library), None)


def with_version(library: MpiLibrary, environment: Mapping[str, str]) -> MpiLibrary:
    """The library with its version, asked of the programs that were installed with it if the file
    does not say."""
    if library.version:
        return library
    for folder in program_folders(library.path):
        for command, *options in _ASK.get(library.name, ()):
            version = _ask(
                [os.path.join(folder, command), *options],
                environment,
                external_programs.owners_of(library.path),
            )
            if version:
                return replace(library, version=version)
    return library


def program_folders(library: str) -> Iterator[str]:
    """Folders where the programs of an installed library may lie, the nearest first."""
    seen = set()
    for place in (os.path.abspath(library), os.path.realpath(library)):
        folder = os.path.dirname(place)
        while os.path.dirname(folder) != folder:
            folder = os.path.dirname(folder)
            beside = os.path.join(folder, "bin")
            if beside not in seen and os.path.isdir(beside):
                seen.add(beside)
                yield beside


def library_folders(program: str) -> Iterator[str]:
    """Folders where the library of an installed launcher or compiler wrapper may lie, the nearest
    first."""
    for start in dict.fromkeys((os.path.abspath(program), os.path.realpath(program))):
        prefix = os.path.dirname(os.path.dirname(start))
        for folder in (
            "lib",
            "lib64",
            "lib/release",
            "lib/openmpi/lib",
            "lib/x86_64-linux-gnu",
            "lib/x86_64-linux-gnu/openmpi/lib",
        ):
            yield os.path.join(prefix, folder)


def programs_in_script(
    path: str, arguments: Sequence[str], environment: Mapping[str, str]
) -> Iterator[str]:
    """ELF files that a shell script, or the text behind `bash -c`, names. Other interpreters:
    none."""
    interpreter = os.path.basename(path)
    if interpreter in _SHELLS:
        text = _shell_text(arguments)
    else:
        text = _text_of(path)
        if not _shell_script(text):
            return
    for line in text.splitlines():
        for word in _words(line):
            found = word if "/" in word else shutil.which(word, path=environment.get("PATH"))
            if found and os.path.isfile(found) and elf.is_elf(found):
                yield found


def _of_binary(path: str, environment: Mapping[str, str], launcher: Optional[MpiLibrary]) -> Use:
    _may_be_entered(path)
    for name, found in needed_libraries.find_needed(path, is_mpi, environment):
        if found:
            return Use("needs", examine(found, name))
        if launcher:
            return Use("needs", launcher)
        raise UserError(
            f"{path} needs {name}, which is not found here.",
            "It cannot be measured.",
            "Load the module of the MPI that it was built with, or set LD_LIBRARY_PATH.",
        )
    if elf.names(path, "PMPI_Init"):
        raise UserError(
            f"The MPI library is part of {path}, so the collector cannot stand between them.",
            "It runs without being measured.",
            "Link the shared library of MPI in place of libmpi.a or libmpich.a.",
        )
    if not needed_libraries.may_load_libraries(path, environment):
        return Use("none")
    return Use("launcher", launcher) if launcher else Use("untold")


def _may_be_entered(path: str) -> None:
    """Raises UserError if no library can be preloaded into a program."""
    binary = elf.read(path)
    if binary is None:
        raise UserError(
            f"{path} looks like a program but cannot be read as one.",
            "It runs without being measured.",
        )
    if needed_libraries.here() and binary.machine != needed_libraries.here():
        raise UserError(
            f"{path} is a program for another kind of machine"
            f" ({binary.machine[3:].lower().replace('_', '-')}).",
            "It cannot be measured here.",
            "Build it for this machine, or start it where it runs.",
        )
    if not binary.dynamic:
        raise UserError(
            f"{path} is statically linked, so the collector cannot enter it.",
            "It runs without being measured.",
            "Link it dynamically: without -static, and against the shared MPI library.",
        )
    if _changes_rights(path):
        raise UserError(
            f"{path} runs with the rights of another user or group, so the system lets no library"
            " enter it.",
            "It runs without being measured.",
            "Measure a copy without these rights: cp, then chmod u-s,g-s; one that was given"
            " capabilities loses them by cp.",
        )


def _changes_rights(path: str) -> bool:
    """Whether the loader ignores LD_PRELOAD for a program, AT_SECURE: it is set-user-ID or
    set-group-ID to somebody else, or has capabilities."""
    facts = os.stat(path)
    if (facts.st_mode & stat.S_ISUID and facts.st_uid != os.getuid()) or (
        facts.st_mode & stat.S_ISGID and facts.st_gid != os.getgid()
    ):
        return not os.statvfs(path).f_flag & os.ST_NOSUID
    try:
        return os.getuid() != 0 and bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False


def _ask(command: Sequence[str], environment: Mapping[str, str], owners: FrozenSet[int]) -> str:
    if not external_programs.may_run(command[0], owners):
        return ""
    said = answer_cache.answer(
        command,
        lambda text: _rests_on(command[0], text, environment),
        lambda: _said(command, environment),
        environment,
    )
    match = _VERSION.search(said or "")
    return match.group(1) if match else ""


def _said(command: Sequence[str], environment: Mapping[str, str]) -> Optional[str]:
    said = external_programs.ask(command, _ASK_SECONDS, environment, errors=True)
    return said.text if said else None


def _rests_on(program: str, text: str, environment: Mapping[str, str]) -> Optional[Sequence[str]]:
    """The program and its libraries; None for a script, which may start others, and for one that
    told no version."""
    return (
        [program, *needed_libraries.loaded_with(program, environment)]
        if _VERSION.search(text) and elf.is_elf(program)
        else None
    )


def _shell_text(arguments: Sequence[str]) -> str:
    for position, word in enumerate(arguments):
        if re.fullmatch(r"-[a-z]*c[a-z]*", word):
            return arguments[position + 1] if position + 1 < len(arguments) else ""
        if not word.startswith(("-", "+")):
            return _text_of(word)
    return ""


def _text_of(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.read(_SCRIPT_BYTES).decode(errors="replace")
    except OSError:
        return ""


def _shell_script(text: str) -> bool:
    first = text.partition("\n")[0]
    interpreter = (
        [os.path.basename(word) for word in first[2:].split()] if first.startswith("#!") else []
    )
    return any(word in _SHELLS for word in interpreter[:2])


def _words(line: str) -> Sequence[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return line.split()
