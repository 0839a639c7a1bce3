"""Expressions over all rows of a long table at once, where every value is a known number.

The answers are those of looking row by row, in a hundredth of the time. Where a value is unknown, or is no number, there is no answer here:
only looking row by row gives the reasons.
"""

from __future__ import annotations

import ast
from typing import Callable, Dict, List, Optional, Union

import numpy as np

from advisor.advice.scope import ONE_ROW, Scope

LEAST_ROWS = 512
"""Below that nothing is gained."""
Values = Union[np.ndarray, float, bool]
Evaluate = Callable[[Scope], object]
Build = Callable[[ast.expr], Evaluate]
_CALCULATE = {ast.Add: np.add, ast.Sub: np.subtract, ast.Mult: np.multiply, ast.Div: np.true_divide}
_COMPARE = {ast.Lt: np.less, ast.LtE: np.less_equal, ast.Gt: np.greater, ast.GtE: np.greater_equal, ast.Eq: np.equal, ast.NotEq: np.not_equal}
_OVER_ROWS = ("any", "all", "sum", "count", "most", "least")
_SUMMED: Dict[str, Callable[[np.ndarray], object]] = {
    "any": lambda values: bool(values.any()),
    "all": lambda values: bool(values.all()),
    "sum": lambda values: float(values.sum()),
    "count": lambda values: float(values.sum() if values.dtype == bool else len(values)),
    "most": lambda values: float(values.max()),
    "least": lambda values: float(values.min()),
}


class _NoAnswer(Exception):
    """Some value is not a known number."""


def truths(node: ast.expr, table: str, scope: Scope, build: Build) -> Optional[np.ndarray]:
    """Whether a condition holds, bool [rows of table]; None: look row by row. `build` makes the function of a part of the expression."""
    return _rows(node, table, scope, build, bool)


def aggregated(called: str, nodes: List[ast.expr], table: str, scope: Scope, build: Build, in_row: Evaluate) -> Optional[object]:
    """Value of an aggregate of `nodes` (a value and perhaps a condition) over the rows of a table; None: look row by row.
    `in_row`: the value in the row at hand."""
    if _never_known(nodes, table, scope):
        return in_row(scope.at(table, 0))
    chosen = truths(nodes[1], table, scope, build) if len(nodes) > 1 else None
    values = _rows(nodes[0], table, scope, build, bool if called in ("any", "all") else None)
    if values is None or (len(nodes) > 1 and chosen is None):
        return None
    values = values if chosen is None else values[chosen]
    if (not len(values) and called in ("all", "most", "least")) or (called in ("sum", "most", "least") and values.dtype == bool):
        return None
    found = _SUMMED[called](values)
    return found if isinstance(found, bool) or np.isfinite(found) else None


def _never_known(nodes: List[ast.expr], table: str, scope: Scope) -> bool:
    """Whether the value rests on one column of the table that is known for no row: then the first row's reason is that of all."""
    if len(nodes) > 1 or (scope.length(table) or 0) < LEAST_ROWS or any(isinstance(each, (ast.BoolOp, ast.IfExp)) for each in ast.walk(nodes[0])):
        return False
    columns = {each.attr for each in ast.walk(nodes[0]) if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == table}
    if len(columns) != 1:
        return False
    found = scope.view.measures.tables[table].columns.get(columns.pop())
    return found is None or found.values.dtype.kind == "f" and bool(np.isnan(found.values).all())


def _rows(node: ast.expr, table: str, scope: Scope, build: Build, kind: Optional[type]) -> Optional[np.ndarray]:
    count = scope.length(table) or 0
    if count < LEAST_ROWS:
        return None
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(_Reader(table, scope, build).read(node))
    except _NoAnswer:
        return None
    if kind is bool and values.dtype != bool:
        return None
    return np.broadcast_to(values, (count,))


def _many(node: ast.AST) -> set:
    """Tables with many rows that are named."""
    named = {each.value.id for each in ast.walk(node) if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name)}
    return named - set(ONE_ROW) - {"limit"}


class _Reader:
    """Reads a tree as columns of one table."""

    def __init__(self, table: str, scope: Scope, build: Build) -> None:
        self.table, self.scope, self.build = table, scope, build

    def read(self, node: ast.expr) -> Values:
        """One value for each row, or one for all of them."""
        if not self._varies(node):
            return self._single(node)
        read = getattr(self, f"_{type(node).__name__.lower()}", None)
        if read is None:
            raise _NoAnswer
        return read(node)

    def _varies(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _OVER_ROWS:
            return self.table in _many(node) and len(_many(node)) > 1
        if isinstance(node, ast.Attribute):
            return isinstance(node.value, ast.Name) and node.value.id == self.table
        return any(map(self._varies, ast.iter_child_nodes(node)))

    def _single(self, node: ast.expr) -> Values:
        value = self.build(node)(self.scope)
        if not isinstance(value, (bool, float)):
            raise _NoAnswer
        return value

    def _attribute(self, node: ast.Attribute) -> np.ndarray:
        found = self.scope.view.measures.tables[self.table].columns.get(node.attr)
        if found is None or found.unit in ("yes/no", "text") or np.asarray(found.values).dtype.kind not in "fiu":
            raise _NoAnswer
        return self._finite(np.asarray(found.values, dtype=np.float64))

    def _binop(self, node: ast.BinOp) -> np.ndarray:
        return self._finite(_CALCULATE[type(node.op)](self._number(node.left), self._number(node.right)))

    def _unaryop(self, node: ast.UnaryOp) -> np.ndarray:
        return np.logical_not(self._truth(node.operand)) if isinstance(node.op, ast.Not) else 0.0 - self._number(node.operand)

    def _compare(self, node: ast.Compare) -> np.ndarray:
        if any(type(sign) not in _COMPARE for sign in node.ops):
            raise _NoAnswer
        parts = [self._number(part) for part in (node.left, *node.comparators)]
        return np.logical_and.reduce(np.broadcast_arrays(*(_COMPARE[type(sign)](*pair) for sign, *pair in zip(node.ops, parts, parts[1:]))))

    def _boolop(self, node: ast.BoolOp) -> Values:
        """What is not known does not matter where the rest decides."""
        decides = isinstance(node.op, ast.Or)
        known, left_out = [], False
        for part in node.values:
            try:
                known.append(self._truth(part))
            except _NoAnswer:
                left_out = True
        joined = (np.logical_or if decides else np.logical_and).reduce(np.broadcast_arrays(*known)) if known else np.asarray(not decides)
        if left_out and not (joined == decides).all():
            raise _NoAnswer
        return joined

    def _call(self, node: ast.Call) -> np.ndarray:
        # An aggregate that depends on the row: what is in it has no value of its own.
        if not isinstance(node.func, ast.Name) or node.func.id not in ("min", "max", "abs"):
            raise _NoAnswer
        parts = [self._number(part) for part in node.args]
        if node.func.id == "abs":
            return np.abs(parts[0])
        return (np.minimum if node.func.id == "min" else np.maximum).reduce(np.broadcast_arrays(*parts))

    def _number(self, node: ast.expr) -> Values:
        value = self.read(node)
        if np.asarray(value).dtype.kind != "f":
            raise _NoAnswer
        return value

    def _truth(self, node: ast.expr) -> Values:
        value = self.read(node)
        if np.asarray(value).dtype != bool:
            raise _NoAnswer
        return value

    @staticmethod
    def _finite(values: np.ndarray) -> np.ndarray:
        if not np.isfinite(values).all():
            raise _NoAnswer
        return values
