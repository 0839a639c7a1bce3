"""ELF files: what the loader takes from one, and what stands in it, without running it.

What was read is kept from job to job while the file is as it was; only then is it read again
(elf_reader.py).
"""

from __future__ import annotations

import json
import mmap
import os
from dataclasses import dataclass, field
from typing import Any, FrozenSet, List, Mapping, Optional, Sequence, Tuple

from advisor.base import answer_cache

LARGEST = 512 << 20
"""Bytes of a file whose symbols are all looked at."""
WATCHED = ["MPI_Init", "MPI_Init_thread", "MPI_Finalize", "PMPI_Init"]


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


@dataclass(frozen=True)
class Contents:
    """Of what was asked for: the names that it takes from others, and the texts that variables of
    it hold."""

    imports: FrozenSet[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)


def is_elf(path: str) -> bool:
    """Whether the file begins like an ELF file. Unreadable files do not."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def read(path: str) -> Optional[Binary]:
    """The dynamic section of an ELF file; None if it cannot be read."""
    full = os.path.abspath(path)
    said = answer_cache.answer(
        ["what does this file need", full, *WATCHED], lambda _: [full], lambda: _examined(full)
    )
    if said is None:
        return None
    found = json.loads(said)
    folders: Any = {name: _folders(found.pop(name), path) for name in ("rpath", "runpath")}
    return Binary(
        path,
        needed=tuple(found.pop("needed")),
        defines=frozenset(found.pop("defines")),
        **folders,
        **found,
    )


def contents(path: str, imports: Sequence[str], texts: Sequence[str]) -> Optional[Contents]:
    """Which of the names in `imports` a file takes from others, and the text that each variable in
    `texts` holds.

    None if the file is no ELF file that can be read, or is larger than 512 MiB. Reading all names
    takes a tenth of a second.
    """
    question = ["what is in this file", path, *imports, *texts]
    said = answer_cache.answer(question, lambda _: [path], lambda: _contents(path, imports, texts))
    if said is None:
        return None
    taken, held = json.loads(said)
    return Contents(frozenset(taken), held)


def names(path: str, symbol: str) -> bool:
    """Whether the tables of names of an ELF file hold `symbol`."""
    full = os.path.abspath(path)
    return (
        answer_cache.answer(
            ["is this name in this file", full, symbol],
            lambda _: [full],
            lambda: _named(full, symbol),
        )
        == "yes"
    )


def holds(path: str, word: bytes) -> Optional[bool]:
    """Whether these bytes are in a file of any kind; None if it cannot be read.

    Not kept: what is there is found soon.
    """
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(word) >= 0
    except (OSError, ValueError):
        return None


def mentions(path: str, words: Sequence[bytes]) -> Optional[FrozenSet[bytes]]:
    """Which of these words are in a file of any kind; None if it cannot be read.

    A word that is not there is looked for in all of it.
    """
    full = os.path.abspath(path)
    question = ["which words are in this file", full, *(word.decode("ascii") for word in words)]
    said = answer_cache.answer(question, lambda _: [full], lambda: _mentioned(full, words))
    return None if said is None else frozenset(word.encode("ascii") for word in json.loads(said))


def _examined(path: str) -> Optional[str]:
    # pyelftools, for which a job need not wait again: importing it takes as long as all else before
    # a job.
    from advisor.base import elf_reader

    try:
        return json.dumps(elf_reader.dynamic(path, WATCHED))
    except elf_reader.UNREADABLE:
        return None


def _contents(path: str, imports: Sequence[str], texts: Sequence[str]) -> Optional[str]:
    from advisor.base import elf_reader  # As in _examined().

    try:
        if not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
            return None
        return json.dumps(elf_reader.contents(path, imports, texts))
    except Exception:  # pyelftools raises many kinds on a damaged file
        return None


def _named(path: str, symbol: str) -> Optional[str]:
    from advisor.base import elf_reader  # As in _examined().

    try:
        return "yes" if elf_reader.names(path, symbol) else "no"
    except elf_reader.UNREADABLE:
        return None


def _mentioned(path: str, words: Sequence[bytes]) -> Optional[str]:
    found = {word: holds(path, word) for word in words}
    return (
        None
        if None in found.values()
        else json.dumps([word.decode("ascii") for word in words if found[word]])
    )


def _folders(texts: List[str], path: str) -> Tuple[str, ...]:
    origin = os.path.dirname(os.path.realpath(path))
    folders = [folder for text in texts for folder in text.split(":") if folder]
    return tuple(
        folder.replace("${ORIGIN}", origin).replace("$ORIGIN", origin) for folder in folders
    )
