"""Conditions on variables that no profile holds: `not any(setting.name == "X")` would then hold of
every job."""

from __future__ import annotations

from typing import Iterator, Tuple

from advisor.advice.checking.dead_conditions import compared_in
from advisor.advice.rulebook.load import expressions_of, written
from advisor.base.recorded_settings import is_recorded, prefixes
from advisor.model.rule import Rule

_NAME = "setting.name"
Place = Tuple[str, int, str]


def unrecorded(rule: Rule) -> Iterator[Tuple[str, Place]]:
    """(what is wrong, where)."""
    for section, index, key, text, form in written(rule):
        for expression in expressions_of(text, rule.look.each, form):
            for measure, word in compared_in(expression):
                if measure == _NAME and not is_recorded(word):
                    yield f"{key}: {not_recorded(word)}", (section, index, key)


def not_recorded(name: str) -> str:
    """What is wrong with a condition on it."""
    return (
        f"advisor does not record {name}, so nobody can tell whether a job sets it; recorded are"
        f" names that begin with {', '.join(prefixes())}, and single ones of schedulers and GPUs"
    )
