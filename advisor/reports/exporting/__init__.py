"""Measures → files for other programs: tables for spreadsheets and Parquet, monitoring, and time
lines. No opinion in them."""

from __future__ import annotations

from advisor.model.errors import UserError
from advisor.model.measures import Measures

__all__ = ["FORMATS", "export"]
FORMATS = ("csv", "json", "openmetrics", "chrome")


def export(measures: Measures, format: str, table: str = "") -> str:
    """The text of a format: of one table (csv, json), or of all (json), or of the run (openmetrics,
    chrome). Raises UserError."""
    if format == "csv":
        from advisor.reports.exporting.comma_separated import comma_separated
        from advisor.reports.exporting.tables import chosen

        return comma_separated(chosen(measures, table))
    if format == "json":
        from advisor.reports.exporting.column_wise import column_wise

        return column_wise(measures, table)
    if format == "openmetrics":
        from advisor.reports.exporting.open_metrics import open_metrics

        return open_metrics(measures)
    if format == "chrome":
        from advisor.reports.exporting.time_line import time_line

        return time_line(measures.profile)
    raise UserError(
        f'"{format}" is not a format of an export.', do=f"Choose one of: {', '.join(FORMATS)}."
    )
