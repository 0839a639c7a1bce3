"""How a profile declares its columns: in their order, "rank i4", without bytes for those that are 0
in all rows, "overflowed u8 0"; in JSON with their values."""

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
    """Tables of a header with each column as an object: its type and its offset, or `zero`, or its
    values. Raises Damage."""
    found, offset = {}, 0
    for name, table in tables.items():
        content = mapping(table, f"table {name}")
        listed, columns = sequence(content.get("columns"), f"the columns of {name}"), []
        # Values tell by themselves how many there are.
        reported = "rows" in content or not all(isinstance(column, dict) for column in listed)
        rows = whole(content.get("rows"), f"rows of {name}", 0) if reported else None
        for column in listed:
            place, size = (
                _with_values(name, column)
                if isinstance(column, dict)
                else _column(text(column, f"a column of {name}"), offset)
            )
            columns.append(place)
            offset += -(-(rows or 0) * size // _BLOCK) * _BLOCK
        found[name] = {"rows": rows, "columns": columns}
    return found


def _with_values(table: str, column: Mapping[str, Any]) -> Tuple[Dict[str, Any], int]:
    """A column that has its values beside its name, and no bytes."""
    if "values" not in column:
        raise Damage(f"a column of {table} has no values")
    return {name: column[name] for name in ("name", "dtype", "values") if name in column}, 0


def declared(label: str, dtype: str, is_zero: bool) -> str:
    """A column as it is named before its bytes, or, if it is 0 in all rows, without them."""
    return f"{label} {dtype}{' 0' * is_zero}"


def _column(words: str, offset: int) -> Tuple[Dict[str, Any], int]:
    """One column at `offset`, and the bytes of a value there."""
    label, dtype, *zero = words.split(" ") if " " in words else (words, "")
    if dtype not in SIZES or zero not in ([], ["0"]):
        raise Damage(f"a column is declared as {words!r}")
    declared = {"name": label, "dtype": dtype if dtype == "text" else "<" + dtype}
    return (
        ({**declared, "zero": True}, 0) if zero else ({**declared, "offset": offset}, SIZES[dtype])
    )
