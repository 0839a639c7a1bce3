"""Which rows a rule finds, and what its verdict is when some of them are not known."""

from __future__ import annotations

from typing import Callable, Iterable, List, NamedTuple, Optional, Tuple

import numpy as np

from advisor.advice.judging.gain import stake
from advisor.advice.language import sentence
from advisor.advice.language.arithmetic import both
from advisor.advice.language.columnwise import LEAST_ROWS, MOST_ASKED, Answers
from advisor.advice.language.expression import over_rows, parse
from advisor.advice.language.scope import Scope
from advisor.advice.language.unknown import Unknown, merged
from advisor.model.finding import Verdict
from advisor.model.rule import Rule

_TRUE = lambda scope: True  # noqa: E731 - the condition of a rule without one


class Looked(NamedTuple):
    """`found`: scopes of the rows that matched, most at stake first. `rows`: rows of the table.
    `unseen`: rows not known.

    `withdrawn`: the text of the caveat that takes back what is advised for all found rows, if one
    does.
    """

    verdict: Verdict
    found: Tuple[Scope, ...] = ()
    rows: int = 0
    unseen: int = 0
    unknown: Unknown = Unknown(())
    withdrawn: str = ""


class Sorted(NamedTuple):
    """Rows of a table: whether the rule asks about any, those that match, how many are not known,
    and why."""

    asked: bool
    found: List[Scope]
    unseen: int
    unknown: Unknown


def look(rule: Rule, scope: Scope) -> Looked:
    """Look at each row. Found if a row surely matches; unknown if one may; moot if none is asked
    about; else clear."""
    rows = scope.length(rule.look.each)
    if rows is None:
        return Looked(Verdict.UNKNOWN, unknown=scope.view.missing(rule.look.each))
    if not rows:
        return Looked(Verdict.MOOT, unknown=scope.view.missing(rule.look.each))
    asked, found, unseen, unknown = _sorted_out(rule, scope)
    if found:
        kept, withdrawn = _not_withdrawn(rule, found)
        return Looked(
            Verdict.FOUND,
            _by_stake(rule, kept or found),
            rows,
            unseen,
            unknown,
            "" if kept else withdrawn,
        )
    if unseen:
        return Looked(Verdict.UNKNOWN, (), rows, unseen, unknown)
    return Looked(Verdict.CLEAR if asked else Verdict.MOOT, (), rows)


def _sorted_out(rule: Rule, scope: Scope) -> Sorted:
    """Of a long table whole columns are looked at, and rows one by one only where that gives no
    answer."""
    each, rows = rule.look.each, scope.length(rule.look.each) or 0
    asked = _answers(rule.look.where, rule, scope, rows)
    if asked is None:
        return _one_by_one(rule, scope.over(each))
    matching = _answers(rule.look.when, rule, scope, rows)
    if matching is None:
        return _one_by_one(
            rule, (scope.at(each, row) for row in np.flatnonzero(~asked.false).tolist())
        )
    found, unseen = (
        asked.true & matching.true,
        ~(asked.false | matching.false | (asked.true & matching.true)),
    )
    scopes = [scope.at(each, row) for row in np.flatnonzero(found).tolist()]
    reasons = _one_by_one(
        rule, (scope.at(each, row) for row in np.flatnonzero(unseen)[:MOST_ASKED].tolist())
    ).unknown
    return Sorted(bool((~asked.false).any()), scopes, int(unseen.sum()), reasons)


def _one_by_one(rule: Rule, rows: Iterable[Scope]) -> Sorted:
    where, when = _condition(rule.look.where, rule), _condition(rule.look.when, rule)
    asked, found, unseen = False, [], []
    for row in rows:
        relevant = where(row)
        if relevant is False:
            continue
        asked = True
        matches = both((relevant, when(row)))
        if matches is True:
            found.append(row)
        elif matches is not False:
            unseen.append(matches)
    return Sorted(asked, found, len(unseen), merged(unseen[:MOST_ASKED]))


def _answers(text: str, rule: Rule, scope: Scope, rows: int) -> Optional[Answers]:
    """Whether a condition holds for each row of a long table; None: look row by row."""
    if rows < LEAST_ROWS:
        return None
    return (
        over_rows(text, rule.look.each, scope)
        if text
        else Answers(np.ones(rows, bool), np.ones(rows, bool))
    )


def _condition(text: str, rule: Rule) -> Callable[[Scope], object]:
    return parse(text, rule.look.each).evaluate if text else _TRUE


def _not_withdrawn(rule: Rule, rows: List[Scope]) -> Tuple[List[Scope], str]:
    """Rows for which no caveat withdraws the advice, and the text of the caveat that took the last
    one."""
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
    order = sorted(
        range(len(rows)),
        key=lambda each: (stakes[each][0] is not None, stakes[each][0] or 0.0, stakes[each][1]),
        reverse=True,
    )
    return tuple(rows[each] for each in order)
