"""The expressions of rules: a small subset of Python's syntax, parsed by `ast` and never run by the
interpreter.

Names are `table.column` and `limit.name`. There are + - * /, comparisons (chained), `in`, and, or,
not, numbers, strings, min, max and abs of one row, and any, all, sum, count, most and least over
all rows of a table. The aggregates take a condition as second argument: `sum(cell.time, cell.size >
limit.large)`.

Parsing turns the tree into functions once. What these return are cells (cells.py): the value in all
rows of a table, or in the one at hand, each a number, True, False, text, or unknown with its
reasons; they never raise.
"""

from __future__ import annotations

import ast
import keyword
import re
from functools import lru_cache
from typing import Any, Callable, FrozenSet, NamedTuple, Optional, Set

import numpy as np

from advisor.advice.language.aggregates import AGGREGATES, aggregate
from advisor.advice.language.cells import (
    COMPARISONS,
    Cells,
    absolute,
    both,
    calculate,
    compare,
    either,
    maximum,
    minimum,
    opposite,
    plain,
    single,
    spread,
)
from advisor.advice.language.frame import Frame
from advisor.advice.language.scope import ONE_ROW, Scope

Evaluate = Callable[[Frame], Cells]
LONGEST, MOST_NODES, DEEPEST = 2000, 300, 30
STANDS_FOR_CLASS = "klass"
"""The column `class` is a keyword of the parser: a word of the same length stands for it, so that
positions stay."""
ROW_FUNCTIONS = {"min": (minimum, 2, 20), "max": (maximum, 2, 20), "abs": (absolute, 1, 1)}
"""Name → function of a list of values, fewest and most values."""
_STRING = re.compile(r"(\"[^\"]*\"|'[^']*')")
_CLASS = re.compile(r"\.class\b")
_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
_COMPARED = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
}


class ExpressionError(ValueError):
    """An expression that cannot be read; the message has the position and what was expected."""


class Expression(NamedTuple):
    """A parsed expression.

    `names`: every `table.column` used; `numbers`: bare numbers other than 0 and 1.
    """

    text: str
    cells: Evaluate
    names: FrozenSet[str]
    numbers: tuple
    tree: ast.expr

    def evaluate(self, scope: Scope) -> Any:
        """Its value for the row at hand: float, bool or text, or Unknown."""
        with np.errstate(all="ignore"):
            return plain(self.cells(Frame(scope)))

    def over(self, scope: Scope, table: str, rows: Optional[np.ndarray] = None) -> Cells:
        """Its values in all rows of a table, or in these."""
        count = (scope.length(table) or 0) if rows is None else len(rows)
        with np.errstate(all="ignore"):
            return spread(self.cells(Frame(scope, table, rows)), count)


@lru_cache(maxsize=4096)
def parse(text: str, each: str = "") -> Expression:
    """Read an expression. `each`: the table of the row at hand; two with a blank between them if
    there are two rows. Raises ExpressionError.

    Remembered, since the same text is asked for again and again.
    """
    builder = _Builder(text, each)
    tree = _tree(text)
    builder.measure(tree, 0)
    return Expression(
        text, builder.build(tree), frozenset(builder.names), tuple(builder.numbers), tree
    )


def with_causes(each: str) -> str:
    """The rows at hand of an expression that says which causes belong to a row."""
    return each if each == "cause" else f"{each} cause"


def names(text: str, each: str = "") -> FrozenSet[str]:
    """Every `table.column` that an expression uses: its prerequisites.

    Limits are not among them.
    """
    return frozenset(name for name in parse(text, each).names if not name.startswith("limit."))


def column_of(node: ast.Attribute) -> str:
    """The column that a name means: class_ is class."""
    return (
        node.attr[:-1]
        if node.attr.endswith("_") and keyword.iskeyword(node.attr[:-1])
        else node.attr
    )


