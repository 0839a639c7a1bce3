"""Which values of which settings the book's conditions wait for."""

from __future__ import annotations

import ast
from typing import FrozenSet, Iterator, NamedTuple, Tuple

from advisor.advice.rulebook.load import expressions_of, written
from advisor.model.rule import Rule


class Asked(NamedTuple):
    """`names`: settings that the row at hand may be; `part`: the word only has to be inside the
    value."""

    rule: str
    names: FrozenSet[str]
    word: str
    part: bool


def asked(rule: Rule) -> Iterator[Asked]:
    """All comparisons of setting.value with a word, with the names beside them: in the same `and`,
    or, where the rule looks at settings, in its `where`."""
    own: FrozenSet[str] = frozenset()
    for _, _, key, text, form in written(rule):
        for expression in expressions_of(text, rule.look.each, form):
            if rule.look.each == "setting" and key == "where":
                own = _names(expression.tree)
            for names, word, part in _walk(expression.tree, own):
                yield Asked(rule.id, names, word, part)


def _walk(node: ast.AST, names: FrozenSet[str]) -> Iterator[Tuple[FrozenSet[str], str, bool]]:
    if isinstance(node, ast.Call):
        names = frozenset()
    if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
        beside = [_names(each) for each in node.values if isinstance(each, ast.Compare)]
        names = next((each for each in beside if each), names)
    if isinstance(node, ast.Compare):
        yield from ((names, *found) for found in _words(node))
    for child in ast.iter_child_nodes(node):
        yield from _walk(child, names)


def _names(node: ast.AST) -> FrozenSet[str]:
    """Names, or parts of them, that a condition asks setting.name for."""
    return frozenset(
        word
        for each in ast.walk(node)
        if isinstance(each, ast.Compare)
        for word in _beside(each, "name")
    )


def _words(node: ast.Compare) -> Iterator[Tuple[str, bool]]:
    part = isinstance(node.ops[0], (ast.In, ast.NotIn)) and isinstance(node.left, ast.Constant)
    yield from ((word, part) for word in _beside(node, "value"))


def _beside(node: ast.Compare, column: str) -> Iterator[str]:
    sides = [node.left, *node.comparators]
    if any(isinstance(each, ast.Attribute) and each.attr == column for each in sides):
        for side in sides:
            for each in ast.walk(side):
                if isinstance(each, ast.Constant) and isinstance(each.value, str):
                    yield each.value
