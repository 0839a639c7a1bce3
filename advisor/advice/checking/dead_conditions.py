"""Conditions that can never hold: comparisons with a word that no probe, importer or collector
gives to that measure. Three-valued logic makes them silent, so nobody would miss the rule."""

from __future__ import annotations

import ast
from typing import FrozenSet, Iterator, List, Mapping, Tuple

from advisor.advice.language.expression import STANDS_FOR_CLASS, Expression, parse
from advisor.advice.rulebook.load import expressions_of, written
from advisor.advice.rulebook.mistakes import nearest
from advisor.model.intent import Intent
from advisor.model.rule import Rule

Place = Tuple[str, int, str]
Produced = Mapping[str, FrozenSet[str]]


def never_true(rule: Rule, produced: Produced) -> Iterator[Tuple[str, Place]]:
    """(what is wrong, where) of all conditions and needs of a rule."""
    for section, index, key, text, form in written(rule):
        for expression in expressions_of(text, rule.look.each, form):
            for what in _dead(expression, produced):
                yield f"{key}: {what}", (section, index, key)


def never_true_words(intent: Intent, produced: Produced) -> Iterator[Tuple[str, Place]]:
    """The same of the needs of an intent's words."""
    for index, words in enumerate(intent.words):
        for need in words.needs:
            for what in _dead(parse(need, "run"), produced):
                yield f"needs: {what}", ("words", index, "needs")


def compared_words(rule: Rule) -> Iterator[Tuple[str, str]]:
    """(measure, word) of all comparisons for equality in a rule."""
    for *_, text, form in written(rule):
        for expression in expressions_of(text, rule.look.each, form):
            yield from compared_in(expression)


def compared_in(expression: Expression) -> Iterator[Tuple[str, str]]:
    """The same of one expression."""
    for node in ast.walk(expression.tree):
        if isinstance(node, ast.Compare):
            yield from _compared(node)


def _dead(expression: Expression, produced: Produced) -> Iterator[str]:
    for name, word in compared_in(expression):
        if name in produced and word not in produced[name]:
            yield f'{name} is never "{word}"{nearest(word, produced[name])}'


def _compared(node: ast.Compare) -> List[Tuple[str, str]]:
    """(measure, word) pairs of a comparison for equality; a word inside of a text is none."""
    sides = [node.left, *node.comparators]
    found = []
    for sign, left, right in zip(node.ops, sides, sides[1:]):
        if isinstance(sign, (ast.In, ast.NotIn)) and isinstance(left, ast.Constant):
            continue
        for measure, words in ((left, right), (right, left)):
            found += [(name, word) for name in _names(measure) for word in _words(words)]
    return found


def _names(node: ast.expr) -> List[str]:
    if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
        return []
    column = "class" if node.attr == STANDS_FOR_CLASS else node.attr
    return [f"{node.value.id}.{column}"]


def _words(node: ast.expr) -> List[str]:
    if isinstance(node, (ast.Tuple, ast.List)):
        return [word for each in node.elts for word in _words(each)]
    is_word = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return [node.value] if is_word else []  # type: ignore[attr-defined]
