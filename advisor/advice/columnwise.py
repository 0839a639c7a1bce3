"""Expressions over all rows of a long table at once: numbers, texts and truths, each of which may
be unknown.

The answers are those of looking row by row, in a hundredth of the time. Of the rows without an
answer the first are looked at one by one, for the reasons: there are few, and the same for many
rows. What this cannot read, such as an aggregate over another table for each row, has no answer
here.
"""

from __future__ import annotations

import ast
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from advisor.advice.scope import ONE_ROW, Scope
from advisor.advice.unknown import Unknown, merged

LEAST_ROWS = 512
"""Below that nothing is gained."""
MOST_ASKED = 100
"""Rows without an answer that are asked for their reasons."""
STANDS_FOR_CLASS = "klass"
"""The column `class` is a keyword of the parser: a word of the same length stands for it, so that
positions stay."""
Evaluate = Callable[[Scope], object]
Build = Callable[[ast.expr], Evaluate]
_CALCULATE = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.true_divide}
_ORDER = {ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal}
_EQUAL = {ast.Eq: np.equal, ast.NotEq: np.not_equal}
_OVER_ROWS = ("any", "all", "sum", "count", "most", "least")
_SUMMED: Dict[str, Callable[[np.ndarray], object]] = {
    "any": lambda values: bool(values.any()),
    "all": lambda values: bool(values.all()),
    "sum": lambda values: float(values.sum()),
    "count": lambda values: float(values.sum() if values.dtype == bool else len(values)),
    "most": lambda values: float(values.max()),
    "least": lambda values: float(values.min()),
}


class Answers(NamedTuple):
    """A value for each row: float64, bool, or texts as objects; `known`: whether it is, bool. One
    value may stand for all rows."""

    values: np.ndarray
    known: np.ndarray

    @property
    def true(self) -> np.ndarray:
        """Rows of which a condition surely holds."""
        return self.values & self.known

    @property
    def false(self) -> np.ndarray:
        """Rows of which it surely does not."""
        return ~self.values & self.known


_NOTHING = Answers(np.asarray(False), np.asarray(False))


class _NoAnswer(Exception):
    """The expression cannot be read as columns."""


def truths(node: ast.expr, table: str, scope: Scope, build: Build) -> Optional[Answers]:
    """Whether a condition holds, for each row of a table; None: look row by row. `build` makes the
    function of a part of the expression."""
    found = _rows(node, table, scope, build)
    return found and (
        found
        if found.values.dtype == bool
        else Answers(np.zeros(len(found.known), bool), np.zeros(len(found.known), bool))
    )


def aggregated(
    called: str,
    nodes: List[ast.expr],
    table: str,
    scope: Scope,
    build: Build,
    parts: Sequence[Evaluate],
) -> Optional[object]:
    """Value of an aggregate of `nodes` (a value and perhaps a condition) over the rows of a table;
    None: look row by row. `parts`: their functions of the row at hand."""
    if _never_known(nodes, table, scope):
        return parts[0](scope.at(table, 0))
    values = _rows(nodes[0], table, scope, build)
    chosen = (
        truths(nodes[1], table, scope, build)
        if len(nodes) > 1
        else values and Answers(np.ones_like(values.known), np.ones_like(values.known))
    )
    if values is None or chosen is None:
        return None
    if not chosen.known.all():
        return _reasons(parts[1], table, scope, ~chosen.known)
    return _summed(
        called, values, chosen.values, lambda rows: _reasons(parts[0], table, scope, rows)
    )


def _summed(
    called: str, found: Answers, chosen: np.ndarray, reasons: Callable[[np.ndarray], Unknown]
) -> Optional[object]:
    """The aggregate of the rows chosen, as advice/aggregates.py has it; None: look row by row."""
    values, unknown = found.values[chosen & found.known], chosen & ~found.known
    truth = called in ("any", "all")
    if len(values) and called != "count" and values.dtype != (bool if truth else np.float64):
        return None
    if unknown.any() and not (
        truth and len(values) and bool(values.any() if called == "any" else not values.all())
    ):
        return reasons(unknown)
    if not len(values) and called in ("all", "most", "least"):
        return None
    summed = _SUMMED[called](values)
    return summed if isinstance(summed, bool) or np.isfinite(summed) else None


