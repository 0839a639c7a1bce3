"""Document → plain data and JSON, as schema.json describes it. Numbers accompany the words made
from them."""

from __future__ import annotations

import dataclasses
import math
from typing import Dict, List, Optional

import numpy as np

from advisor import __version__
from advisor.model.harmless import json_text
from advisor.model.measures import Column, Measures, Table
from advisor.reports.document import Document
from advisor.reports.plain import plain

FORMAT, VERSION = "advisor-report", (1, 1)
MOST_ROWS = 4096


def data(document: Document, indent: Optional[int] = 2) -> str:
    """The report as JSON."""
    return json_text(content(document), indent) + "\n"


def embedded(document: Document, values: int) -> str:
    """The same for a script element: `<` is written as an escape, so no text can end the
    element. Tables of more than so many values are cut."""
    text = json_text(content(document, values))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def content(document: Document, values: Optional[int] = None) -> Dict[str, object]:
    """The report as plain lists, dictionaries, texts and numbers."""
    return {
        "format": FORMAT,
        "version": list(VERSION),
        "made_by": f"advisor {__version__}",
        "source": document.source,
        "run": _plain(document.run),
        "head": _fields(document.head),
        "banners": list(document.banners),
        "verdict": [document.screen.verdict],
        "screen": _fields(document.screen),
        "time": _fields(document.time) if document.time else None,
        "standings": [
            {name: getattr(row, name) for name in ("name", "now", "target", "reach")}
            for row in document.standings
        ],
        "findings": [_fields(entry) for entry in document.items],
        "experiments": [_fields(entry) for entry in document.experiments],
        "launch_line": _launch(document),
        "silences": {
            name: [
                {"name": entry.name, "sentence": entry.sentence, "collect": entry.collect}
                for entry in getattr(document.silences, name)
            ]
            for name in ("clear", "moot", "unknown", "unseen")
        },
        "measurement": [{"name": line.name, "text": line.text} for line in document.measurement],
        "facts": [{"name": line.name, "text": line.text} for line in document.facts],
        "verified": [{"name": line.name, "text": line.text} for line in document.verified],
        "changed_limits": list(document.changed_limits),
        "worth": _plain(document.worth),
        "tables": tables(document.measures, MOST_ROWS, values),
    }


def _launch(document: Document) -> Optional[Dict[str, object]]:
    line = document.launch
    return (
        {"text": line.text, "title": line.title, "settings": dict(line.applied)} if line else None
    )


def _fields(value: object) -> Dict[str, object]:
    return _plain(dataclasses.asdict(value))  # type: ignore[call-overload, return-value]


def _plain(value: object) -> object:
    """Tuples as lists, NumPy scalars as numbers, what is not a number as null."""
    if isinstance(value, dict) or hasattr(value, "items"):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def tables(measures: Measures, rows: int, values: Optional[int] = None) -> Dict[str, object]:
    """All measures. Tables of more than `rows` rows, or `values` cells, are cut; `rows` of each
    table says how many there are."""
    return {
        name: {"rows": len(table), "columns": _columns(table, _fitting(table, rows, values))}
        for name, table in measures.tables.items()
    }


def _fitting(table: Table, rows: int, values: Optional[int]) -> int:
    return rows if values is None else min(rows, max(1, values // max(len(table.columns), 1)))


def _columns(table: Table, rows: int) -> Dict[str, object]:
    return {name: _column(column, rows) for name, column in table.columns.items()}


def _column(column: Column, rows: int) -> Dict[str, object]:
    entry: Dict[str, object] = {
        "unit": column.unit,
        "quality": column.quality.name.lower(),
        "values": _values(column.values[:rows]),
    }
    for side in ("low", "high"):
        if getattr(column, side) is not None:
            entry[side] = _values(getattr(column, side)[:rows])
    entry.update(
        {
            name: getattr(column, name)
            for name in ("note", "reason", "collect")
            if getattr(column, name)
        }
    )
    return entry


def _values(values: np.ndarray) -> List[object]:
    """Seven significant digits are more than any clock gives."""
    return [_value(_plain(value)) for value in values.tolist()]


def _value(value: object) -> object:
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else float(f"{value:.7g}")
    return plain(value) if isinstance(value, str) else value
