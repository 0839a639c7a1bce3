"""Sentences and commands of rules, with the numbers of this run filled in.

A place for a number is an expression in braces: {rank.cores}, {rank.cores:core} (with its noun),
{limit.size}, {sum(cell.time)}. After the colon may stand a noun, or one of the units s, B, share,
count.
"""

from __future__ import annotations

import ast
import re
import shlex
from numbers import Real
from typing import Callable, Iterator, List, NamedTuple, Tuple

from advisor.advice.language import units
from advisor.advice.language.expression import Expression, ExpressionError, column_of, parse
from advisor.advice.language.scope import Scope
from advisor.advice.language.unknown import Unknown, because, merged
from advisor.base.numbers import HARD, counted
from advisor.model.interval import BYTES, written
from advisor.model.library import TITLES
from advisor.model.measures import Quality
from advisor.model.message import Message

_UNITS = ("s", "B", "share", "count", "1/s", "number")
_SHELL = re.compile(r"[;&|`$<>()'\"\\*?!#]")
_PLACE = re.compile(r"\{([^{}]*)\}")
_FORM = re.compile(r"[\w/ -]*")
_BOUND_IN_FRONT = re.compile(
    r"\b(?:at most|at least|the most|within|up to)\b[^.,;:]*$", re.IGNORECASE
)
_BOUND_BEHIND = re.compile(r"[^.,;:]*\bat (?:most|least)\b")
_LONGEST_VALUE = 4096
"""Letters of a text from a profile: it may stand in a thousand places of a sentence."""


class Place(NamedTuple):
    """One pair of braces: what is in it, and what follows."""

    expression: Expression
    form: str
    followed_by_base: bool
    bounded: bool
    """Whether the words around it say "at most" already."""


class Filled(NamedTuple):
    """A sentence and what was unknown in it; places of unknown values show `?`."""

    text: str
    unknown: Unknown


def places(text: str, each: str = "") -> List[Place]:
    """All places of a sentence. Raises ExpressionError for braces that cannot be read."""
    rest = _PLACE.sub("", text)
    if "{" in rest or "}" in rest:
        raise ExpressionError("a brace without its partner; expected {table.column}")
    return [place for place, _, _ in _found(text, each)]


def fill(text: str, scope: Scope, each: str = "") -> Filled:
    """A sentence for people: numbers with units, three significant digits, `?` where unknown."""
    return _filled(text, scope, each, _shown)


def fill_command(text: str, scope: Scope, each: str = "") -> Filled:
    """A command or setting: bare numbers as programs read them, text quoted for the shell."""
    return _filled(text, scope, each, _raw)


def fill_advice(text: str, scope: Scope, each: str = "") -> Filled:
    """A sentence that may have a command in it: text that a shell would act on is quoted."""
    return _filled(text, scope, each, _shown_quoted)


def _found(text: str, each: str) -> Iterator[Tuple[Place, int, int]]:
    for match in _PLACE.finditer(text):
        inner, form = match.group(1), ""
        before, _, behind = inner.rpartition(":")
        if behind and _FORM.fullmatch(behind.strip()):
            inner, form = before, behind.strip()
        rest = text[match.end() :]
        bounded = bool(_BOUND_IN_FRONT.search(text[: match.start()]) or _BOUND_BEHIND.match(rest))
        yield (
            Place(parse(inner, each), form, rest.startswith(" of "), bounded),
            match.start(),
            match.end(),
        )


def _filled(
    text: str, scope: Scope, each: str, show: Callable[[Place, object, Scope], str]
) -> Filled:
    parts, values, shown, at = [], [], {}, 0
    for place, begin, end in _found(text, each):
        value = place.expression.evaluate(scope)
        if isinstance(value, str) and len(value) > _LONGEST_VALUE:
            value = because(f"a text of {len(value)} letters is too long")
        values.append(value)
        words = "?" if isinstance(value, Unknown) else show(place, value, scope)
        shown[text[begin + 1 : end - 1]] = words
        parts += [text[at:begin], words]
        at = end
    filled = "".join(parts + [text[at:]])
    if isinstance(text, Message):
        filled = Message(filled, text.template, shown, text.context)
    return Filled(filled, merged(values))


