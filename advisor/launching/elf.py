"""What the dynamic loader would do: the libraries that a program needs, found as ld.so finds them
(ld.so(8)), without running it."""

from __future__ import annotations

import json
import mmap
import os
import platform
import re
from dataclasses import dataclass
from typing import Callable, Dict, FrozenSet, Iterator, List, Mapping, Optional, Tuple

from advisor import asking, remembered

_LDCONFIG_SECONDS = 10
_LOADERS = ("libc.so", "libc.musl", "libdl.so", "ld-linux", "ld-musl", "libgcc_s.so")
"""They define dlopen, or call it to unwind a stack."""
WATCHED = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize", "PMPI_Init"]
_DIRECTORIES = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")


@dataclass(frozen=True)
class Binary:
    """An ELF file. `dynamic` False: statically linked, so nothing can be preloaded."""

    path: str
    machine: str
    bits: int
    dynamic: bool
    needed: Tuple[str, ...] = ()
    rpath: Tuple[str, ...] = ()
    runpath: Tuple[str, ...] = ()
    soname: str = ""
    defines: FrozenSet[str] = frozenset()
    """Those of WATCHED that it defines for others."""


def is_elf(path: str) -> bool:
    """Whether the file begins like an ELF file. Unreadable files do not."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def read(path: str) -> Optional[Binary]:
    """The dynamic section of an ELF file; None if it cannot be read. Remembered from job to job."""
    full = os.path.abspath(path)
    said = remembered.answer(
        ["what does this file need", full, *WATCHED], lambda _: [full], lambda: _examined(full)
    )
    if said is None:
        return None
    found = json.loads(said)
    folders = {name: _folders(found.pop(name), path) for name in ("rpath", "runpath")}
    return Binary(
        path,
        needed=tuple(found.pop("needed")),
        defines=frozenset(found.pop("defines")),
        **folders,
        **found,
    )


def _examined(path: str) -> Optional[str]:
    # Imports pyelftools, for which a job need not wait again.
    from advisor.launching import elf_contents

    try:
        return json.dumps(elf_contents.dynamic(path, WATCHED))
    except elf_contents.UNREADABLE:
        return None


def here() -> str:
    """The machine that ELF files of this host are for, as in Binary.machine."""
    names = {
        "x86_64": "EM_X86_64",
        "aarch64": "EM_AARCH64",
        "ppc64le": "EM_PPC64",
        "riscv64": "EM_RISCV",
        "s390x": "EM_S390",
    }
    return names.get(platform.machine(), "")


def find_needed(
    program: str, wanted: Callable[[str], bool], environment: Mapping[str, str]
) -> Iterator[Tuple[str, Optional[str]]]:
    """Walk the needed libraries breadth first, as ld.so does; yield (name, path or None) of those
    that are `wanted`."""
    cache: Dict[str, str] = {}
    first = read(program)
    queue: List[Tuple[Binary, Tuple[str, ...]]] = [(first, ())] if first else []
    seen = set()
    while queue:
        binary, inherited = queue.pop(0)
        rpaths = (() if binary.runpath else binary.rpath) + inherited
        for name in binary.needed:
            if name in seen:
                continue
            seen.add(name)
            cache = cache or loader_cache()
            path = _find(name, binary, rpaths, environment, cache)
            if wanted(name):
                yield name, path
            elif path and (library := read(path)):
                queue.append((library, rpaths))


def may_load_libraries(program: str, environment: Mapping[str, str]) -> bool:
    """Whether a program, or a library that it needs, calls dlopen: without that it uses what it is
    linked with, and no more."""
    own = (
        path
        for name, path in find_needed(program, lambda name: True, environment)
        if path and not name.startswith(_LOADERS)
    )
    return any(_mentions(path, b"\0dlopen\0") for path in (program, *own))


def _mentions(path: str, name: bytes) -> bool:
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(name) >= 0
    except (OSError, ValueError):
        return True


def loader_cache() -> Dict[str, str]:
    """Name → path of the loader's cache, for this machine's word size; empty if `ldconfig -p`
    cannot be run."""
    command = next(
        (path for path in ("/sbin/ldconfig", "/usr/sbin/ldconfig") if os.path.exists(path)),
        asking.which("ldconfig") or "/sbin/ldconfig",
    )
    text = remembered.answer([command, "-p"], lambda _: [command], lambda: _listed(command))
    found: Dict[str, str] = {}
    for match in re.finditer(r"^\s*(\S+) \(([^)]*)\) => (\S+)$", text or "", re.MULTILINE):
        if "64" in match.group(2) or platform.architecture()[0] == "32bit":
            found.setdefault(match.group(1), match.group(3))
    return found


def _listed(command: str) -> Optional[str]:
    said = asking.ask([command, "-p"], _LDCONFIG_SECONDS)
    return said.text if said and said.code == 0 else None


def loaded_with(program: str, environment: Mapping[str, str]) -> Iterator[str]:
    """The files of all libraries that a program needs, as far as they are found."""
    return (path for _, path in find_needed(program, lambda name: True, environment) if path)


def names(path: str, symbol: str) -> bool:
    """Whether the tables of names of an ELF file hold `symbol`. Remembered from job to job."""
    full = os.path.abspath(path)
    return (
        remembered.answer(
            ["is this name in this file", full, symbol],
            lambda _: [full],
            lambda: _named(full, symbol),
        )
        == "yes"
    )


def _named(path: str, symbol: str) -> Optional[str]:
    from advisor.launching import elf_contents  # As in _examined().

    try:
        return "yes" if elf_contents.names(path, symbol) else "no"
    except elf_contents.UNREADABLE:
        return None


def _folders(texts: List[str], path: str) -> Tuple[str, ...]:
    origin = os.path.dirname(os.path.realpath(path))
    folders = [folder for text in texts for folder in text.split(":") if folder]
    return tuple(
        folder.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for folder in folders
    )


def _find(
    name: str,
    binary: Binary,
    rpaths: Tuple[str, ...],
    environment: Mapping[str, str],
    cache: Mapping[str, str],
) -> Optional[str]:
    if "/" in name:
        return name if os.path.exists(name) else None
    searched = [folder for folder in environment.get("LD_LIBRARY_PATH", "").split(":") if folder]
    for folder in [*rpaths, *searched, *binary.runpath]:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    if name in cache:
        return cache[name]
    return next(
        (
            path
            for path in (os.path.join(folder, name) for folder in _DIRECTORIES)
            if os.path.exists(path)
        ),
        None,
    )
