"""What the dynamic loader would do: the libraries that a program needs, found as ld.so finds them
(ld.so(8)), without running it."""

from __future__ import annotations

import os
import re
import sys
from typing import Callable, Dict, Iterator, List, Mapping, Optional, Tuple

from advisor.base import answer_cache, external_programs
from advisor.base.elf import Binary, holds, read

_LDCONFIG_SECONDS = 10
_LOADERS = ("libc.so", "libc.musl", "libdl.so", "ld-linux", "ld-musl", "libgcc_s.so")
"""They define dlopen, or call it to unwind a stack."""
_DLOPEN = b"\0dlopen\0"
_DIRECTORIES = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")


def here() -> str:
    """The machine that ELF files of this host are for, as in Binary.machine."""
    names = {
        "x86_64": "EM_X86_64",
        "aarch64": "EM_AARCH64",
        "ppc64le": "EM_PPC64",
        "riscv64": "EM_RISCV",
        "s390x": "EM_S390",
    }
    return names.get(os.uname().machine, "")


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
    return any(holds(path, _DLOPEN) is not False for path in (program, *own))


def loader_cache() -> Dict[str, str]:
    """Name → path of the loader's cache, for this machine's word size; empty if `ldconfig -p`
    cannot be run."""
    command = next(
        (path for path in ("/sbin/ldconfig", "/usr/sbin/ldconfig") if os.path.exists(path)),
        external_programs.which("ldconfig") or "/sbin/ldconfig",
    )
    text = answer_cache.answer([command, "-p"], lambda _: [command], lambda: _listed(command))
    found: Dict[str, str] = {}
    for match in re.finditer(r"^\s*(\S+) \(([^)]*)\) => (\S+)$", text or "", re.MULTILINE):
        if "64" in match.group(2) or sys.maxsize < 1 << 32:
            found.setdefault(match.group(1), match.group(3))
    return found


def _listed(command: str) -> Optional[str]:
    said = external_programs.ask([command, "-p"], _LDCONFIG_SECONDS)
    return said.text if said and said.code == 0 else None


def loaded_with(program: str, environment: Mapping[str, str]) -> Iterator[str]:
    """The files of all libraries that a program needs, as far as they are found."""
    return (path for _, path in find_needed(program, lambda name: True, environment) if path)


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
