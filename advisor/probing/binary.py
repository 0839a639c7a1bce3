"""What the file of an MPI library tells without running it: libraries it needs, symbols it imports,
version strings."""

from __future__ import annotations

import json
import mmap
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Dict, FrozenSet, List, Mapping, Optional, Sequence, Set

from advisor import remembered
from advisor.probing.commands import answer_once, surroundings

if TYPE_CHECKING:
    from elftools.elf.elffile import ELFFile

LARGEST = 512 << 20
_STRINGS = re.compile(r"MP(?:II|IR|ICH)_Version_(device|configure|string|ABI)")
_LONGEST_STRING = 64 << 10
WATCHED = frozenset(
    ("process_vm_readv", "xpmem_make", "xpmem_get", "ucp_init_version", "fi_getinfo")
)


@dataclass(frozen=True)
class Binary:
    """`needed`: names of needed libraries; `imports`: those of WATCHED; `strings`: device,
    configure, string, ABI."""

    needed: FrozenSet[str] = frozenset()
    imports: FrozenSet[str] = frozenset()
    strings: Mapping[str, str] = field(default_factory=dict)


def examine(path: str) -> Optional[Binary]:
    """None if the file is no ELF file that can be read, or is larger than 512 MiB. Reading all
    names of a library takes a tenth of a second: remembered."""
    said = remembered.answer(
        ["what is in this file", path], lambda _: [path], lambda: _examined(path)
    )
    if said is None:
        return None
    needed, imports, strings = json.loads(said)
    return Binary(frozenset(needed), frozenset(imports), strings)


def _examined(path: str) -> Optional[str]:
    # What a file says is remembered, and most jobs do without.
    from elftools.elf.elffile import ELFFile

    try:
        if not os.path.isfile(path) or os.path.getsize(path) > LARGEST:
            return None
        with open(path, "rb") as file:
            found = _read(ELFFile(file))
            return json.dumps([sorted(found.needed), sorted(found.imports), found.strings])
    except Exception:  # pyelftools raises many kinds on a damaged file
        return None


def _read(elf: ELFFile) -> Binary:
    dynamic: Any = elf.get_section_by_name(".dynamic")
    symbols: Any = elf.get_section_by_name(".dynsym")
    needed = (
        frozenset(tag.needed for tag in dynamic.iter_tags("DT_NEEDED")) if dynamic else frozenset()
    )
    imports: Set[str] = set()
    strings: Dict[str, str] = {}
    for symbol in symbols.iter_symbols() if symbols else ():
        if symbol["st_shndx"] == "SHN_UNDEF":
            imports.update(WATCHED & {symbol.name})
            continue
        match = _STRINGS.fullmatch(symbol.name)
        if match:
            strings[match.group(1)] = _string(elf, symbol)
    return Binary(needed, frozenset(imports), strings)


def _string(elf: ELFFile, symbol) -> str:
    """The characters of an array of constant text."""
    section = elf.get_section(symbol["st_shndx"])
    start = symbol["st_value"] - section["sh_addr"]
    data = section.data()[start : start + min(symbol["st_size"], _LONGEST_STRING)]
    return data.split(b"\0", 1)[0].decode("utf-8", "replace").strip()


def mentions(path: str, words: Sequence[bytes]) -> Optional[FrozenSet[bytes]]:
    """Which of these words are in a file; None if it cannot be read. Remembered: a word that is not
    there is looked for in all of it."""
    question = ["which words are in this file", path, *(word.decode("ascii") for word in words)]
    said = remembered.answer(question, lambda _: [path], lambda: _mentioned(path, words))
    return None if said is None else frozenset(word.encode("ascii") for word in json.loads(said))


def _mentioned(path: str, words: Sequence[bytes]) -> Optional[str]:
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return json.dumps([word.decode("ascii") for word in words if data.find(word) >= 0])
    except (OSError, ValueError):
        return None


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
        *(path for folder in folders for path in remembered.tree(folder)),
    ]
