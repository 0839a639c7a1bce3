"""What stands in an ELF file, read with pyelftools. Imported where it is not remembered: importing
pyelftools takes as long as all else before a job."""

from __future__ import annotations

import mmap
from typing import BinaryIO, Dict, Iterator, List

from elftools.common.exceptions import ELFError
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.hash import ELFHashSection, GNUHashSection
from elftools.elf.sections import SymbolTableSection

UNREADABLE = (OSError, ELFError, ValueError, KeyError)


def dynamic(path: str, watched: List[str]) -> Dict[str, object]:
    """The dynamic section under the names of elf.Binary; `defines`: those of `watched` that its
    dynamic symbols define. Raises UNREADABLE."""
    with open(path, "rb") as stream:
        file = ELFFile(stream)
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


def _tags(file: ELFFile) -> Iterator:
    section = next(
        (part for part in file.iter_segments() if part.header.p_type == "PT_DYNAMIC"), None
    )
    section = section or next(
        (part for part in file.iter_sections() if isinstance(part, DynamicSection)), None
    )
    return section.iter_tags() if section else iter(())


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
    """Whether the tables of names hold `symbol`. Searched as they lie in the file: large programs
    have a million names. Raises UNREADABLE."""
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
    found = table.get_symbol(name) if table else None
    for offset in binary.address_offsets(found["st_value"]) if found else ():
        file.seek(offset)
        return file.read(longest).split(b"\0")[0].decode("ascii")
    return ""
