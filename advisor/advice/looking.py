"""Which rows a rule finds, and what its verdict is when some of them are not known."""

from __future__ import annotations

from typing import Callable, Iterable, List, NamedTuple, Tuple

import numpy as np

from advisor.advice import sentence
from advisor.advice.arithmetic import both
from advisor.advice.columnwise import LEAST_ROWS
from advisor.advice.expression import over_rows, parse
from advisor.advice.gain import stake
from advisor.advice.scope import Scope
from advisor.advice.unknown import Unknown, merged
from advisor.model.finding import Verdict
from advisor.model.rule import Rule

_TRUE = lambda scope: True  # noqa: E731 - the condition of a rule without one


class Looked(NamedTuple):
    """`found`: scopes of the rows that matched, most at stake first. `rows`: rows of the table. `unseen`: rows not known.

    `withdrawn`: the text of the caveat that takes back what is advised for all found rows, if one does.
    """

    verdict: Verdict
    found: Tuple[Scope, ...] = ()
    rows: int = 0
    unseen: int = 0
    unknown: Unknown = Unknown(())
    withdrawn: str = ""


def look(rule: Rule, scope: Scope) -> Looked:
    """Look at each row. Found if a row surely matches; unknown if one may; moot if none is asked about; else clear."""
    rows = scope.length(rule.look.each)
    if rows is None:
        return Looked(Verdict.UNKNOWN, unknown=scope.view.missing(rule.look.each))
    if not rows:
        return Looked(Verdict.MOOT, unknown=scope.view.missing(rule.look.each))
    asked, found, unseen = _sorted_out(rule, scope)
    unknown = merged(unseen[:100])
    if found:
        kept, withdrawn = _not_withdrawn(rule, found)
        return Looked(Verdict.FOUND, _by_stake(rule, kept or found), rows, len(unseen), unknown, "" if kept else withdrawn)
    if unseen:
        return Looked(Verdict.UNKNOWN, (), rows, len(unseen), unknown)
    return Looked(Verdict.CLEAR if asked else Verdict.MOOT, (), rows)


def _sorted_out(rule: Rule, scope: Scope) -> Tuple[int, List[Scope], List[Unknown]]:
    """How many rows the rule asks about, those that match, and the reasons of those not known."""
    where, when = _condition(rule.look.where, rule), _condition(rule.look.when, rule)
    asked, found, unseen = 0, [], []
    for row in _worth_a_look(rule, scope):
        relevant = where(row)
        if relevant is False:
            continue
        asked += 1
        matches = both((relevant, when(row)))
        if matches is True:
            found.append(row)
        elif matches is not False:
            unseen.append(matches)
    return asked, found, unseen  # type: ignore[return-value]


def _worth_a_look(rule: Rule, scope: Scope) -> Iterable[Scope]:
    """All rows; of a long table without those that the rule surely does not ask about, and of the others those that surely match, or one."""
    each, rows = rule.look.each, range(scope.length(rule.look.each) or 0)
    asked = over_rows(rule.look.where, each, scope) if rule.look.where else np.ones(len(rows), bool)
    if len(rows) < LEAST_ROWS or asked is None:
        return scope.over(each)
    matching = over_rows(rule.look.when, each, scope) if rule.look.when and asked.any() else None
    chosen = np.flatnonzero(asked if matching is None else asked & matching)
    # One that does not match shows that the rule asked.
    return (scope.at(each, row) for row in (chosen if len(chosen) else np.flatnonzero(asked)[:1]).tolist())


def _condition(text: str, rule: Rule) -> Callable[[Scope], object]:
    return parse(text, rule.look.each).evaluate if text else _TRUE


def _not_withdrawn(rule: Rule, rows: List[Scope]) -> Tuple[List[Scope], str]:
    """Rows for which no caveat withdraws the advice, and the text of the caveat that took the last one."""
    text = ""
    for caveat in rule.caveats:
        if caveat.then != "withdraw" or not caveat.when:
            continue
        holds = _condition(caveat.when, rule)
        kept = [row for row in rows if holds(row) is not True]
        if rows and not kept:
            text = sentence.fill(caveat.text, rows[0], rule.look.each).text
        rows = kept
    return rows, text


def _by_stake(rule: Rule, rows: List[Scope]) -> Tuple[Scope, ...]:
    if len(rows) == 1 or rule.gain is None:
        return tuple(rows)
    stakes = [(stake(rule, row), -number) for number, row in enumerate(rows)]
    order = sorted(range(len(rows)), key=lambda each: (stakes[each][0] is not None, stakes[each][0] or 0.0, stakes[each][1]), reverse=True)
    return tuple(rows[each] for each in order)
