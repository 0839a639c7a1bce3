"""Arithmetic and logic in which any value may be unknown (Kleene's strong three-valued logic).

Nothing here raises: what cannot be computed is unknown, with the reason.
"""

from __future__ import annotations

import operator
from typing import Iterable, List, Union

from advisor.advice.unknown import Unknown, because, merged

Truth = Union[bool, Unknown]
_CALCULATE = {"+": operator.add, "-": operator.sub, "*": operator.mul}
_ORDER = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=", "in", "not in")


def both(values: Iterable[object]) -> Truth:
    """`and`: False as soon as one is False, else unknown if one is, else True."""
    unknown: List[object] = []
    for value in values:
        truth = value if value is True or value is False else _truth(value)
        if truth is False:
            return False
        if truth is not True:
            unknown.append(truth)
    return merged(unknown) if unknown else True


def either(values: Iterable[object]) -> Truth:
    """`or`: True as soon as one is True, else unknown if one is, else False."""
    return opposite(both(map(opposite, values)))


def opposite(value: object) -> Truth:
    """`not`."""
    truth = _truth(value)
    return truth if isinstance(truth, Unknown) else not truth


def negate(value: object) -> object:
    """Unary minus."""
    return calculate("-", 0.0, value)


def calculate(sign: str, left: object, right: object) -> object:
    """left + - * / right. Division by zero and overflow are unknown."""
    if type(left) is float and type(right) is float and sign != "/":
        return _finite(_CALCULATE[sign](left, right))
    wrong = _not_numbers((left, right))
    if wrong is not None:
        return wrong
    if sign == "/":
        return because("division by zero") if right == 0 else _finite(left / right)  # type: ignore[operator]
    return _finite(_CALCULATE[sign](left, right))


def compare(sign: str, left: object, right: object) -> Truth:
    """left sign right. Only values of one kind can be compared."""
    if type(left) is float and type(right) is float and sign in _ORDER:
        return _ORDER[sign](left, right)
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return merged((left, right))
    if sign in ("in", "not in"):
        found = _contains(left, right)
        return opposite(found) if sign == "not in" else found
    if _kind(left) != _kind(right) or (sign in _ORDER and _kind(left) != "number"):
        return because(f"{_kind(left)} cannot be compared with {_kind(right)} by {sign}")
    if sign in _ORDER:
        return _ORDER[sign](left, right)
    return (left == right) is (sign == "==")


def _contains(left: object, right: object) -> Truth:
    if isinstance(left, str) and isinstance(right, (str, tuple)):
        return left in right
    return because(f"{_kind(left)} cannot be looked for in {_kind(right)}")


def _minimum(values: List[object]) -> object:
    wrong = _not_numbers(values)
    return min(values) if wrong is None else wrong  # type: ignore[type-var]


def _maximum(values: List[object]) -> object:
    wrong = _not_numbers(values)
    return max(values) if wrong is None else wrong  # type: ignore[type-var]


def _absolute(values: List[object]) -> object:
    wrong = _not_numbers(values)
    return abs(values[0]) if wrong is None else wrong  # type: ignore[arg-type]


ROW_FUNCTIONS = {"min": (_minimum, 2, 20), "max": (_maximum, 2, 20), "abs": (_absolute, 1, 1)}
"""Name → function of a list of values, fewest and most values."""


def _truth(value: object) -> Truth:
    if isinstance(value, (bool, Unknown)):
        return value
    return because(f"{_kind(value)} is neither true nor false")


def _not_numbers(values: Iterable[object]):
    """None if all are numbers; otherwise the unknown value that comes out."""
    values = list(values)
    if any(isinstance(value, Unknown) for value in values):
        return merged(values)
    wrong = [_kind(value) for value in values if _kind(value) != "number"]
    return because(f"{wrong[0]} is not a number") if wrong else None


def _finite(number: float) -> object:
    return number if number - number == 0 else because("the result is beyond all bounds")


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "yes/no"
    return {str: "text", tuple: "a list", float: "number", int: "number"}.get(
        type(value), type(value).__name__
    )
