"""Reads the file of an MPI library without running it: needed libraries, imported symbols, version
strings."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Dict, FrozenSet, List, Mapping, Optional

from advisor.base import answer_cache, elf
from advisor.probing.commands import answer_once, surroundings

_IMPORTS = ("fi_getinfo", "process_vm_readv", "ucp_init_version", "xpmem_get", "xpmem_make")
_FIELDS = ("device", "configure", "string", "ABI")
_TEXTS = tuple(
    f"{prefix}_Version_{field}" for prefix in ("MPII", "MPIR", "MPICH") for field in _FIELDS
)


@dataclass(frozen=True)
class LibraryFile:
    """`imports`: those that tell a transport; `strings`: device, configure, string, ABI of an
    MPICH."""

    imports: FrozenSet[str] = frozenset()
    strings: Mapping[str, str] = field(default_factory=dict)


def examine(path: str) -> Optional[LibraryFile]:
    """None if the file is no ELF file that can be read."""
    found = elf.contents(path, _IMPORTS, _TEXTS)
    if found is None:
        return None
    return LibraryFile(
        found.imports, {name.rpartition("_")[2]: text for name, text in found.texts.items()}
    )


def parse_ldd(text: str) -> Dict[str, str]:
    """Library name → file, from the output of ldd."""
    return dict(re.findall(r"^[ \t]+(\S+) => (/\S.*?) \(0x[0-9a-f]+\)$", text, re.MULTILINE))


def loaded_with(path: str) -> Dict[str, str]:
    """Library name → file that the loader would take for each library that this one needs. Nothing
    in it is run."""
    text = answer_once(
        ["ldd", path],
        10.0,
        {**surroundings(), "LC_ALL": "C"},
        lambda text: _searched(path, parse_ldd(text)),
    )
    return parse_ldd(text or "")


def _searched(path: str, found: Mapping[str, str]) -> List[str]:
    """What tells which libraries the loader takes: the files, and their folders, where others may
    be put."""
    files = [path, *found.values()]
    return files + [os.path.dirname(os.path.abspath(file)) for file in files]


def rests_on(file: str, *folders: str) -> Optional[List[str]]:
    """What a program or library does rests on itself, the libraries that it is loaded with, and
    what it opens in these folders; None for a script, which may start others."""
    if examine(file) is None:
        return None
    return [
        file,
        *loaded_with(file).values(),
        *(path for folder in folders for path in answer_cache.tree(folder)),
    ]
