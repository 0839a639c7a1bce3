"""A place in a program's source."""

from __future__ import annotations

import re
from typing import NamedTuple


class Place(NamedTuple):
    """Empty or 0 is unknown."""

    function: str = ""
    file: str = ""
    line: int = 0


def readable(symbol: str) -> str:
    """A symbol as its author wrote it, for plain C++ names and Fortran modules; others stay as they
    are."""
    if symbol.startswith("__") and "_MOD_" in symbol:
        module, _, name = symbol[2:].partition("_MOD_")
        return f"{module}::{name}"
    if not symbol.startswith("_Z"):
        return symbol
    parts, rest = [], symbol[2:]
    rest = rest[1:].lstrip("VKr") if rest.startswith("N") else rest
    while True:
        match = re.match(r"\d+", rest)
        if not match:
            break
        length = int(match.group(0)[:6])
        parts.append(rest[match.end() : match.end() + length])
        rest = rest[match.end() + length :]
    if not parts or rest.startswith("I"):
        return symbol
    if re.match(r"[CD][0-9]", rest):
        parts.append(("~" if rest[0] == "D" else "") + parts[-1])
    return "::".join(parts)
