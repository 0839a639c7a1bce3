"""A table as CSV of RFC 4180: names in the first line, numbers in base units, empty where
unknown."""

from __future__ import annotations

from advisor.model.harmless import csv_text
from advisor.reports.exporting.tables import ExportTable


def comma_separated(table: ExportTable) -> str:
    """Units and types are not in it; schema.csv beside it, or the JSON export, has them."""
    return csv_text(
        [
            [column.name for column in table.columns],
            *zip(*(column.values for column in table.columns)),
        ]
    )


def described(tables: "dict[str, ExportTable]") -> str:
    """One line for each column of all tables: its type, unit, quality, and why cells of it are
    unknown."""
    head = ("table", "column", "type", "unit", "quality", "why_unknown")
    rows = (
        (table.name, column.name, column.type, column.unit, column.quality, column.reason)
        for table in tables.values()
        for column in table.columns
    )
    return csv_text([head, *rows])
