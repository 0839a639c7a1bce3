"""A table as CSV of RFC 4180: names in the first line, numbers in base units, empty where unknown."""

from __future__ import annotations

import csv
import io
from typing import Any

from advisor.reports.exporting.tables import ExportTable


def comma_separated(table: ExportTable) -> str:
    """Units and types are not in it; schema.csv beside it, or the JSON export, has them."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow([column.name for column in table.columns])
    for row in zip(*(column.values for column in table.columns)):
        writer.writerow([_cell(value) for value in row])
    return file.getvalue()


def described(tables: "dict[str, ExportTable]") -> str:
    """One line for each column of all tables: its type, unit, quality, and why cells of it are unknown."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\r\n")
    writer.writerow(["table", "column", "type", "unit", "quality", "why_unknown"])
    for table in tables.values():
        writer.writerows([table.name, column.name, column.type, column.unit, column.quality, column.reason] for column in table.columns)
    return file.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)