def _shown_quoted(place: Place, value: object, scope: Scope) -> str:
    shown = _shown(place, value, scope)
    quoted = isinstance(value, str) and not isinstance(value, Message) and _SHELL.search(shown)
    return shlex.quote(shown) if quoted else shown


def _raw(place: Place, value: object, scope: Scope) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if isinstance(value, str):
        return shlex.quote(units.printable(value))
    number = _number(value)
    return str(int(number)) if number == int(number) else f"{number:.6g}"


def _number(value: object) -> float:
    if not isinstance(value, Real):
        raise TypeError(f"{value!r} is no number")
    return float(value)


def _shown(place: Place, value: object, scope: Scope) -> str:
    name = next(iter(place.expression.names)) if len(place.expression.names) == 1 else ""
    limit = (
        scope.limits.get(name[len("limit.") :])
        if name.startswith("limit.") and place.expression.text.strip() == name
        else None
    )
    if limit is not None and not place.form:
        return str(limit.text).replace(" ", HARD)
    if isinstance(value, (str, bool)):
        return units.value(TITLES.get(str(value), value) if name == "library.name" else value, "")
    if name in units.LABELS and place.expression.text.strip() == name:
        return _raw(place, value, scope)
    return _interval(place, name, scope) or units.marked(
        _form(place, _number(value), name, scope), quality(place.expression, scope)
    )


def _interval(place: Place, name: str, scope: Scope) -> str:
    """The interval that stands in place of a measure; empty if the number may stand alone, or is
    made from several."""
    alone = place.expression.text.strip() == name and name not in units.LABELS
    found = (
        scope.interval(*name.split("."))
        if alone and place.form in ("", *_UNITS) and not place.bounded
        else None
    )
    if found is None:
        return ""
    unit = place.form or unit_of(place.expression.tree, scope)
    text = written(
        found, lambda end: units.value(end, unit, ""), digits=BYTES if unit == "B" else 2
    )
    base = "" if place.followed_by_base or unit != "share" else units.base_of(name)
    return units.of_base(text, base)


def _form(place: Place, value: float, name: str, scope: Scope) -> str:
    if place.form and place.form not in _UNITS:
        return counted(value, place.form)
    unit = place.form or unit_of(place.expression.tree, scope)
    return units.value(value, unit, "" if place.followed_by_base else units.base_of(name))


def quality(expression: Expression, scope: Scope) -> Quality:
    """As good as the worst column that was used; limits and aggregates of rows do not change it."""
    used = [name.partition(".") for name in expression.names if not name.startswith("limit.")]
    return Quality(
        max(
            (scope.view.quality(table, column) for table, _, column in used),
            default=Quality.DERIVED,
        )
    )


def unit_of(node: ast.expr, scope: Scope) -> str:
    """The unit that follows from the units of the columns: s * share is s, s / s is a bare
    number."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return scope.view.unit(node.value.id, column_of(node))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return "count" if node.func.id == "count" else unit_of(node.args[0], scope)
    if isinstance(node, ast.UnaryOp):
        return unit_of(node.operand, scope)
    if isinstance(node, ast.BinOp):
        return _unit_of_two(node.op, unit_of(node.left, scope), unit_of(node.right, scope))
    return ""


def _unit_of_two(sign: ast.operator, left: str, right: str) -> str:
    if isinstance(sign, (ast.Add, ast.Sub)):
        return left or right
    if isinstance(sign, ast.Div):
        return "" if left == right else ("1/s" if right == "s" and left == "count" else left)
    plain = ("", "count", "share")
    return right if left in plain and right not in plain else left