def _reasons(evaluate: Evaluate, table: str, scope: Scope, rows: np.ndarray) -> Unknown:
    """Why the value is not known in these rows, by the first of them."""
    return merged(
        evaluate(scope.at(table, row)) for row in np.flatnonzero(rows)[:MOST_ASKED].tolist()
    )


def _never_known(nodes: List[ast.expr], table: str, scope: Scope) -> bool:
    """Whether the value rests on one column of the table that is known for no row: then the first
    row's reason is that of all."""
    if (
        len(nodes) > 1
        or (scope.length(table) or 0) < LEAST_ROWS
        or any(isinstance(each, (ast.BoolOp, ast.IfExp)) for each in ast.walk(nodes[0]))
    ):
        return False
    columns = {
        each.attr
        for each in ast.walk(nodes[0])
        if isinstance(each, ast.Attribute)
        and isinstance(each.value, ast.Name)
        and each.value.id == table
    }
    if len(columns) != 1:
        return False
    found = scope.view.measures.tables[table].columns.get(columns.pop())
    return found is None or found.values.dtype.kind == "f" and bool(np.isnan(found.values).all())


def _rows(node: ast.expr, table: str, scope: Scope, build: Build) -> Optional[Answers]:
    count = scope.length(table) or 0
    if count < LEAST_ROWS:
        return None
    try:
        with np.errstate(all="ignore"):
            found = _Reader(table, scope, build).read(node)
    except _NoAnswer:
        return None
    return Answers(np.broadcast_to(found.values, (count,)), np.broadcast_to(found.known, (count,)))


def _many(node: ast.AST) -> set:
    """Tables with many rows that are named."""
    named = {
        each.value.id
        for each in ast.walk(node)
        if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)
    }
    return named - set(ONE_ROW) - {"limit"}


