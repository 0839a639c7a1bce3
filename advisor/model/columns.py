"""Every column that a profile may hold: name, unit, how it adds up.

The collector writes these tables; readers of other tools' files fill those that they know. A table
that is absent was not seen. A column that is absent is unknown in all its rows. A gap named like a
table or column says why; the gap "calls" (or "calls outside MPI-IO") beside a table `calls` says
that it does not list all operations.

They are described in collectors/schema/tables.txt; tables.json is made of that.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Dict, Mapping, NamedTuple


class ColumnKind(NamedTuple):
    """`dtype`: NumPy name or "text". `adds`: key, sum, min, max or first, when rows are combined.
    `needed`: without it the table is of no use; `not_negative`: a smaller number is damage."""

    unit: str
    dtype: str
    adds: str
    meaning: str
    needed: bool = False
    not_negative: bool = False


def _described() -> Dict[str, Dict[str, ColumnKind]]:
    content = json.loads(Path(__file__).with_name("tables.json").read_text(encoding="utf-8"))
    return {
        table: {name: ColumnKind(*kind) for name, kind in columns.items()}
        for table, columns in content.items()
    }


TABLES: Mapping[str, Mapping[str, ColumnKind]] = _described()
