"""any, all, sum, count, most and least over the rows of a table, some of which may be unknown."""

from __future__ import annotations

from typing import Callable, FrozenSet, Sequence

import numpy as np

from advisor.advice.language.cells import (
    NUMBER,
    TRUTH,
    Cells,
    reasons,
    single,
    spread,
    stacked,
    truth,
)
from advisor.advice.language.frame import Frame
from advisor.advice.language.unknown import Missing, Unknown, because

Evaluate = Callable[[Frame], Cells]
AGGREGATES = ("any", "all", "sum", "count", "most", "least")
_NEED_ROWS = ("all", "most", "least")
"""Over no rows these say nothing: that a thing was seen on all of no hosts is no reason to offer
it."""
_OF_NUMBERS: dict = {
    # In the order of rows, so that a sum is the same in every version of NumPy.
    "sum": lambda values: np.add.accumulate(values)[-1] if len(values) else 0.0,
    "most": np.max,
    "least": np.min,
}


def aggregate(
    called: str, table: str, parts: Sequence[Evaluate], needs: FrozenSet[str], key: object
) -> Evaluate:
    """The function of an aggregate over `table`.

    `needs`: other tables of whose row at hand it depends; without, its value is remembered under
    `key`.
    """

    def at_hand(frame: Frame) -> object:
        scope = frame.scope
        return (
            scope.view.missing(table)
            if scope.length(table) is None
            else _value(called, Frame(scope, table), parts)
        )

    def of_each(frame: Frame) -> Cells:
        if frame.table not in needs:
            return single(at_hand(frame))
        return stacked([at_hand(Frame(scope)) for scope in frame.each()])

    def remembered(frame: Frame) -> Cells:
        # Two rules may write the same words with limits of their own.
        memory, place = frame.scope.view.remembered, (key, id(frame.scope.limits))
        if place not in memory:
            memory[place] = single(at_hand(frame))
        return memory[place]

    return of_each if needs else remembered


def _value(called: str, frame: Frame, parts: Sequence[Evaluate]) -> object:
    """One value over all rows that meet the condition; unknown if it is not known which do."""
    count = frame.scope.length(frame.table) or 0
    values = spread(parts[0](frame), count)
    meets = spread(truth(parts[1](frame)) if len(parts) > 1 else single(True), count)
    if not meets.known.all():
        return reasons(meets, ~meets.known)
    if called in _NEED_ROWS and not meets.values.any():
        return _nothing(frame)
    if called in ("any", "all"):
        return _decided(truth(values), meets.values, called == "any")
    unknown = meets.values & ~values.known
    return (
        reasons(values, unknown)
        if unknown.any()
        else _summed(called, values.kind, values.values[meets.values])
    )


def _decided(values: Cells, chosen: np.ndarray, decides: bool) -> object:
    """`any` if True decides, `all` if False does."""
    if (chosen & (values.true if decides else values.false)).any():
        return decides
    unknown = chosen & ~values.known
    return reasons(values, unknown) if unknown.any() else not decides


def _summed(called: str, kind: str, values: np.ndarray) -> object:
    if called == "count":
        return float(values.sum() if kind == TRUTH else len(values))
    if kind != NUMBER and len(values):
        return because(f"{kind} is not a number")
    found = float(_OF_NUMBERS[called](values))
    return found if np.isfinite(found) else because("the result is beyond all bounds")


def _nothing(frame: Frame) -> Unknown:
    if not frame.scope.length(frame.table):
        return frame.scope.view.missing(frame.table)
    return Unknown([Missing("", f"no {frame.table} meets the condition", "", True)])
