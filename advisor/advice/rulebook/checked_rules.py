"""Rules that were read and checked, kept for the next report: reading a rule book takes longer than
judging by it.

They rest on the rule files, their folders and our own code that read them. What has a mistake, or
amends a rule, is read anew each time.
"""

from __future__ import annotations

import json
import os
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple

from advisor.advice.rulebook.load import RuleBook, read_rules, shown
from advisor.advice.rulebook.mistakes import Mistake
from advisor.base import answer_cache, resource_paths
from advisor.model.intent import Intent, Words
from advisor.model.record import Record
from advisor.model.rule import Caveat, Evidence, Gain, Limit, Look, Remedy, Require, Rule

_KINDS = {
    kind.__name__: kind
    for kind in (Rule, Look, Limit, Require, Evidence, Gain, Remedy, Caveat, Record, Intent, Words)
}
_KIND = ""
"""The key under which an object's kind is written."""
_FILES = (Rule, Record)
"""Their `file` is shown as it is seen from the working directory, which is another one in the next
job."""


class CheckedRules(NamedTuple):
    """What judging needs of a rule book: rules, which may lack their cases, the mistakes of those
    that could not be read, what remedies may name."""

    rules: Tuple[Rule, ...]
    mistakes: Tuple[Mistake, ...]
    intents: Tuple[Intent, ...]


def checked_rules(
    folders: Iterable[os.PathLike], refused: Callable[[RuleBook], Sequence[Mistake]] = lambda _: ()
) -> CheckedRules:
    """The rules of these folders, as read_rules() has them. `refused`: mistakes of rules that could
    be read: what has any is left out, and rules are as they were before it."""
    chosen, read = list(folders), []  # type: Tuple[List[os.PathLike], List[RuleBook]]
    places_of_them = [os.path.abspath(folder) for folder in chosen]

    def ask() -> Optional[str]:
        book = read_rules(chosen)
        read.append(_without(book, refused(book)))
        return _written(read[0])

    text = answer_cache.answer(
        ["rules, checked", *places_of_them], lambda _: _rests_on(places_of_them), ask
    )
    return (
        CheckedRules(read[0].rules, read[0].mistakes, read[0].intents)
        if read
        else _read(text or "")
    )


def _without(book: RuleBook, mistakes: Sequence[Mistake]) -> RuleBook:
    if not mistakes:
        return book
    files = {each.file for each in mistakes}
    rules = (
        book.before.get(rule.id) if files & {rule.file, *changed_by(rule)} else rule
        for rule in book.rules
    )
    return book._replace(
        rules=tuple(filter(None, rules)),
        mistakes=tuple(sorted({*book.mistakes, *mistakes})),
    )


def changed_by(rule: Rule) -> Iterable[str]:
    """The files that amended its limits."""
    return filter(None, (limit.changed_by for limit in rule.limits.values()))


def _rests_on(folders: Sequence[str]) -> List[str]:
    """The folders, since files may be added, the files, and the code that reads them."""
    advisor = Path(__file__).parents[2]
    searched: List[Tuple[Path, Tuple[str, ...]]] = [
        (folder, ("*/", "*.toml", "*/*.toml"))
        for folder in (*map(Path, folders), resource_paths.rules())
    ]
    searched += [
        (advisor / room, ("*.py", "*/*.py")) for room in ("advice", "analysis", "base", "model")
    ]
    return [
        str(file)
        for folder, patterns in searched
        for file in (folder, *chain(*map(folder.glob, patterns)))
    ]


def _written(book: RuleBook) -> Optional[str]:
    if book.mistakes or book.before:
        return None
    try:
        return json.dumps([_plain(book.rules), _plain(book.intents)])
    except (TypeError, ValueError):
        return None


def _plain(value: object) -> object:
    """An object as what differs from its defaults, under the name of its kind. Cases are left out:
    nothing is judged by them."""
    if is_dataclass(value):
        differing = {
            each.name: getattr(value, each.name)
            for each in fields(value)
            if each.name != "cases" and _differs(value, each)
        }
        if isinstance(value, _FILES):
            differing["file"] = os.path.abspath(value.file)
        return {
            _KIND: type(value).__name__,
            **{name: _plain(one) for name, one in differing.items()},
        }
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, dict):
        if _KIND in value:
            raise ValueError("a key that is taken")
        return {name: _plain(each) for name, each in value.items()}
    return value


def _differs(value: object, field) -> bool:
    return field.default is MISSING or getattr(value, field.name) != field.default


def _read(text: str) -> CheckedRules:
    seen = lru_cache(maxsize=None)(lambda file: shown(Path(file)))

    def made(entry: Dict[str, Any]) -> object:
        kind = _KINDS.get(entry.pop(_KIND, ""))
        if kind is None:
            return entry
        if kind in _FILES:
            entry["file"] = seen(entry["file"])
        given: Dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value
            for name, value in entry.items()
        }
        return kind(**given)

    rules, intents = json.loads(text, object_hook=made)
    return CheckedRules(tuple(rules), (), tuple(intents))
