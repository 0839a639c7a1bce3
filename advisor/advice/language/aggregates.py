"""any, all, sum, count, most and least over the rows of a table, some of which may be unknown."""

from __future__ import annotations

from functools import reduce
from typing import Callable, List, Optional, Sequence, Tuple

from advisor.advice.language.arithmetic import ROW_FUNCTIONS, both, calculate, either
from advisor.advice.language.scope import Scope
from advisor.advice.language.unknown import Missing, Unknown, merged

Evaluate = Callable[[Scope], object]
Rows = List[object]


def _count(values: Rows) -> object:
    """Rows for which a condition holds; of other values, all rows."""
    if any(isinstance(value, Unknown) for value in values):
        return merged(values)
    return float(sum(1 for value in values if value is not False))


def _sum(values: Rows) -> object:
    return reduce(lambda total, value: calculate("+", total, value), values, 0.0)


AGGREGATES = {
    "any": either,
    "all": both,
    "sum": _sum,
    "count": _count,
    "most": lambda values: ROW_FUNCTIONS["max"][0](values),
    "least": lambda values: ROW_FUNCTIONS["min"][0](values),
}
_NEED_ROWS = ("all", "most", "least")
"""Over no rows these say nothing: that a thing was seen on all of no hosts is no reason to offer
it."""


def aggregate(
    called: str,
    table: str,
    parts: Sequence[Evaluate],
    key: Optional[object],
    columns: Optional[Callable] = None,
) -> Evaluate:
    """The function of an aggregate over `table`. `key`: not None if its value may be remembered
    under it. `columns`: scope → the value from whole columns, or None."""

    def fresh(scope: Scope) -> object:
        if scope.length(table) is None:
            return scope.view.missing(table)
        quick = columns(scope=scope) if columns else None
        if quick is not None:
            return quick
        values, doubt = _values(scope, table, parts)
        if called in _NEED_ROWS and not values and doubt is None:
            return _nothing(scope, table)
        return doubt if doubt is not None else AGGREGATES[called](values)

    def remembered(scope: Scope) -> object:
        # Two rules may write the same words with limits of their own.
        memory, place = scope.view.remembered, (key, id(scope.limits))
        if place not in memory:
            memory[place] = fresh(scope)
        return memory[place]

    return fresh if key is None else remembered


def _nothing(scope: Scope, table: str) -> Unknown:
    if not scope.length(table):
        return scope.view.missing(table)
    return Unknown([Missing("", f"no {table} meets the condition", "", True)])


def _values(scope: Scope, table: str, parts: Sequence[Evaluate]) -> Tuple[Rows, Optional[Unknown]]:
    """Values of the rows that meet the condition; unknown if it is not known which do."""
    rows = list(scope.over(table))
    if len(parts) == 1:
        return [parts[0](row) for row in rows], None
    meets = [parts[1](row) for row in rows]
    wrong = [truth for truth in meets if not isinstance(truth, bool)]
    if wrong:
        return [], both(wrong)  # type: ignore[return-value]
    return [parts[0](row) for row, truth in zip(rows, meets) if truth], None
