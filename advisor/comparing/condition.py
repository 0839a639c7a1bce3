"""Conditions as `--fail-if` takes them: the rules' expression language over what changed and over
the last run."""

from __future__ import annotations

import re
from typing import Dict, Optional

import numpy as np

from advisor.model.comparison import KINDS, Comparison
from advisor.model.measures import Column, Measures, Quality, Table
from advisor.model.units import quantity

TABLE = "change"
_QUANTITY = re.compile(
    r"(?<![\w.])(\d+(?:\.\d+)?)\s*(%|[KMG]iB\b|[kMG]B\b|[nuµm]s\b|s\b|min\b|h\b|B\b)"
)
_TEXT = re.compile(r"(\"[^\"]*\"|'[^']*')")


def condition(text: str) -> str:
    """The expression in the rules' own language: `elapsed > 5 %` → `change.elapsed > 0.05`. Raises
    UnitError."""
    parts = _TEXT.split(text)
    return "".join(
        part if place % 2 else _named(_QUANTITY.sub(_number, part))
        for place, part in enumerate(parts)
    )


def _number(match: "re.Match[str]") -> str:
    value = quantity(f"{match.group(1)} {match.group(2)}")
    return repr(value)


def _named(text: str) -> str:
    names = "|".join(sorted(map(re.escape, columns()), key=len, reverse=True))
    return re.sub(rf"(?<![\w.])({names})(?![\w.(])", rf"{TABLE}.\1", text)


def columns() -> Dict[str, str]:
    """Names that may stand alone, with what they mean."""
    found = {
        "elapsed": "change of elapsed as share of before",
        "elapsed_seconds": "the same in s",
        "beyond_noise": "whether the change of elapsed is beyond the noise; unknown if starved",
        "starved": "whether ranks of either run had no core for a relevant share of it",
    }
    for kind in KINDS:
        found[kind] = f"change of {kind} as share of elapsed before"
        found[f"{kind}_seconds"] = "the same in s"
    found["new_findings"] = "findings that were not there before"
    return found


def subject(comparison: Comparison, after: Measures) -> Measures:
    """The measures of the last run with one more table, `change`, of one row; what needs seconds is
    unknown where they cannot be compared."""
    cells = {
        name: _column(name, value, _reason(name, comparison))
        for name, value in _values(comparison).items()
    }
    return Measures({**after.tables, TABLE: Table(TABLE, cells)}, after.profile, after.gaps)


def _values(comparison: Comparison) -> Dict[str, Optional[float]]:
    total, seconds = comparison.total, comparison.unit == "s"
    base = total.before or None
    starved = comparison.starved
    values: Dict[str, Optional[float]] = {
        "elapsed": total.change / base if base and seconds else None,
        "elapsed_seconds": total.change if seconds else None,
        "beyond_noise": float(total.clear) if seconds and not starved else None,
        "starved": None if starved is None else float(starved),
        "new_findings": float(sum(one.state == "new" for one in comparison.findings)),
    }
    for kind in KINDS:
        change = sum(part.change for part in comparison.parts if part.kind == kind)
        values[kind] = change / base if base else None
        values[f"{kind}_seconds"] = change if seconds else None
    return values


def _reason(name: str, comparison: Comparison) -> str:
    """Why it is unknown, if it is."""
    if name == "starved":
        return "neither result says whether ranks had a core"
    if name == "beyond_noise" and comparison.unit == "s":
        return "ranks had no core for too long, so the times say little of the program"
    return "the runs cannot be compared in seconds"


def _column(name: str, value: Optional[float], why: str) -> Column:
    unknown = value is None
    cell = np.array([np.nan if unknown else value])
    reason = why if unknown else ""
    quality = Quality.UNKNOWN if unknown else Quality.DERIVED
    if name in ("beyond_noise", "starved"):
        cell = np.array([None if unknown else bool(value)], dtype=object)
        return Column(name, "yes/no", cell, quality, reason=reason)
    return Column(name, "share", cell, quality, reason=reason)
