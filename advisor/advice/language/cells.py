"""Arithmetic and logic over cells: the values of one expression in many rows, any of which may be
unknown (Kleene's strong three-valued logic).

One row is the same with plain values in place of arrays. Nothing here raises: what cannot be
computed is unknown, and `why` says the reason of a row when somebody asks, so that a hundred
thousand unknown rows cost no more than known ones.
"""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any, Callable, List, Mapping, NamedTuple, Sequence

import numpy as np

from advisor.advice.language.unknown import Unknown, because, merged
from advisor.model.library import meets, release

NUMBER, TRUTH, TEXT, TEXTS, MIXED = "number", "yes/no", "text", "a list", "values of several kinds"
Why = Callable[[int], Unknown]
_CALCULATE: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": np.true_divide,
}
_ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "in", "not in")
MOST_ASKED = 100
"""Unknown rows that are asked for their reasons: mostly these are the same for all."""


class Cells(NamedTuple):
    """`values` of one kind, and whether each is `known`: arrays of equal length, or one value and
    one truth for all rows."""

    kind: str
    values: Any
    known: Any
    why: Why

    @property
    def true(self) -> Any:
        """Rows of which a condition surely holds."""
        return np.logical_and(self.values, self.known)

    @property
    def false(self) -> Any:
        """Rows of which it surely does not."""
        return np.logical_and(np.logical_not(self.values), self.known)


_DTYPES = {NUMBER: np.float64, TRUTH: bool}
_ZEROS = {NUMBER: 0.0, TRUTH: False, TEXT: "", TEXTS: (), MIXED: ""}


def single(value: object) -> Cells:
    """One value for all rows: a number, a text, True, False, or Unknown."""
    if isinstance(value, Unknown):
        return unknown(lambda row: value)
    return Cells(kind_of(value), value, True, _known)


def unknown(why: Why, kind: str = NUMBER) -> Cells:
    """Known in no row."""
    return Cells(kind, _ZEROS[kind], False, why)


def kind_of(value: object) -> str:
    """What a value is, in a word."""
    if isinstance(value, (bool, np.bool_)):
        return TRUTH
    return TEXT if isinstance(value, str) else TEXTS if isinstance(value, tuple) else NUMBER


def plain(cells: Cells) -> Any:
    """The value of a single row: float, bool or text, or Unknown with the reasons."""
    if not cells.known:
        return cells.why(0)
    return (
        float(cells.values)
        if cells.kind == NUMBER
        else bool(cells.values)
        if cells.kind == TRUTH
        else cells.values
    )


def stacked(values: Sequence[object]) -> Cells:
    """One row for each value."""
    kinds = {kind_of(value) for value in values if not isinstance(value, Unknown)}
    kind = kinds.pop() if len(kinds) == 1 else MIXED if kinds else NUMBER
    known = np.array([not isinstance(value, Unknown) for value in values], bool)
    filled = [value if is_known else _ZEROS[kind] for value, is_known in zip(values, known)]

    def why(row: int) -> Unknown:
        value = values[row]
        return value if isinstance(value, Unknown) else Unknown(())

    return Cells(kind, np.array(filled, dtype=_DTYPES.get(kind, object)), known, why)


def taken(cells: Cells, rows: np.ndarray) -> Cells:
    """These rows of all."""
    if not np.ndim(cells.values) and not np.ndim(cells.known):
        return cells
    return Cells(
        cells.kind,
        at(cells.values, rows),
        at(cells.known, rows),
        lambda row: cells.why(int(rows[row])),
    )


def spread(cells: Cells, count: int) -> Cells:
    """The same with an array of so many rows, also where one value stands for all."""
    return cells._replace(
        values=np.broadcast_to(cells.values, (count,)), known=np.broadcast_to(cells.known, (count,))
    )


def reasons(cells: Cells, rows: Any) -> Unknown:
    """Why the value is not known in these rows, by the first of them."""
    return merged(cells.why(row) for row in np.flatnonzero(rows)[:MOST_ASKED].tolist())


def both(parts: Sequence[Cells]) -> Cells:
    """`and`: False where one is False, else unknown where one is, else True."""
    return _joined([truth(part) for part in parts], False)


def either(parts: Sequence[Cells]) -> Cells:
    """`or`: True where one is True, else unknown where one is, else False."""
    return _joined([truth(part) for part in parts], True)


def opposite(cells: Cells) -> Cells:
    """`not`."""
    found = truth(cells)
    return found._replace(values=np.logical_not(found.values))


def truth(cells: Cells) -> Cells:
    """The same cells if they are True or False; unknown otherwise."""
    return (
        cells
        if cells.kind == TRUTH
        else _misfit([cells], f"{cells.kind} is neither true nor false", TRUTH)
    )


def calculate(sign: str, left: Cells, right: Cells) -> Cells:
    """left + - * / right. Division by zero and overflow are unknown."""
    fault = "the result is beyond all bounds"
    if sign != "/":
        return _numbers(_CALCULATE[sign], [left, right], lambda row: fault)
    return _numbers(
        _CALCULATE[sign],
        [left, right],
        lambda row: "division by zero" if at(right.values, row) == 0 else fault,
    )


