"""ELF files read with pyelftools: the one place that imports it.

Import this where it is used: that takes as long as all else before a job.
"""

from __future__ import annotations

import mmap
from contextlib import contextmanager
from typing import Any, BinaryIO, Dict, Iterator, List, Sequence, Tuple

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import Dynamic
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from elftools.elf.hash import ELFHashSection, GNUHashSection
from elftools.elf.sections import NoteSection, SymbolTableSection

UNREADABLE = (OSError, ELFError, ValueError, KeyError)
_LONGEST_TEXT = 64 << 10


@contextmanager
def opened(path: str) -> Iterator[ELFFile]:
    """The file, for as long as it is looked at. Raises UNREADABLE."""
    with open(path, "rb") as stream:
        yield ELFFile(stream)


def dynamic(path: str, watched: List[str]) -> Dict[str, object]:
    """The dynamic section under the names of elf.Binary; `defines`: those of `watched` that its
    dynamic symbols define. Raises UNREADABLE."""
    with opened(path) as file:
        values: Dict[str, List[str]] = {
            "DT_NEEDED": [],
            "DT_RPATH": [],
            "DT_RUNPATH": [],
            "DT_SONAME": [],
        }
        for tag in _tags(file):
            if tag.entry.d_tag in values:
                values[tag.entry.d_tag].append(getattr(tag, tag.entry.d_tag[3:].lower()))
        needed, soname = values["DT_NEEDED"], "".join(values["DT_SONAME"][:1])
        interpreted = any(part.header.p_type == "PT_INTERP" for part in file.iter_segments())
        shared = file.header.e_type == "ET_DYN" and bool(soname)
        return {
            "machine": file.header.e_machine,
            "bits": file.elfclass,
            "dynamic": interpreted or shared or bool(needed),
            "needed": needed,
            "rpath": values["DT_RPATH"],
            "runpath": values["DT_RUNPATH"],
            "soname": soname,
            "defines": _defined(file, watched),
        }


def sizes_of(path: str, symbols: Sequence[str]) -> Dict[str, int]:
    """The bytes of those of `symbols` that the file defines. Raises UNREADABLE."""
    with opened(path) as file:
        table = file.get_section_by_name(".dynsym")
        if not isinstance(table, SymbolTableSection):
            return {}
        found = ((name, table.get_symbol_by_name(name) or ()) for name in symbols)
        return {
            name: symbol["st_size"]
            for name, entries in found
            for symbol in entries
            if symbol["st_shndx"] != "SHN_UNDEF"
        }


def needed_versions(path: str, library: str) -> List[str]:
    """Versions of symbols that the file needs of a library, GLIBC_2.34 of libc.so.6; for
    packaging/wheel. Raises UNREADABLE."""
    with opened(path) as file:
        section = file.get_section_by_name(".gnu.version_r")
        if not isinstance(section, GNUVerNeedSection):
            return []
        return [
            version.name
            for needed, versions in section.iter_versions()
            if needed.name == library
            for version in versions
        ]


def _tags(file: ELFFile) -> Iterator:
    for part in (*file.iter_segments(), *file.iter_sections()):
        if isinstance(part, Dynamic):
            return part.iter_tags()
    return iter(())


def _defined(file: ELFFile, symbols: List[str]) -> List[str]:
    """None if they cannot be read: the rest of the file may tell all the same."""
    try:
        return [symbol for symbol in symbols if _defines(file, symbol)]
    except UNREADABLE:
        return []


def _defines(file: ELFFile, symbol: str) -> bool:
    for section in file.iter_sections():
        if isinstance(section, (GNUHashSection, ELFHashSection)):
            found = section.get_symbol(symbol)
            return found is not None and found["st_shndx"] != "SHN_UNDEF"
    table = file.get_section_by_name(".dynsym")
    named = table.get_symbol_by_name(symbol) if isinstance(table, SymbolTableSection) else None
    return any(one["st_shndx"] != "SHN_UNDEF" for one in named or ())


def names(path: str, symbol: str) -> bool:
    """Whether the tables of names hold `symbol`.

    Searched as they lie in the file: large programs have a million names. Raises UNREADABLE.
    """
    with open(path, "rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as data:
        tables = [
            section.header
            for section in ELFFile(stream).iter_sections()
            if section.header.sh_type == "SHT_STRTAB"
        ]
        return any(
            data.find(
                b"\0" + symbol.encode() + b"\0", table.sh_offset, table.sh_offset + table.sh_size
            )
            >= 0
            for table in tables
        )


def text_of(file: BinaryIO, name: str, longest: int) -> str:
    """The text that a variable of the file holds; "" without it. Raises UNREADABLE."""
    binary = ELFFile(file)
    # By the loader's own table: reading all names of a library takes a tenth of a second.
    table = binary.get_section_by_name(".gnu.hash") or binary.get_section_by_name(".hash")
    found = table.get_symbol(name) if isinstance(table, (GNUHashSection, ELFHashSection)) else None
    for offset in binary.address_offsets(found["st_value"]) if found else ():
        file.seek(offset)
        return file.read(longest).split(b"\0")[0].decode("ascii")
    return ""


def contents(
    path: str, imports: Sequence[str], texts: Sequence[str]
) -> Tuple[List[str], Dict[str, str]]:
    """Those of `imports` that it takes from others, the text of each variable in `texts`.

    Raises what pyelftools does.
    """
    with opened(path) as file:
        symbols = file.get_section_by_name(".dynsym")
        taken, held = set(), {}
        for symbol in symbols.iter_symbols() if isinstance(symbols, SymbolTableSection) else ():
            if symbol["st_shndx"] == "SHN_UNDEF":
                taken.update({symbol.name} & {*imports})
            elif symbol.name in texts:
                held[symbol.name] = _text(file, symbol)
        return sorted(taken), held


def _text(file: ELFFile, symbol: Any) -> str:
    """The characters of an array of constant text."""
    section = file.get_section(symbol["st_shndx"])
    start = symbol["st_value"] - section["sh_addr"]
    data = section.data()[start : start + min(symbol["st_size"], _LONGEST_TEXT)]
    return data.split(b"\0", 1)[0].decode("utf-8", "replace").strip()


def build_id(file: ELFFile) -> str:
    """What the linker calls this build of a program, in hexadecimal digits; "" without it."""
    for section in file.iter_sections():
        if isinstance(section, NoteSection):
            for note in section.iter_notes():
                if note["n_type"] == "NT_GNU_BUILD_ID":
                    return note["n_desc"]
    return ""
