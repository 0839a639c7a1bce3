"""Measures of a run as OpenMetrics text, for monitoring of jobs: Prometheus reads it from a file or
a push.

One sample a run, host, operation and path; nothing by rank, since monitoring pays for each series.
What is unknown is left out.
"""

from __future__ import annotations

import os
import re
from typing import Dict, Iterator, List, Tuple

from advisor.base.metric_labels import Labels, escaped, label, labels, written
from advisor.model.measures import Column, Measures, Table
from advisor.model.unknown import is_unknown

_LABELS = {
    "run": (),
    "io": (),
    "onesided": (),
    "node": ("name",),
    "operation": ("name",),
    "traffic": ("path",),
}
"""Tables that are exported, and the columns that tell their rows apart."""
_SUFFIXES = {"s": "seconds", "B": "bytes", "share": "ratio"}


def open_metrics(measures: Measures) -> str:
    """All families, each with its unit, and the end mark."""
    lines = _identity(measures)
    run = measures.profile.run
    common = labels(("program", os.path.basename(run.program)), ("jobid", run.job))
    for name in _LABELS:
        if name in measures.tables:
            table = measures.tables[name]
            numbers = [
                column for column in table.columns.values() if column.unit not in ("text", "yes/no")
            ]
            lines += [line for column in numbers for line in _family(name, table, column, common)]
    return "\n".join([*lines, "# EOF", ""])


def _identity(measures: Measures) -> List[str]:
    run, library = measures.profile.run, measures.profile.library
    said = labels(
        ("program", os.path.basename(run.program)),
        ("jobid", run.job),
        ("library", library.name),
        ("library_version", library.version),
        ("collector", run.collector),
    )
    return [
        "# TYPE advisor_run info",
        "# HELP advisor_run What ran.",
        f"advisor_run_info{written(said)} 1",
    ]


def _family(name: str, table: Table, column: Column, common: Labels) -> List[str]:
    unit = _SUFFIXES.get(column.unit, "")
    plain = re.sub(r"[^a-z0-9_]", "_", f"advisor_{name}_{column.name}".lower())
    family = f"{plain}_{unit}" if unit and not plain.endswith(f"_{unit}") else plain
    samples = [
        f"{family}{written(common + own)} {value!r}" for own, value in _samples(name, table, column)
    ]
    if not samples:
        return []
    about = [
        f"# TYPE {family} gauge",
        *([f"# UNIT {family} {unit}"] if unit else []),
        f"# HELP {family} {escaped(f'{name}.{column.name}, {column.quality.name.lower()}')}",
    ]
    return about + samples


def _samples(name: str, table: Table, column: Column) -> Iterator[Tuple[Labels, float]]:
    seen: Dict[Labels, bool] = {}
    for index, value in enumerate(column.values.tolist()):
        row = [
            (each if each != "name" else name, table.columns[each].values[index])
            for each in _LABELS[name]
        ]
        # Two names may look alike once they are visible; a series must not stand there twice.
        own: Labels = tuple((each, label(str(content))) for each, content in row)
        if is_unknown(value) or own in seen or any(content is None for _, content in row):
            continue
        seen[own] = True
        yield own, float(value)
