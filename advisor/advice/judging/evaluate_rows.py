"""Which rows a rule finds, and what its verdict is when some of them are not known."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple

import numpy as np

from advisor.advice.judging.gain import stakes
from advisor.advice.language import sentence
from advisor.advice.language.cells import Cells, both, reasons, single, spread, taken, truth
from advisor.advice.language.expression import parse
from advisor.advice.language.scope import Scope
from advisor.advice.language.unknown import Unknown, merged
from advisor.advice.rulebook.messages import message_of
from advisor.model.finding import Verdict
from advisor.model.rule import Rule


class Evaluated(NamedTuple):
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
    found: np.ndarray
    unseen: int
    unknown: Unknown


def evaluate_rows(rule: Rule, scope: Scope) -> Evaluated:
    """Look at each row.

    Found if a row surely matches; unknown if one may; moot if none is asked about; else clear.
    """
    rows = scope.length(rule.look.each)
    if rows is None:
        return Evaluated(Verdict.UNKNOWN, unknown=scope.view.missing(rule.look.each))
    if not rows:
        return Evaluated(Verdict.MOOT, unknown=scope.view.missing(rule.look.each))
    asked, found, unseen, unknown = _sorted_out(rule, scope)
    if len(found):
        kept, withdrawn = _not_withdrawn(rule, scope, found)
        chosen = _by_stake(rule, scope, kept if len(kept) else found)
        return Evaluated(
            Verdict.FOUND, chosen, rows, unseen, unknown, "" if len(kept) else withdrawn
        )
    if unseen:
        return Evaluated(Verdict.UNKNOWN, (), rows, unseen, unknown)
    return Evaluated(Verdict.CLEAR if asked else Verdict.MOOT, (), rows)


def _sorted_out(rule: Rule, scope: Scope) -> Sorted:
    """The condition is looked at only in rows that the rule asks about, or may ask about."""
    asked = _holds(rule.look.where, rule, scope)
    rows = np.flatnonzero(~asked.false)
    if not len(rows):
        return Sorted(False, rows, 0, merged(()))
    matches = both([taken(asked, rows), _holds(rule.look.when, rule, scope, rows)])
    unseen = ~matches.known
    return Sorted(True, rows[matches.true], int(unseen.sum()), reasons(matches, unseen))


def _holds(text: str, rule: Rule, scope: Scope, rows: Optional[np.ndarray] = None) -> Cells:
    """Whether a condition holds in each row of the rule's table, or in these; none always does."""
    each = rule.look.each
    count = (scope.length(each) or 0) if rows is None else len(rows)
    return spread(truth(parse(text, each).over(scope, each, rows)) if text else single(True), count)


def _not_withdrawn(rule: Rule, scope: Scope, rows: np.ndarray) -> Tuple[np.ndarray, str]:
    """Rows for which no caveat withdraws the advice, and the text of the caveat that took the last
    one."""
    text, each = "", rule.look.each
    for caveat in rule.caveats:
        if caveat.then != "withdraw" or not caveat.when or not len(rows):
            continue
        kept = rows[~_holds(caveat.when, rule, scope, rows).true]
        if not len(kept):
            text = sentence.fill(message_of(caveat.text), scope.at(each, int(rows[0])), each).text
        rows = kept
    return rows, text


def _by_stake(rule: Rule, scope: Scope, rows: np.ndarray) -> Tuple[Scope, ...]:
    """The rows, most at stake first; what is not known last, and equal ones in the order of the
    table."""
    order = rows.tolist()
    if len(order) > 1 and rule.gain is not None:
        known = dict(zip(order, stakes(rule, scope, rows)))
        order.sort(key=lambda row: (known[row] is None, -(known[row] or 0.0)))
    return tuple(scope.at(rule.look.each, row) for row in order)
