"""All tables of a run in one shape: named columns, each of one type, as Parquet and Arrow want
them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, List, Tuple

import numpy as np

from advisor.base.suggestions import suggestion
from advisor.model.columns import TABLES
from advisor.model.errors import UserError
from advisor.model.measures import Column, Measures
from advisor.model.unknown import plain_cells

TYPES = {
    "text": "string",
    "i1": "int8",
    "i2": "int16",
    "i4": "int32",
    "i8": "int64",
    "u1": "uint8",
    "u2": "uint16",
    "u4": "uint32",
    "u8": "uint64",
    "f4": "float",
    "f8": "double",
}
"""Our types as Arrow names them."""
_UNITS = {"text": "string", "yes/no": "bool"}


@dataclass(frozen=True)
class ExportColumn:
    """`values`: None where unknown. `quality`, `reason`: of measures alone."""

    name: str
    type: str
    unit: str
    values: List[Any]
    quality: str = ""
    reason: str = ""


@dataclass(frozen=True)
class ExportTable:
    """`origin`: measures or profile."""

    name: str
    origin: str
    columns: Tuple[ExportColumn, ...]

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else 0


def tables(measures: Measures) -> Dict[str, ExportTable]:
    """Tables by name: measures first, then those of the profile."""
    found = {
        name: ExportTable(name, "measures", tuple(map(_measure, table.columns.values())))
        for name, table in measures.tables.items()
    }
    for name, columns in measures.profile.tables.items():
        found.setdefault(
            name,
            ExportTable(
                name,
                "profile",
                tuple(_plain(name, label, values) for label, values in columns.items()),
            ),
        )
    return found


def chosen(measures: Measures, name: str) -> ExportTable:
    """One table by its name. Raises UserError."""
    found = tables(measures)
    if name not in found:
        raise UserError(f"There is no table {name}.", do=suggestion(name, found))
    return found[name]


def _measure(column: Column) -> ExportColumn:
    unit = "" if column.unit in _UNITS else column.unit
    return ExportColumn(
        column.name,
        _UNITS.get(column.unit, "double"),
        unit,
        plain_cells(column.values),
        column.quality.name.lower(),
        column.reason,
    )


def _plain(table: str, label: str, values: np.ndarray) -> ExportColumn:
    kind = TABLES[table][label]
    return ExportColumn(label, TYPES[kind.dtype], kind.unit, plain_cells(values))