class _Reader:
    """Reads a tree as columns of one table."""

    def __init__(self, table: str, scope: Scope, build: Build) -> None:
        self.table, self.scope, self.build = table, scope, build

    def read(self, node: ast.expr) -> Answers:
        """One value for each row, or one for all of them."""
        if not self._varies(node):
            return self._single(node)
        read = getattr(self, f"_{type(node).__name__.lower()}", None)
        if read is None:
            raise _NoAnswer
        return read(node)

    def _varies(self, node: ast.AST) -> bool:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in _OVER_ROWS
        ):
            return self.table in _many(node) and len(_many(node)) > 1
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id == self.table
        return any(map(self._varies, ast.iter_child_nodes(node)))

    def _single(self, node: ast.expr) -> Answers:
        value = self.build(node)(self.scope)
        if isinstance(value, Unknown):
            return _NOTHING
        if not isinstance(value, (bool, float, str)):
            raise _NoAnswer
        return Answers(
            np.asarray(value, dtype=object if isinstance(value, str) else None), np.asarray(True)
        )

    def _attribute(self, node: ast.Attribute) -> Answers:
        column, arrays = (
            ("class" if node.attr == STANDS_FOR_CLASS else node.attr),
            self.scope.view.arrays,
        )
        if (self.table, column) not in arrays:
            arrays[self.table, column] = self._column(column)
        return Answers(*arrays[self.table, column])

    def _column(self, column: str) -> Answers:
        found = self.scope.view.measures.tables[self.table].columns.get(column)
        if found is None:
            return _NOTHING
        if found.unit != "yes/no" and found.values.dtype.kind == "f":
            return Answers(found.values.astype(np.float64), np.isfinite(found.values))
        cells = self.scope.view.cells(self.table, column) or []
        known = np.array([cell is not None for cell in cells], bool)
        kinds = set(map(type, cells)) - {type(None)}
        if not kinds:
            return _NOTHING
        if len(kinds) > 1 or not kinds <= {bool, float, str}:
            raise _NoAnswer
        kind = kinds.pop()
        return Answers(
            np.array(
                [kind() if cell is None else cell for cell in cells],
                dtype=object if kind is str else kind,
            ),
            known,
        )

    def _binop(self, node: ast.BinOp) -> Answers:
        return self._calculated(
            _CALCULATE[type(node.op)], self._number(node.left), self._number(node.right)
        )

    def _unaryop(self, node: ast.UnaryOp) -> Answers:
        if isinstance(node.op, ast.Not):
            found = self._truth(node.operand)
            return Answers(~found.values, found.known)
        return self._calculated(
            np.subtract, Answers(np.asarray(0.0), np.asarray(True)), self._number(node.operand)
        )

    @staticmethod
    def _calculated(function: Callable, *parts: Answers) -> Answers:
        values = function(*(part.values for part in parts))
        return Answers(
            values,
            np.logical_and.reduce(
                np.broadcast_arrays(np.isfinite(values), *(part.known for part in parts))
            ),
        )

    def _compare(self, node: ast.Compare) -> Answers:
        """A chain of comparisons is one of truths."""
        return self._joined(
            [
                self._pair(sign, *pair)
                for sign, *pair in zip(node.ops, (node.left, *node.comparators), node.comparators)
            ],
            False,
        )

    def _pair(self, sign: ast.cmpop, left: ast.expr, right: ast.expr) -> Answers:
        if isinstance(sign, (ast.In, ast.NotIn)):
            found = self._among(self.read(left), right)
            return found if isinstance(sign, ast.In) else Answers(~found.values, found.known)
        first, second = self.read(left), self.read(right)
        function = _ORDER.get(type(sign)) or _EQUAL.get(type(sign))
        if function is None:
            raise _NoAnswer
        # Only values of one kind can be compared, and only numbers have an order.
        if first.values.dtype != second.values.dtype or (
            type(sign) in _ORDER and first.values.dtype.kind != "f"
        ):
            return _NOTHING
        return Answers(
            function(first.values, second.values).astype(bool), first.known & second.known
        )

    def _among(self, left: Answers, right: ast.expr) -> Answers:
        """Whether a text is one of some, or part of another."""
        if left.values.dtype != object:
            return _NOTHING
        if isinstance(right, (ast.Tuple, ast.List)):
            texts = {part.value for part in right.elts if isinstance(part, ast.Constant)}
            return Answers(
                np.array([value in texts for value in np.atleast_1d(left.values)], bool), left.known
            )
        whole = self.read(right)
        if whole.values.dtype != object:
            return _NOTHING
        pairs = zip(*map(np.atleast_1d, np.broadcast_arrays(left.values, whole.values)))
        return Answers(
            np.array([part in text for part, text in pairs], bool), left.known & whole.known
        )

    def _boolop(self, node: ast.BoolOp) -> Answers:
        return self._joined(list(map(self._truth, node.values)), isinstance(node.op, ast.Or))

    @staticmethod
    def _joined(parts: List[Answers], decides: bool) -> Answers:
        """`or` if True decides, `and` if False does. What is not known does not matter where the
        rest decides."""
        decided = np.logical_or.reduce(
            np.broadcast_arrays(*(part.true if decides else part.false for part in parts))
        )
        known = np.logical_and.reduce(np.broadcast_arrays(*(part.known for part in parts)))
        return Answers(decided == decides, known | decided)

    def _call(self, node: ast.Call) -> Answers:
        # An aggregate that depends on the row: what is in it has no value of its own.
        if not isinstance(node.func, ast.Name) or node.func.id not in ("min", "max", "abs"):
            raise _NoAnswer
        parts = list(map(self._number, node.args))
        if node.func.id == "abs":
            return self._calculated(np.abs, parts[0])
        least = node.func.id == "min"
        return self._calculated(
            lambda *values: (np.minimum if least else np.maximum).reduce(
                np.broadcast_arrays(*values)
            ),
            *parts,
        )

    def _number(self, node: ast.expr) -> Answers:
        found = self.read(node)
        return (
            found if found.values.dtype.kind == "f" else Answers(np.asarray(0.0), np.asarray(False))
        )

    def _truth(self, node: ast.expr) -> Answers:
        found = self.read(node)
        return found if found.values.dtype == bool else _NOTHING