def _tree(text: str) -> ast.expr:
    bare = _STRING.sub("", text)
    for sign, meaning in (("#", "a comment"), ("\\", "a backslash"), (";", "a semicolon")):
        if sign in bare or (sign == "\\" and sign in text):
            raise ExpressionError(
                f"column {text.index(sign) + 1}: {meaning} has no place in an expression"
            )
    if len(text) > LONGEST:
        raise ExpressionError(f"{len(text)} characters are too many; expected at most {LONGEST}")
    try:
        return ast.parse(
            _CLASS.sub("." + STANDS_FOR_CLASS, text).replace("\n", " ").replace("\r", " ").strip(),
            mode="eval",
        ).body
    except SyntaxError as error:
        raise ExpressionError(f"column {error.offset or 1}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError):
        raise ExpressionError(
            "nested too deeply, or not text; expected a short expression"
        ) from None


class _Builder:
    """Turns a tree into functions, and notes the names on the way."""

    def __init__(self, text: str, each: str) -> None:
        self.text, self.each, self.bound = text, each, set(each.split())
        self.names: Set[str] = set()
        self.numbers: list = []
        self._nodes = 0

    def measure(self, node: ast.AST, depth: int) -> None:
        """Refuse what is too large before anything is built."""
        self._nodes += 1
        if self._nodes > MOST_NODES or depth > DEEPEST:
            raise ExpressionError(
                f"too large; expected at most {MOST_NODES} parts and {DEEPEST} levels"
            )
        for child in ast.iter_child_nodes(node):
            self.measure(child, depth + 1)

    def build(self, node: ast.expr) -> Evaluate:
        """The function of a node."""
        make = getattr(self, f"_{type(node).__name__.lower()}", None)
        if make is None:
            raise self._error(
                node,
                f"{type(node).__name__} has no place here; expected names, numbers, + - * /,"
                " comparisons, and, or, not",
            )
        return make(node)

    def _attribute(self, node: ast.Attribute) -> Evaluate:
        if not isinstance(node.value, ast.Name):
            raise self._error(node, "expected a name of two parts, such as rank.cores")
        table, column = node.value.id, "class" if node.attr == STANDS_FOR_CLASS else node.attr
        if table not in self.bound and table not in ONE_ROW and table != "limit":
            now = f"; this rule looks at each {self.each}" if self.each else ""
            raise self._error(
                node,
                f"{table} has many rows; say any({table}.{column}), all, sum, count, most or least,"
                f" or look at each {table}{now}",
            )
        self.names.add(f"{table}.{column}")
        return lambda frame: frame.cells(table, column)

    def _name(self, node: ast.Name) -> Evaluate:
        raise self._error(
            node, f'"{node.id}" is not a name; expected table.column or limit.{node.id}'
        )

    def _constant(self, node: ast.Constant) -> Evaluate:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, (int, float, str)):
            raise self._error(
                node,
                f'"{ast.unparse(node)}" has no place here; expected a number, a "text" or a name',
            )
        if isinstance(value, str):
            return _constantly(single(value))
        if abs(value) > 1e300:
            raise self._error(node, "this number is beyond all bounds")
        if value not in (0, 1):
            self.numbers.append(value)
        return _constantly(single(float(value)))

    def _unaryop(self, node: ast.UnaryOp) -> Evaluate:
        operand = self.build(node.operand)
        if isinstance(node.op, ast.Not):
            return lambda frame: opposite(operand(frame))
        if isinstance(node.op, ast.USub):
            return lambda frame: calculate("-", single(0.0), operand(frame))
        raise self._error(node, "expected - or not")

    def _binop(self, node: ast.BinOp) -> Evaluate:
        sign = _SIGNS.get(type(node.op))
        if sign is None:
            raise self._error(node, "expected + - * or /")
        left, right = self.build(node.left), self.build(node.right)
        return lambda frame: calculate(sign, left(frame), right(frame))

    def _boolop(self, node: ast.BoolOp) -> Evaluate:
        parts = [self.build(value) for value in node.values]
        join = both if isinstance(node.op, ast.And) else either
        return lambda frame: join([part(frame) for part in parts])

    def _compare(self, node: ast.Compare) -> Evaluate:
        signs = [self._sign(sign, node) for sign in node.ops]
        parts = [self.build(node.left)] + [
            self._right(sign, part) for sign, part in zip(signs, node.comparators)
        ]
        pairs = list(zip(parts, signs, parts[1:]))
        if len(pairs) == 1:
            left, sign, right = pairs[0]
            return lambda frame: compare(sign, left(frame), right(frame))
        return lambda frame: both(
            [compare(sign, left(frame), right(frame)) for left, sign, right in pairs]
        )

    def _sign(self, sign: ast.cmpop, node: ast.Compare) -> str:
        if type(sign) not in _COMPARED:
            raise self._error(node, f"expected one of {', '.join(COMPARISONS)}")
        return _COMPARED[type(sign)]

    def _right(self, sign: object, node: ast.expr) -> Evaluate:
        if sign not in ("in", "not in") or not isinstance(node, (ast.Tuple, ast.List)):
            return self.build(node)
        texts = tuple(part.value if isinstance(part, ast.Constant) else None for part in node.elts)
        if not all(isinstance(text, str) for text in texts):
            raise self._error(node, 'expected texts in brackets: in ("Bcast", "Reduce")')
        return _constantly(single(texts))

    def _call(self, node: ast.Call) -> Evaluate:
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called not in ROW_FUNCTIONS and called not in AGGREGATES:
            raise self._error(
                node,
                f"no such function; expected one of {', '.join((*ROW_FUNCTIONS, *AGGREGATES))}",
            )
        if (
            node.keywords
            or not node.args
            or any(isinstance(each, ast.Starred) for each in node.args)
        ):
            raise self._error(node, f"expected {called}(…) with plain values")
        return (
            self._aggregate(called, node)
            if called in AGGREGATES
            else self._row_function(called, node)
        )

    def _row_function(self, called: str, node: ast.Call) -> Evaluate:
        function, least, most = ROW_FUNCTIONS[called]
        if not least <= len(node.args) <= most:
            raise self._error(
                node,
                (
                    "abs takes one value"
                    if called == "abs"
                    else (
                        f"{called} takes two values or more; over all rows say"
                        f" {'most' if called == 'max' else 'least'}"
                    )
                ),
            )
        parts = [self.build(each) for each in node.args]
        return lambda frame: function([part(frame) for part in parts])

    def _aggregate(self, called: str, node: ast.Call) -> Evaluate:
        if len(node.args) > 2:
            raise self._error(node, f"{called} takes a value, and after it a condition if need be")
        table, outer, before = self._table_of(node), self.bound, set(self.names)
        self.bound, self.names = outer | {table}, set()
        parts = [self.build(each) for each in node.args]
        used = {name.partition(".")[0] for name in self.names}
        self.bound, self.names = outer, before | self.names
        return aggregate(called, table, parts, frozenset(used & outer - {table}), node)

    def _table_of(self, node: ast.Call) -> str:
        named = {
            each.value.id
            for each in ast.walk(node)
            if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)
        }
        many = named - set(ONE_ROW) - {"limit"}
        candidates = many - self.bound or many or named - {"limit"}
        if len(candidates) != 1:
            raise self._error(
                node,
                "expected the columns of one table, found"
                f" {', '.join(sorted(candidates)) or 'none'}",
            )
        return candidates.pop()

    def _error(self, node: ast.AST, message: str) -> ExpressionError:
        return ExpressionError(f"column {getattr(node, 'col_offset', 0) + 1}: {message}")


def _constantly(cells: Cells) -> Evaluate:
    return lambda frame: cells
