"""Comparison → JSON. Numbers in base units, unknown as null."""

from __future__ import annotations

import dataclasses
import math
from typing import Dict, Sequence

from advisor import __version__
from advisor.model.comparison import Comparison, Outcome
from advisor.model.harmless import json_text
from advisor.reports.comparison.story import verdict
from advisor.reports.comparison.words import label
from advisor.reports.plain import plain_all

FORMAT, VERSION = "advisor-comparison", (1, 1)


def data(comparison: Comparison, outcomes: Sequence[Outcome]) -> str:
    """The comparison for other programs. Seconds, or shares where `unit` says so."""
    return json_text(content(comparison, outcomes), indent=2) + "\n"


def content(comparison: Comparison, outcomes: Sequence[Outcome]) -> Dict[str, object]:
    """Plain lists, dictionaries, texts and numbers."""
    plain = _finite(plain_all(dataclasses.asdict(comparison)))
    parts = [
        {**written, "label": label(part), "change": part.change, "clear": part.clear}
        for written, part in zip(plain["parts"], comparison.parts)
    ]
    total = {**plain["total"], "change": comparison.total.change, "clear": comparison.total.clear}
    conditions = [dataclasses.asdict(one) for one in outcomes]
    return {
        "format": FORMAT,
        "version": list(VERSION),
        "made_by": f"advisor {__version__}",
        **plain,
        "total": total,
        "parts": parts,
        "starved": comparison.starved,
        "verdict": plain_all(verdict(comparison)),
        "conditions": conditions,
    }


def _finite(value):
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
