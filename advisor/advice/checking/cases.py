"""Runs the cases of a rule: the given measures, and the expected verdict of the rule."""

from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from advisor.advice.judging.evaluate_rows import evaluate_rows
from advisor.advice.judging.gain import interval
from advisor.advice.judging.judge import judge_rule
from advisor.advice.judging.time_limit import TimeLimit
from advisor.advice.language.scope import Scope, View
from advisor.model.finding import Finding
from advisor.model.measures import Column, Measures, Table
from advisor.model.profile import Library, Profile, Run
from advisor.model.rule import Case, Rule

_TOLERANCE = 0.02
"""Gains in cases are written with two digits."""


class Result(NamedTuple):
    """One case: passed if `wrong` is empty; otherwise what was expected and what came out."""

    case: Case
    number: int
    wrong: Tuple[str, ...]


def run_cases(
    rule: Rule, units: Optional[Mapping[str, str]] = None, time_limit: Optional[TimeLimit] = None
) -> List[Result]:
    """All cases of a rule. `units`: table.column → unit, where known; otherwise units follow from
    names and values."""
    time_limit = time_limit or TimeLimit()
    return [
        Result(case, index, tuple(_wrong(rule, case, units or {}, time_limit)))
        for index, case in enumerate(rule.cases)
    ]


def given_measures(given: Mapping[str, Any], units: Mapping[str, str]) -> Measures:
    """Measures from the tables of a case. What a row leaves out is unknown; a table that is not
    there was not seen."""
    tables = {
        name: _table(name, rows if isinstance(rows, (list, tuple)) else [rows], units)
        for name, rows in given.items()
    }
    return Measures(tables, Profile(Run("case"), Library(), (), {}))


def _wrong(rule: Rule, case: Case, units: Mapping[str, str], time_limit: TimeLimit) -> List[str]:
    view = View(given_measures(case.given, units))
    try:
        with time_limit.of(rule, view):
            opinion = judge_rule(rule, view)
            gain = _wrong_gain(rule, case, view) if isinstance(opinion, Finding) else []
    except Exception as error:  # noqa: BLE001 - the rule's author wants to know which case it is
        return [f"failed with {type(error).__name__}: {error}"]
    verdict = "found" if isinstance(opinion, Finding) else opinion.verdict.value
    if verdict != case.expect:
        said = "" if isinstance(opinion, Finding) else f" ({opinion.reason or opinion.sentence})"
        return [f"expected {case.expect}, got {verdict}{said}"]
    if not isinstance(opinion, Finding):
        return (
            ["gain, remedy and state are only for cases that expect found"]
            if case.gain or case.remedy or case.state
            else []
        )
    return gain + _wrong_remedy(case, opinion)


def _wrong_gain(rule: Rule, case: Case, view: View) -> List[str]:
    if case.gain is None:
        return []
    found = interval(rule, evaluate_rows(rule, Scope(view, rule.limits)).found[0])
    got = f"no number ({found.reason})" if found.reason else f"[{found.low:.4g}, {found.high:.4g}]"
    if not case.gain:
        return [] if found.reason else [f"expected no gain, got {got}"]
    if found.reason or not all(
        _near(want, have) for want, have in zip(case.gain, (found.low, found.high))
    ):
        return [f"expected a gain of [{case.gain[0]:.4g}, {case.gain[1]:.4g}], got {got}"]
    return []


def _wrong_remedy(case: Case, finding: Finding) -> List[str]:
    offered = [f"{step.kind}: {step.text} ({step.state.value})" for step in finding.steps]
    listed = "; ".join(offered) or "nothing"
    wrong = []
    if case.remedy and not any(case.remedy in step.text for step in finding.steps):
        wrong.append(f'expected a remedy with "{case.remedy}", got {listed}')
    short = finding.state.name.lower().replace("_", " ")
    if case.state and case.state not in (short, finding.state.value):
        wrong.append(f'expected "{case.state}", got "{short}": {listed}')
    return wrong


def _near(want: float, have: float) -> bool:
    return abs(want - have) <= _TOLERANCE * max(abs(want), abs(have)) + 1e-9


def _table(name: str, rows: Sequence[Mapping[str, object]], units: Mapping[str, str]) -> Table:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    if rows and not columns:
        return Table(name, {"": Column("", "text", np.array([None] * len(rows), dtype=object))})
    return Table(
        name,
        {
            column: _column(name, column, [row.get(column) for row in rows], units)
            for column in columns
        },
    )


def _column(table: str, column: str, cells: List[object], units: Mapping[str, str]) -> Column:
    known = [cell for cell in cells if cell is not None]
    if all(isinstance(cell, bool) for cell in known):
        return Column(column, "yes/no", np.array(cells, dtype=object))
    if any(isinstance(cell, (bool, str)) for cell in known):
        return Column(column, units.get(f"{table}.{column}", "text"), np.array(cells, dtype=object))
    unit = units.get(f"{table}.{column}", _unit(column))
    return Column(
        column, unit, np.array([np.nan if cell is None else cell for cell in cells], dtype=float)
    )


def _unit(column: str) -> str:
    """A unit by the name of a column, for sentences of cases."""
    if column == "share" or column.endswith(("_share", "_excess")):
        return "share"
    if (
        column == "time"
        or column.endswith(("_time", "time_max", "time_min"))
        or column in ("wait", "tunable")
    ):
        return "s"
    return (
        "B"
        if column in ("bytes", "size", "size_low", "size_high")
        or column.endswith(("_bytes", "_size", "_message"))
        else ""
    )
