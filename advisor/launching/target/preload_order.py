"""Which libraries are loaded before a program, in which order: ours must take no other tool's
place."""

from __future__ import annotations

import re
from typing import List, Mapping, Optional

from advisor.base import elf
from advisor.launching.target import needed_libraries

_MUST_BE_FIRST = re.compile(r"lib(asan|hwasan|clang_rt\.(asan|hwasan))\b")
"""Run-time libraries of sanitizers that end the program if another library stands before them
(Google's sanitizers, AddressSanitizerFlags, verify_asan_link_order)."""


def ordered(
    collector: str, before: str, program: Optional[str], environment: Mapping[str, str]
) -> str:
    """LD_PRELOAD with the collector in it. `before`: what is preloaded already; `program`: its
    file, None if it is not known.

    A tool wraps MPI_Send and calls PMPI_Send: in front of us it goes on to us, behind us nobody
    would call it. So what is preloaded stands first, then tools and sanitizers that the program
    itself is linked with, then the collector; only a preloaded MPI library stands behind it, which
    would hide us.
    """
    present = [word for word in re.split("[: ]", before) if word]
    libraries = [word for word in present if _defines(word, "PMPI_Init")]
    tools = [word for word in present if word not in libraries]
    linked = (
        [path for path in linked_first(program, environment) if path not in tools]
        if program
        else []
    )
    first, later = (
        ([], linked)
        if not linked or not _MUST_BE_FIRST.match(_name(linked[0]))
        else (linked[:1], linked[1:])
    )
    return ":".join([*first, *tools, *later, collector, *libraries])


def linked_first(program: str, environment: Mapping[str, str]) -> List[str]:
    """Libraries that `program` needs directly and that must stand before the collector, sanitizers
    first; empty for scripts."""
    if not elf.is_elf(program):
        return []
    paths = [
        path
        for _, path in needed_libraries.find_needed(program, lambda name: True, environment)
        if path
    ]
    sanitizers = [path for path in paths if _MUST_BE_FIRST.match(_name(path))]
    return sanitizers + [path for path in paths if _is_tool(path)]


def _is_tool(path: str) -> bool:
    """Whether a library wraps MPI calls and is not MPI itself: tools begin and end their work in
    these calls at least."""
    return any(
        _defines(path, name) for name in ("MPI_Init", "MPI_Init_thread", "MPI_Finalize")
    ) and not _defines(path, "PMPI_Init")


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _defines(path: str, symbol: str) -> bool:
    """Whether the dynamic symbols of an ELF file hold a definition of one of elf.WATCHED; False if
    it cannot be read."""
    binary = elf.read(path)
    return binary is not None and symbol in binary.defines
