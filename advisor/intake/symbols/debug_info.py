"""Places by reading ELF and DWARF ourselves, for machines without binutils."""

from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING, Any, Collection, Dict, List, Optional, Sequence, Tuple

import numpy as np

from advisor.base import answer_cache
from advisor.intake.symbols.source_location import Place, readable

# elf_reader is imported where it is used: most reports need no ELF file, or remember what stood in
# it.
if TYPE_CHECKING:
    from advisor.base.elf_reader import ELFFile

_LARGEST_DEBUG = 256 << 20
"""Bytes of debug sections that are read; more would take minutes and gigabytes in Python."""
_SYMBOL_64 = np.dtype(
    [
        ("name", "<u4"),
        ("info", "u1"),
        ("other", "u1"),
        ("section", "<u2"),
        ("value", "<u8"),
        ("size", "<u8"),
    ]
)
_FUNCTION = 2


def places(module: str, addresses: Sequence[int], deadline: float) -> List[Place]:
    """A place for each address. Raises OSError, and whatever pyelftools makes of a broken file."""
    from advisor.base.elf_reader import opened

    with opened(module) as program:
        names = functions(program, addresses)
        lines = _lines(program, addresses, deadline)
        apart = separate_file(program)
        if apart and not any(lines):
            with opened(apart) as debug:
                names = [name or more for name, more in zip(names, functions(debug, addresses))]
                lines = _lines(debug, addresses, deadline)
    return [Place(name, *(line or ("", 0))) for name, line in zip(names, lines)]


def functions_of(module: str, addresses: Sequence[int]) -> List[str]:
    """The function that holds each address, from the symbol table of a file. Remembered: the next
    run of the same program has the same call sites."""
    question = ["functions at these addresses", module, *map(str, addresses)]
    said = answer_cache.answer(
        question, lambda _: [module], lambda: _functions_of(module, addresses)
    )
    return json.loads(said) if said else []


def _functions_of(module: str, addresses: Sequence[int]) -> str:
    from advisor.base.elf_reader import opened

    with opened(module) as program:
        return json.dumps(functions(program, addresses))


def functions(program: ELFFile, addresses: Sequence[int]) -> List[str]:
    """The function that holds each address, from the symbol table; empty if none does."""
    table = program.get_section_by_name(".symtab") or program.get_section_by_name(".dynsym")
    if table is None or program.elfclass != 64 or not program.little_endian:
        return [""] * len(addresses)
    raw = table.data()
    symbols = np.frombuffer(raw[: len(raw) // 24 * 24], dtype=_SYMBOL_64)
    symbols = symbols[((symbols["info"] & 15) == _FUNCTION) & (symbols["section"] != 0)]
    symbols = symbols[np.argsort(symbols["value"], kind="stable")]
    found = (
        np.searchsorted(symbols["value"], np.array(addresses, dtype=np.uint64), side="right") - 1
    )
    strings = program.get_section(table["sh_link"])
    return [
        _function(symbols[at], address, strings) if at >= 0 else ""
        for at, address in zip(found.tolist(), addresses)
    ]


def _function(symbol: Any, address: int, strings: Any) -> str:
    size = int(symbol["size"])
    if size and address >= int(symbol["value"]) + size:
        return ""
    return readable(strings.get_string(int(symbol["name"])))


def separate_file(program: ELFFile) -> str:
    """The file with this program's debug information, by its build id; empty if there is none."""
    from advisor.base.elf_reader import build_id

    found = build_id(program)
    name = f"/usr/lib/debug/.build-id/{found[:2]}/{found[2:]}.debug"
    return name if found and os.path.isfile(name) else ""


def _lines(
    program: ELFFile, addresses: Sequence[int], deadline: float
) -> List[Optional[Tuple[str, int]]]:
    size = sum(
        section["sh_size"]
        for section in program.iter_sections()
        if section.name.startswith((".debug", ".zdebug"))
    )
    if not program.has_dwarf_info() or not 0 < size <= _LARGEST_DEBUG:
        return [None] * len(addresses)
    dwarf = program.get_dwarf_info(follow_links=False)
    wanted = set(addresses)
    found: Dict[int, Tuple[str, int]] = {}
    for unit in _units(dwarf, wanted):
        if time.monotonic() >= deadline or wanted <= set(found):
            break
        found.update(_lines_of(dwarf.line_program_for_CU(unit), wanted))
    return [found.get(address) for address in addresses]


def _units(dwarf: Any, addresses: Collection[int]) -> Any:
    """Compilation units to look into: those that hold the addresses if the file says so, else
    all."""
    ranges = dwarf.get_aranges()
    if ranges is None:
        return dwarf.iter_CUs()
    offsets = {ranges.cu_offset_at_addr(address) for address in addresses} - {None}
    return (dwarf.get_CU_at(offset) for offset in sorted(offsets))


def _lines_of(program: Any, wanted: Any) -> Dict[int, Tuple[str, int]]:
    """File and line of those wanted addresses that one line program covers."""
    found: Dict[int, Tuple[str, int]] = {}
    before = None
    ordered = sorted(wanted)
    for entry in program.get_entries() if program is not None else ():
        state = entry.state
        if state is None:
            continue
        if before is not None and before.address < state.address:
            first, last = np.searchsorted(ordered, [before.address, state.address])
            for address in ordered[first:last]:
                found[address] = (_file(program.header, before.file), before.line)
        before = None if state.end_sequence else state
    return found


def _file(header: Any, index: int) -> str:
    # Counted from 1 before DWARF 5, from 0 since; so are folders, where 0 was the folder of
    # compilation.
    new = header["version"] >= 5
    entry = header["file_entry"][index if new else index - 1]
    name = entry.name.decode("utf-8", "replace")
    folder = entry["dir_index"]
    folders = header["include_directory"]
    if new and folder < len(folders):
        return os.path.join(folders[folder].decode("utf-8", "replace"), name)
    if not new and 0 < folder <= len(folders):
        return os.path.join(folders[folder - 1].decode("utf-8", "replace"), name)
    return name
