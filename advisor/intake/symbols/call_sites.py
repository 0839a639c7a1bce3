"""Call sites (module and offset) → function, file and line. Only sensible on the machine that ran
the job."""

from __future__ import annotations

import os
import re
import time
from dataclasses import replace
from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np

from advisor.intake.symbols import addr2line, debug_info
from advisor.intake.symbols.source_location import Place
from advisor.model.message import message
from advisor.model.profile import Columns, Gap, Profile

_KNOWN = {"sites": ("function", "file", "line"), "stacks": ("file", "line")}
"""Columns that resolved tables have. Python's frames in stacks bring the names of their functions.
"""
_FORTRAN_LAYER = re.compile(
    r"libmpi_(mpifh|usempi|usempif08|usempi_ignore_tkr)\b|libmpifort|libmpichf|libmpicf"
)
"""Files of MPI libraries that turn a Fortran call into a C call."""


def resolve(profile: Profile, seconds: float = 10.0) -> Profile:
    """The profile with its call sites named, as far as `seconds` allow. What stays nameless is a
    gap. Never raises."""
    named = {
        name: profile.tables[name]
        for name, known in _KNOWN.items()
        if _is_nameless(profile.tables.get(name), known)
    }
    if not named:
        return profile
    deadline = time.monotonic() + seconds
    places: Dict[Tuple[str, int], Place] = {}
    native = [_native(table) for table in named.values()]
    sites = {
        column: np.concatenate([table[column] for table in native])
        for column in ("module", "offset", "time")
    }
    gaps: List[Gap] = []
    for module, offsets in _by_module(sites):
        found, reason = _places(module, offsets, deadline)
        places.update({(module, offset): place for offset, place in zip(offsets, found)})
        if reason:
            gaps.append(
                Gap(
                    f"call sites in {module or 'unknown modules'}",
                    reason,
                    message("compile with -g and do not strip") if found else "",
                )
            )
    return replace(
        profile,
        tables={
            **profile.tables,
            **{name: _with_places(table, places) for name, table in named.items()},
        },
        gaps=profile.gaps + tuple(gaps),
    )


def _is_nameless(table: Optional[Columns], known: Tuple[str, ...]) -> bool:
    """Whether a table has call sites, and nobody has resolved them."""
    if not table or not len(table["module"]):
        return False
    return not any(name in table for name in known)


def _is_python(table: Columns) -> np.ndarray:
    return (
        np.array([bool(name) for name in table["function"]], dtype=bool)
        if "function" in table
        else np.zeros(len(table["module"]), bool)
    )


def _native(table: Columns) -> Columns:
    """Rows of machine code, with the time that says where to look first."""
    native = ~_is_python(table)
    time = table["time"] if "time" in table else np.ones(len(native))
    return {
        "module": table["module"][native],
        "offset": table["offset"][native],
        "time": np.asarray(time, dtype=np.float64)[native],
    }


def _by_module(sites: Columns) -> List[Tuple[str, List[int]]]:
    """Modules with their distinct offsets; the one with the most time first, since time may run
    out."""
    names = list(dict.fromkeys(sites["module"]))
    codes = np.array([names.index(name) for name in sites["module"].tolist()])
    weight = np.bincount(codes, weights=sites["time"], minlength=len(names))
    order = sorted(range(len(names)), key=lambda code: -weight[code])
    return [(names[code], np.unique(sites["offset"][codes == code]).tolist()) for code in order]


def _places(module: str, offsets: Sequence[int], deadline: float) -> Tuple[List[Place], str]:
    """A place for each offset, and why some of them have none."""
    if _FORTRAN_LAYER.match(os.path.basename(module)):
        return (
            [],
            (
                "they were made in Fortran, and only the library's Fortran layer was seen as their"
                " caller"
            ),
        )
    if not os.path.isfile(module):
        return [], "the file is not here" if module else "the caller lies in no file"
    if time.monotonic() >= deadline:
        return [], "there was no time left to look"
    # The return address is behind the call; one byte before it is inside.
    inside = [max(0, offset - 1) for offset in offsets]
    try:
        found = _exact(
            module, inside, addr2line.places(module, inside, deadline)
        ) or debug_info.places(module, inside, deadline)
    # pyelftools raises whatever a strange file makes of it; names are not worth a failure
    except Exception as error:
        return [], f"its symbols cannot be read: {type(error).__name__}"
    if all(place.line for place in found):
        return found, ""
    return found, (
        message("it has no symbols")
        if not any(place.function for place in found)
        else message("it has no line numbers, at least not for all calls")
    )


def _exact(module: str, addresses: Sequence[int], found: List[Place]) -> List[Place]:
    """Without lines, addr2line names the nearest function before, however far: there the symbol
    table says it with its size."""
    if all(place.line for place in found):
        return found
    names = debug_info.functions_of(module, addresses)
    return [place if place.line else Place(name) for place, name in zip(found, names)]


def _with_places(sites: Columns, places: Dict[Tuple[str, int], Place]) -> Columns:
    rows = [
        places.get(key, Place()) for key in zip(sites["module"].tolist(), sites["offset"].tolist())
    ]
    for index in np.flatnonzero(_is_python(sites)):
        rows[index] = Place(
            sites["function"][index], sites["module"][index], int(sites["offset"][index])
        )
    text = {
        name: np.array([getattr(row, name) for row in rows] + [None], dtype=object)[:-1]
        for name in ("function", "file")
    }
    return {**sites, **text, "line": np.array([row.line for row in rows], dtype="<u4")}
