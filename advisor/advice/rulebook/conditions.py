"""Conditions that rules share by name: conditions.toml of the rule book and of a site's folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Sequence, Tuple

from advisor.advice.rulebook.mistakes import nearest
from advisor.advice.rulebook.rule_file import Reading
from advisor.advice.rulebook.schema import CONDITION, SECTIONS
from advisor.advice.rulebook.sections import limits
from advisor.base import resource_paths

FILE = "conditions.toml"
_KEYS = {name: key for name, key in SECTIONS["require"].keys.items() if name != CONDITION}
_UNREADABLE: Mapping[str, object] = dict.fromkeys(_KEYS, "")
"""Stands for a condition with a mistake, so that the others keep their places in the file."""


class Shared(NamedTuple):
    """Conditions by name, as their files have them, and the files."""

    conditions: Mapping[str, Mapping[str, object]]
    readings: Tuple[Reading, ...]


def is_conditions(file: Path) -> bool:
    """Whether a file of a rule folder holds conditions, by its name."""
    return file.name == FILE


def own_conditions(files: Sequence[Path]) -> Tuple[Path, ...]:
    """Our file, if it is not among these: rules of a site's folder may name what it has."""
    own = resource_paths.rules() / FILE
    among = own.resolve() in {file.resolve() for file in files}
    return () if among or not own.is_file() else (own,)


def read_conditions(readings: Iterable[Reading]) -> Shared:
    """The conditions of these files. A name that is taken is noted in the later one."""
    known: Dict[str, Mapping[str, object]] = {}
    read: List[Reading] = []
    for reading in readings:
        for name, entry in _checked(reading).items():
            if name in known:
                reading.wrong(f'condition "{name}" is taken; choose another name', name)
            known.setdefault(name, entry)
        read.append(reading)
    return Shared(known, tuple(read))


def _checked(reading: Reading) -> Dict[str, Mapping[str, object]]:
    reading.each = "run"
    found = {}
    for name, entry in reading.document().items():
        if not isinstance(entry, dict):
            reading.wrong(f'expected [{name}] with {" and ".join(_KEYS)}, found "{name}"', key=name)
            continue
        limit = entry.get("limit", {})
        rest = {key: value for key, value in entry.items() if key != "limit"}
        before = len(reading.mistakes)
        checked = reading.entry(rest, _KEYS, name)
        limits(reading, {"limit": limit})
        found[name] = (
            {**checked, "limit": limit} if len(reading.mistakes) == before else _UNREADABLE
        )
    return found


def with_conditions(
    reading: Reading, document: Mapping[str, object], known: Mapping[str, Mapping[str, object]]
) -> Mapping[str, object]:
    """A rule's document with the text of each condition that it names, and with its limits. A
    limit of the rule's own goes before one of the condition."""
    requires: Any = document.get("require")
    limit = document.get("limit", {})
    named = {
        index: _named(reading, each, index, known)
        for index, each in enumerate(requires if isinstance(requires, list) else ())
        if isinstance(each, dict) and CONDITION in each
    }
    if not named:
        return document
    texts = {
        index: {key: each[key] for key in _KEYS if key in each} for index, each in named.items()
    }
    joined: Dict[str, object] = {}
    for each in named.values():
        joined.update(each.get("limit", {}))  # type: ignore[call-overload]
    own = {**joined, **limit} if isinstance(limit, dict) else limit
    return {
        **document,
        "require": [texts.get(index, each) for index, each in enumerate(requires)],
        **({"limit": own} if own else {}),
    }


def _named(
    reading: Reading,
    entry: Mapping[str, object],
    index: int,
    known: Mapping[str, Mapping[str, object]],
) -> Mapping[str, object]:
    name = entry[CONDITION]
    if len(entry) > 1:
        reading.wrong(f"{CONDITION} stands alone, without that and else", "require", index)
    if isinstance(name, str) and name in known:
        return known[name]
    reading.wrong(
        f'there is no condition "{name}"{nearest(str(name), known)}', "require", index, CONDITION
    )
    return _UNREADABLE
