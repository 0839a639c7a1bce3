"""Tables of a header → NumPy columns, checked against model/columns.py."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np

from advisor.intake.container.layout import placed
from advisor.intake.untrusted import claims
from advisor.intake.untrusted.claims import Held
from advisor.intake.untrusted.damage import Damage, mapping, sequence, text, whole
from advisor.model.columns import TABLES, ColumnKind
from advisor.model.profile import Columns

NUMBERS = ("<i1", "<i2", "<i4", "<i8", "<u1", "<u2", "<u4", "<u8", "<f4", "<f8")
MOST_ROWS = 1 << 33


def tables(header: Mapping[str, Any], data: Optional[np.ndarray]) -> Dict[str, Columns]:
    """All tables that we know. `data`: uint8, from the start of the data area; None if there is
    none."""
    area = _Area(string_list(header.get("strings", [])), data)
    declared = placed(mapping(header.get("tables", {}), "tables"))
    return {name: _table(name, declared[name], area) for name in TABLES if name in declared}


class _Area:
    """Strings and data that columns point at. `stored`: bytes that columns have taken so far."""

    def __init__(self, strings: np.ndarray, data: Optional[np.ndarray]) -> None:
        self.strings, self.data, self.stored = strings, data, 0
        self._held = Held(0 if data is None else len(data))

    def block(self, what: str, offset: int, dtype: str, rows: int) -> np.ndarray:
        """Values [rows] of the data area. Raises Damage."""
        if self.data is None:
            raise Damage(f"{what} points at data, but there is none")
        numpy_type = np.dtype(_plain(dtype))
        size = rows * numpy_type.itemsize
        self._held.block(what, offset, size)
        self.stored += size
        values = self.data[offset : offset + size].view(numpy_type)
        return look_up(what, values, self.strings) if dtype == "text" else values

    def zeros(self, what: str, dtype: str, rows: int) -> np.ndarray:
        """One zero that stands for all rows: these take no memory, and are counted with the other
        columns of their table."""
        value = np.zeros(min(rows, 1), _plain(dtype))
        return np.broadcast_to(
            look_up(what, value, self.strings) if dtype == "text" else value, (rows,)
        )


def string_list(values: Any) -> np.ndarray:
    """The header's strings as an object array [n]."""
    checked = [text(value, "a string") for value in sequence(values, "strings")]
    result = np.empty(len(checked), dtype=object)
    result[:] = checked
    return result


def _table(name: str, table: Mapping[str, Any], area: _Area) -> Columns:
    columns: Dict[str, np.ndarray] = {}
    rows, before, written = table.get("rows"), area.stored, False
    for column in sequence(table.get("columns"), f"the columns of {name}"):
        label = text(mapping(column, f"a column of {name}").get("name"), f"a column name of {name}")
        kind = TABLES[name].get(label)
        if kind is None:
            continue
        if label in columns:
            raise Damage(f"{name}.{label} is there twice")
        if rows is None:
            rows = len(sequence(column.get("values"), f"{name}.{label}"))
        columns[label] = _column(
            f"{name}.{label}", column, kind, whole(rows, f"rows of {name}", 0, MOST_ROWS), area
        )
        written = written or "values" in column
    if columns and not written:
        # Values that are written out are counted as they are read.
        claims.rows(name, whole(rows, f"rows of {name}", 0), area.stored - before)
    return columns


def _column(
    what: str, column: Mapping[str, Any], kind: ColumnKind, rows: int, area: _Area
) -> np.ndarray:
    dtype = column.get("dtype", _written(kind))
    if (dtype == "text") != (kind.dtype == "text") or (dtype != "text" and dtype not in NUMBERS):
        raise Damage(f"{what} has the type {dtype!r}")
    if np.dtype(_plain(dtype)).kind == "f" and np.dtype(_plain(_written(kind))).kind != "f":
        raise Damage(f"{what} holds fractions")
    if column.get("zero") is True:
        return area.zeros(what, dtype, rows)
    if "values" in column:
        return _inline(what, sequence(column["values"], what), dtype, rows)
    return area.block(what, whole(column.get("offset"), f"offset of {what}"), dtype, rows)


def look_up(what: str, indices: np.ndarray, strings: np.ndarray) -> np.ndarray:
    """Strings of indices [n], as an object array [n]."""
    if len(indices) and int(indices.max()) >= len(strings):
        raise Damage(f"{what} names a string that is not there")
    return strings[indices] if len(strings) else np.empty(0, dtype=object)


def _inline(what: str, values: Sequence[Any], dtype: str, rows: int) -> np.ndarray:
    if len(values) != rows:
        raise Damage(f"{what} has {len(values)} values for {rows} rows")
    if dtype == "text":
        return string_list(list(values))
    if np.dtype(dtype).kind == "f":
        return np.array([_number(what, value) for value in values], dtype=dtype)
    bounds = np.iinfo(dtype)
    return np.array(
        [whole(value, what, int(bounds.min), int(bounds.max)) for value in values], dtype=dtype
    )


def _number(what: str, value: Any) -> float:
    if value is None:
        return float("nan")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Damage(f"{what} holds something that is not a number")
    return float(value)


def _plain(dtype: str) -> str:
    return "<u4" if dtype == "text" else dtype


def _written(kind: ColumnKind) -> str:
    return "text" if kind.dtype == "text" else "<" + kind.dtype


def join(parts: List[Columns], name: str) -> Columns:
    """Rows of several parts of one table, below each other. Columns that a part lacks are left
    out."""
    parts = [part for part in parts if part and len(next(iter(part.values())))] or parts[:1]
    shared = [label for label in TABLES[name] if all(label in part for part in parts)]
    return {label: np.concatenate([part[label] for part in parts]) for label in shared}
