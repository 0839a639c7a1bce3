"""Where the columns of a profile of version 2 lie: it names them in their order, "rank i4", and
leaves out those that are 0 in all rows, "folded u8 0"."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Tuple

from advisor.intake.untrusted.damage import Damage, mapping, sequence, text, whole

SIZES = {
    "text": 4,
    **{kind + size: int(size) for kind in "iu" for size in "1248"},
    "f4": 4,
    "f8": 8,
}
"""Bytes of a value by its type; of a text that of its index into the strings."""
_BLOCK = 8


def placed(tables: Mapping[str, Any]) -> Dict[str, Any]:
    """Tables of a header of version 2 as version 1 has them: each column an object with its type
    and offset, or with `zero`. Raises Damage."""
    found, offset = {}, 0
    for name, table in tables.items():
        content = mapping(table, f"table {name}")
        rows, columns = whole(content.get("rows"), f"rows of {name}", 0), []
        for column in sequence(content.get("columns"), f"the columns of {name}"):
            declared, size = _column(text(column, f"a column of {name}"), offset)
            columns.append(declared)
            offset += -(-rows * size // _BLOCK) * _BLOCK
        found[name] = {"rows": rows, "columns": columns}
    return found


def _column(words: str, offset: int) -> Tuple[Dict[str, Any], int]:
    """One column at `offset`, and the bytes of a value there."""
    label, dtype, *zero = words.split(" ") if " " in words else (words, "")
    if dtype not in SIZES or zero not in ([], ["0"]):
        raise Damage(f"a column is declared as {words!r}")
    declared = {"name": label, "dtype": dtype if dtype == "text" else "<" + dtype}
    return (
        ({**declared, "zero": True}, 0) if zero else ({**declared, "offset": offset}, SIZES[dtype])
    )
