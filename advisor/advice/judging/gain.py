"""Gains: intervals in elapsed seconds that never pass the time at stake (METRICS 3.5), or the
reason why there is no number."""

from __future__ import annotations

from typing import Any, FrozenSet, List, NamedTuple, Optional, Tuple

import numpy as np

from advisor.advice.judging.evidence_gain import no_basis, rested
from advisor.advice.judging.ownership import causes_of
from advisor.advice.language.cells import NUMBER
from advisor.advice.language.expression import parse
from advisor.advice.language.scope import Scope
from advisor.advice.language.sentence import quality
from advisor.advice.language.unknown import Unknown, merged
from advisor.advice.rulebook.schema import NONE, POLICY, RECORDS
from advisor.model.finding import Saving
from advisor.model.measures import Quality
from advisor.model.message import message
from advisor.model.rule import Gain, Rule

OVERHEAD_GATE = 0.05
"""METRICS 14, q.overhead: above 5 % of elapsed no gain is predicted."""
BEYOND_WORK = message("elapsed minus the busiest rank's own work")
"""Name of the ceiling of all that leaves computation alone. Of settings it says nothing: the
finding may offer none."""
ABOUT = message("the time that this is about")
"""Name of the ceiling that causes give: of a late rank the longest wait for it, which is more than
perfect balance saves."""
CALLED, UNTOLD = ("cell", "operation"), 1.0
"""Tables whose rows are calls; METRICS 1, repetition: from there on their time is not told from 0.
"""


class Ceiling(NamedTuple):
    """Time at stake, in the unit of the gain, and its name. `own`: the rule said it."""

    amount: float
    name: str
    quality: Quality
    own: bool


class Interval(NamedTuple):
    """low <= high <= ceiling in the unit of the gain, below 0 if time may be lost; or `reason`, why
    there is no number."""

    low: float = 0.0
    high: float = 0.0
    ceiling: Optional[Ceiling] = None
    reason: str = ""
    source: str = ""
    """What it rests on, if not on what the rule says for every run."""


def interval(rule: Rule, scope: Scope) -> Interval:
    """The gain of a rule for the row at hand, in the unit that the rule writes it in."""
    gain = rule.gain
    if rule.kind == POLICY:
        return Interval(reason=message("a policy of this site"))
    if gain is None or gain.basis == NONE:
        return Interval(reason=message("no basis for a number"))
    refused = _refused(scope)
    if refused:
        return Interval(reason=refused)
    if gain.basis == RECORDS:
        return _from_records(rule, scope)
    low, high = _evaluate(gain.low, rule, scope), _evaluate(gain.high, rule, scope)
    if isinstance(low, Unknown) or isinstance(high, Unknown):
        return Interval(reason=no_basis(merged((low, high)).reason()))
    if low > high:
        return Interval(reason=no_basis(message("the lower end came out above the upper end")))
    return _clipped(low, high, ceiling(rule, scope))


def _from_records(rule: Rule, scope: Scope) -> Interval:
    stake = _evaluate(rule.gain.ceiling, rule, scope)  # type: ignore[union-attr]
    if isinstance(stake, Unknown):
        return Interval(reason=no_basis(stake.reason()))
    found = rested(rule, scope, stake)
    if found.reason:
        return Interval(reason=found.reason)
    return _clipped(found.low, found.high, ceiling(rule, scope))._replace(source=found.source)


def saving(rule: Rule, scope: Scope) -> Tuple[Optional[Saving], str]:
    """The gain in elapsed seconds, or None and the reason."""
    found = interval(rule, scope)
    if found.reason or found.ceiling is None:
        return None, found.reason or no_basis(message("the time at stake is not known"))
    factor = _seconds(rule.gain, scope)  # type: ignore[arg-type]
    base = scope.value("run", "time")
    if isinstance(factor, Unknown) or isinstance(base, Unknown):
        return None, no_basis(message("the run's time is not known"))
    gain: Gain = rule.gain  # type: ignore[assignment]
    # What other runs saved is an estimate for this one.
    used = (
        [Quality.ESTIMATED]
        if found.source
        else [quality(parse(each, rule.look.each), scope) for each in (gain.low, gain.high)]
    )
    return (
        Saving(
            found.low * factor,
            found.high * factor,
            found.ceiling.amount * factor,
            found.ceiling.name,
            base,
            gain.basis,
            found.source or gain.source,
            Quality(max(*used, found.ceiling.quality, Quality.DERIVED)),
            gain.ranks,
        ),
        "",
    )


def stake(rule: Rule, scope: Scope) -> Optional[float]:
    """Share of elapsed at stake in the row at hand; None if not known."""
    return (
        None
        if rule.gain is None
        else stakes(rule, scope, np.array([scope.rows.get(rule.look.each, 0)]))[0]
    )


def stakes(rule: Rule, scope: Scope, rows: np.ndarray) -> List[Optional[float]]:
    """Share of elapsed at stake in each row: the rule's own ceiling, else the upper end of its
    gain; None if not known."""
    gain: Gain = rule.gain  # type: ignore[assignment]
    amounts = np.full(len(rows), np.nan)
    for text in filter(None, (gain.ceiling, gain.high)):
        found = parse(text, rule.look.each).over(scope, rule.look.each, rows)
        if found.kind == NUMBER:
            amounts = np.where(np.isnan(amounts) & found.known, found.values, amounts)
    known = [None if np.isnan(amount) else amount for amount in amounts.tolist()]
    return (
        known
        if gain.unit == "share"
        else [None if amount is None else _share(amount, scope) for amount in known]
    )