def minimum(parts: Sequence[Cells]) -> Cells:
    """The least of several values of a row."""
    return _numbers(lambda *values: reduce(np.minimum, values), parts)


def maximum(parts: Sequence[Cells]) -> Cells:
    """The largest of several values of a row."""
    return _numbers(lambda *values: reduce(np.maximum, values), parts)


def absolute(parts: Sequence[Cells]) -> Cells:
    """A value without its sign."""
    return _numbers(abs, parts)


def compare(sign: str, left: Cells, right: Cells) -> Cells:
    """left sign right. Only values of one kind can be compared; numbers and versions have an
    order."""
    if sign in ("in", "not in"):
        found = _contains(left, right)
        return opposite(found) if sign == "not in" else found
    if sign in _ORDER and left.kind == right.kind == TEXT:
        return _versions(sign, left, right)
    if left.kind != right.kind or left.kind == MIXED or (sign in _ORDER and left.kind != NUMBER):
        return _misfit(
            [left, right], f"{left.kind} cannot be compared with {right.kind} by {sign}", TRUTH
        )
    if sign in _ORDER:
        values = _ORDER[sign](left.values, right.values)
    else:
        values = (
            operator.eq(left.values, right.values)
            if sign == "=="
            else operator.ne(left.values, right.values)
        )
    return Cells(
        TRUTH,
        np.asarray(values, bool) if np.ndim(values) else bool(values),
        _all_known([left, right]),
        _merged([left, right]),
    )


def at(values: Any, row: Any) -> Any:
    """The value of a row, or those of several."""
    return values[row] if np.ndim(values) else values


def _joined(parts: List[Cells], decides: bool) -> Cells:
    """What is not known does not matter where the rest decides."""
    decided, known = False, True
    for part in parts:
        decided = np.logical_or(decided, part.true if decides else part.false)
        known = np.logical_and(known, part.known)
    return Cells(TRUTH, np.equal(decided, decides), np.logical_or(known, decided), _merged(parts))


def _numbers(
    function: Callable,
    parts: Sequence[Cells],
    fault: Callable[[int], str] = lambda row: "the result is beyond all bounds",
) -> Cells:
    wrong = next((part for part in parts if part.kind != NUMBER), None)
    if wrong is not None:
        return _misfit(parts, f"{wrong.kind} is not a number", NUMBER)
    values, known = function(*(part.values for part in parts)), _all_known(parts)
    gone = _merged_or(parts, fault)
    return Cells(NUMBER, values, np.logical_and(known, np.isfinite(values)), gone)


def _merged_or(parts: Sequence[Cells], fault: Callable[[int], str]) -> Why:
    """The reasons of the parts; where these are all known, what is wrong with the result."""
    return lambda row: (
        _reasons_of(parts, row)
        if not all(at(part.known, row) for part in parts)
        else because(fault(row))
    )


def _misfit(parts: Sequence[Cells], reason: str, kind: str) -> Cells:
    """Unknown everywhere, since the kinds do not fit; where a part is unknown itself, for that
    reason."""
    return unknown(_merged_or(parts, lambda row: reason), kind)


def _contains(left: Cells, right: Cells) -> Cells:
    if left.kind != TEXT or right.kind not in (TEXT, TEXTS):
        return _misfit([left, right], f"{left.kind} cannot be looked for in {right.kind}", TRUTH)
    if not np.ndim(left.values) and (right.kind == TEXTS or not np.ndim(right.values)):
        values: Any = left.values in right.values
    elif right.kind == TEXTS:
        values = np.array([value in right.values for value in left.values], bool)
    else:
        values = np.array(
            [
                part in whole
                for part, whole in np.broadcast(
                    np.asarray(left.values, object), np.asarray(right.values, object)
                )
            ],
            bool,
        )
    return Cells(TRUTH, values, _all_known([left, right]), _merged([left, right]))


def _versions(sign: str, left: Cells, right: Cells) -> Cells:
    """Texts in the order of their numbers: "5.0.10" is above "5.0.3". A text that begins with no
    number is unknown."""
    pairs = np.broadcast(np.asarray(left.values, object), np.asarray(right.values, object))
    releases = [(release(have), release(bound)) for have, bound in pairs]
    values = np.array([meets(have, sign, bound) for have, bound in releases], bool)
    versions = np.array([bool(have and bound) for have, bound in releases], bool)
    if not pairs.shape:
        values, versions = values[0], versions[0]
    why = _merged_or([left, right], lambda row: "a text that is no version has no order")
    return Cells(TRUTH, values, np.logical_and(_all_known([left, right]), versions), why)


def _all_known(parts: Sequence[Cells]) -> Any:
    return reduce(np.logical_and, [part.known for part in parts])


def _merged(parts: Sequence[Cells]) -> Why:
    return lambda row: _reasons_of(parts, row)


def _reasons_of(parts: Sequence[Cells], row: int) -> Unknown:
    return merged(part.why(row) for part in parts if not at(part.known, row))


def _known(row: int) -> Unknown:
    return Unknown(())
