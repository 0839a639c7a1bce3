"""Comparison → SARIF 2.1.0: conditions that hold, and findings as new, unchanged or absent."""

from __future__ import annotations

import os
from typing import Dict, List, Sequence
from urllib.parse import quote

from advisor import __version__
from advisor.model.comparison import Comparison, Judged, Outcome
from advisor.model.harmless import json_text
from advisor.reports.comparison.story import verdict
from advisor.reports.plain import plain_all

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"high": "error", "medium": "warning", "low": "warning", "note": "note"}
CONDITION = "fail-if"


def sarif(comparison: Comparison, outcomes: Sequence[Outcome]) -> str:
    """Results name the result folder of the last run as their place: there is no line of source to
    point at."""
    findings = plain_all(comparison.findings)
    results = [_condition(comparison, one) for one in outcomes if one.holds is not False] + [
        _finding(comparison, one) for one in findings
    ]
    rules = {
        one.rule: {"id": one.rule, "shortDescription": {"text": one.title}} for one in findings
    }
    rules[CONDITION] = {
        "id": CONDITION,
        "shortDescription": {"text": "A condition of the comparison holds"},
    }
    driver = {"name": "advisor", "version": __version__, "rules": list(rules.values())}
    log = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": results}],
    }
    return json_text(log, indent=2) + "\n"


def _condition(comparison: Comparison, one: Outcome) -> Dict[str, object]:
    text = (
        f"{one.text}: {verdict(comparison)}"
        if one.holds
        else f"{one.text} cannot be decided: {one.reason}"
    )
    return {
        "ruleId": CONDITION,
        "level": "error",
        "message": {"text": text},
        "locations": _places(comparison),
    }


def _finding(comparison: Comparison, one: Judged) -> Dict[str, object]:
    level = "none" if one.state == "absent" else LEVELS.get(one.severity, "note")
    kind = {"kind": "pass"} if one.state == "absent" else {}
    message = {"text": f"{one.title}. {one.subject}".strip()}
    return {
        "ruleId": one.rule,
        "level": level,
        **kind,
        "baselineState": one.state,
        "message": message,
        "locations": _places(comparison),
    }


def _places(comparison: Comparison) -> List[Dict[str, object]]:
    uri = quote(os.fsencode(comparison.points[-1].source or "result"))
    return [{"physicalLocation": {"artifactLocation": {"uri": uri}}}]