def pieces_of_time(rule: Rule, scope: Scope) -> FrozenSet[str]:
    """What the gain is about: calls by operation, otherwise the columns of time that it is made
    from.

    Two findings with a piece in common share one stake: their gains do not add up.
    """
    gain: Gain = rule.gain  # type: ignore[assignment]
    pieces = set()
    for name in set().union(
        *(parse(text, rule.look.each).names for text in (gain.high, gain.ceiling) if text)
    ):
        table, _, column = name.partition(".")
        operation = (
            scope.value(table, "name" if table == "operation" else "operation")
            if table in scope.rows
            else None
        )
        if column.startswith("pairwise_"):
            pieces.add("messages to single ranks")
        if isinstance(operation, str):
            pieces.add(f"calls of {operation}")
        elif scope.view.unit(table, column) in ("s", "share") and name != "run.time":
            pieces.add(name)
    return frozenset(pieces)


def ceiling(rule: Rule, scope: Scope) -> Optional[Ceiling]:
    """The lowest of the ceilings that are known; the run itself is the last."""
    gain: Gain = rule.gain  # type: ignore[assignment]
    known: List[Ceiling] = []
    by_causes = _returned(rule, scope)
    if by_causes is not None:
        known.append(by_causes)
    elif gain.ceiling:
        own = _evaluate(gain.ceiling, rule, scope)
        if not isinstance(own, Unknown):
            known.append(
                Ceiling(
                    max(own, 0.0),
                    _own_name(gain),
                    quality(parse(gain.ceiling, rule.look.each), scope),
                    True,
                )
            )
    for column, name in _general(rule, bool(known)):
        amount = _in_unit(gain, scope, column)
        if not isinstance(amount, Unknown):
            known.append(Ceiling(max(amount, 0.0), name, scope.view.quality("run", column), False))
    return min(known, key=lambda each: each.amount) if known else None


def _returned(rule: Rule, scope: Scope) -> Optional[Ceiling]:
    """What elapsed time can lose at most if the causes go that the row at hand explains; None if it
    has none, or they are not known."""
    rows, known = causes_of(rule, scope), scope.view.measures.causes
    if not rows or known is None:
        return None
    gain: Gain = rule.gain  # type: ignore[assignment]
    seconds = known.returned(rows, gain.work_stays)
    amount = seconds if gain.unit == "s" else seconds / known.elapsed
    if gain.beyond:
        more = _evaluate(gain.beyond, rule, scope)
        if isinstance(more, Unknown):
            return None
        amount += max(more, 0.0)
    return Ceiling(amount, ABOUT, scope.view.quality("cause", "most"), True)


def _general(rule: Rule, own: bool) -> List[Tuple[str, str]]:
    """Ceilings of the run that apply to this rule: column of `run` in shares, and name."""
    gain: Gain = rule.gain  # type: ignore[assignment]
    found: List[Tuple[str, str]] = [("time", message("the whole run"))]
    if not gain.balance:
        found.insert(0, ("ceiling_share", BEYOND_WORK))
    elif not own and rule.folder == "balance":
        found.insert(0, ("imbalance_share", message("perfect balance")))
    return found


def _own_name(gain: Gain) -> str:
    if gain.ceiling == "run.imbalance_share":
        return message("perfect balance")
    return ABOUT


def _in_unit(gain: Gain, scope: Scope, column: str) -> Any:
    """A share of `run`, or the run's time itself, in the unit of the gain."""
    time = scope.value("run", "time")
    if column == "time":
        return 1.0 if gain.unit == "share" else time
    share = scope.value("run", column)
    if column == "ceiling_share" and isinstance(share, Unknown):
        share = _quotient(scope.value("run", "ceiling_hard"), time)
    if gain.unit == "share" or isinstance(share, Unknown):
        return share
    return time if isinstance(time, Unknown) else share * time


def _clipped(low: float, high: float, most: Optional[Ceiling]) -> Interval:
    top = high if most is None else min(high, most.amount)
    return Interval(min(low, top), top, most)


def _refused(scope: Scope) -> str:
    if _seldom(scope):
        reason = message("it rests on too few calls to predict from")
        return message("no number: {reason}", reason=reason)
    overheads = (scope.value("run", name) for name in ("overhead_share", "overhead_max_share"))
    if any(
        not isinstance(overhead, (Unknown, str)) and overhead > OVERHEAD_GATE
        for overhead in overheads
    ):
        reason = message("recording took more than 5 % of elapsed time")
        return message("no number: {reason}", reason=reason)
    return ""


def _seldom(scope: Scope) -> bool:
    """Whether the time that this row is about is not told from 0 by its calls; where the row has no
    calls of its own, those of the run: METRICS 1."""
    own = next((table for table in CALLED if table in scope.rows), "")
    error = scope.value(own, "repetition_error") if own else Unknown(())
    if isinstance(error, float):
        return error >= UNTOLD
    return scope.value("run", "representative") in (False, "no")


def _evaluate(text: str, rule: Rule, scope: Scope) -> Any:
    value = parse(text, rule.look.each).evaluate(scope)
    return (
        value if isinstance(value, (float, Unknown)) and not isinstance(value, bool) else merged(())
    )


def _seconds(gain: Gain, scope: Scope) -> Any:
    return 1.0 if gain.unit == "s" else scope.value("run", "time")


def _share(amount: float, scope: Scope) -> Optional[float]:
    time = scope.value("run", "time")
    return None if isinstance(time, Unknown) or not time else amount / time


def _quotient(part: object, whole: object) -> Any:
    missing = merged((part, whole))
    return missing if missing.missing or not whole else part / whole  # type: ignore[operator]
