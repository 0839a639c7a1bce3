"""Tables as JSON, column by column with types, as schema.json beside this file describes it.

One column is one array of one type, so that Arrow, pandas or a writer of Parquet take it as it is.
"""

from __future__ import annotations

from typing import Any, Dict

from advisor import __version__
from advisor.model.harmless import json_text
from advisor.model.measures import Measures
from advisor.reports.exporting.tables import ExportColumn, ExportTable, chosen, tables

FORMAT, VERSION = "advisor-tables", (1, 0)


def column_wise(measures: Measures, table: str = "") -> str:
    """All tables, or one. Raises UserError."""
    found = {table: chosen(measures, table)} if table else tables(measures)
    run = measures.profile.run
    content = {
        "format": FORMAT,
        "version": list(VERSION),
        "made_by": f"advisor {__version__}",
        "source": measures.profile.source,
        "run": {
            "program": run.program,
            "job": run.job,
            "started": run.started,
            "collector": run.collector,
        },
        "gaps": [
            {"subject": gap.subject, "reason": gap.reason, "collect": gap.collect}
            for gap in measures.profile.gaps
        ],
        "tables": {name: _table(each) for name, each in found.items()},
    }
    return json_text(content) + "\n"


def _table(table: ExportTable) -> Dict[str, Any]:
    return {
        "origin": table.origin,
        "rows": len(table),
        "columns": [_column(column) for column in table.columns],
    }


def _column(column: ExportColumn) -> Dict[str, Any]:
    optional = {
        name: getattr(column, name) for name in ("quality", "reason") if getattr(column, name)
    }
    return {
        "name": column.name,
        "type": column.type,
        "unit": column.unit,
        **optional,
        "values": column.values,
    }
