"""Every name that a rule may use, with unit and meaning, as a page made from the metrics:
`advisor rules vocabulary`, and a page of the documentation."""

from __future__ import annotations

from itertools import groupby
from typing import List

from advisor.analysis.engine.metric import Metric
from advisor.analysis.measure import in_order

TITLE = """# Vocabulary

Every name that a rule may use, as `advisor rules vocabulary` prints it.

- Units are s, B, share (0 to 1), count, 1/s, text and yes/no.
- Quality says how good a value is: *measured* as it was counted, *derived* by exact arithmetic,
  *estimated* with an error or as a bound, *assumed* with a default that nobody measured. A value is
  never better than the worst of its sources.
- What was not seen is unknown, never 0.
- Sentences that cite METRICS mean [METRICS.md](../advisor/analysis/METRICS.md).
"""
_ROWS = {
    "run": "one row, may be used in every rule",
    "library": "one row, may be used in every rule",
    "onesided": "one row, may be used in every rule",
    "io": "one row, may be used in every rule",
    "application": "one row if the program was recognised, else none; may be used in every rule",
}


def vocabulary() -> str:
    """The whole page."""
    parts = [TITLE]
    ordered = sorted(in_order(), key=lambda declared: _tables().index(declared.table))
    for table, metrics in groupby(ordered, key=lambda declared: declared.table):
        parts.append(
            f"## {table}\n\n{_ROWS.get(table, f'one row for each {table}')}\n\n| name | unit |"
            " quality | meaning |\n|---|---|---|---|\n" + "".join(map(_line, metrics))
        )
    return "\n".join(parts)


def _tables() -> List[str]:
    return list(dict.fromkeys(declared.table for declared in in_order()))


def _line(declared: Metric) -> str:
    meaning = " ".join(declared.meaning.split()).replace("|", "\\|")
    return f"| `{declared.key}` | {declared.unit} | {declared.quality.name.lower()} | {meaning} |\n"
