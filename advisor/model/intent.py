"""Intents: what one may want of an MPI library, and each library's words for it. Files of
rules/intents, one an intent."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Dict, Iterable, Mapping, Tuple

from advisor.model.library import MADE_FROM, parse_selector, selects

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FOLDER = "intents"
KINDS = ("set", "launch", "none")
VALUE = "{value}"
_TEXTS = (
    "for",
    "set",
    "launch",
    "none",
    "size",
    "check",
    "undo",
    "request",
    "source",
    "read",
    "risk",
)
_VARIABLE = re.compile(r"(?:^|\s)([A-Za-z_]\w*)=(\S*)")


class IntentMistake(ValueError):
    """An intent file that cannot be read; the message names the file."""


@dataclass(frozen=True)
class Words:
    """What one library, in a range of versions, calls it. `kind`: set (variables), launch (options)
    or none (no equivalent).

    `text` holds {value} where a number or word is to be filled in; with `values`, only its keys may
    be, each for what it stands for. `size`: what a number means here, where libraries differ.
    `read`: control variables that show it, NAME=VALUE as the library prints them, where that is not
    what was set.
    """

    applies: str
    kind: str
    text: str
    source: str
    size: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    needs: Tuple[str, ...] = ()
    check: str = ""
    undo: str = ""
    request: str = ""
    read: str = ""
    risk: str = ""
    """results, start or slower, as of a remedy."""
    also: Tuple[str, ...] = ()
    """Further names that mean the same, or meant it in this range, and are not to be advised."""

    def filled(self, value: str) -> str:
        """The text with a value in it. KeyError if `values` does not have it."""
        return self.text.replace(VALUE, self.values[value] if self.values else value)

    def variables(self) -> Dict[str, str]:
        """Names of variables in the text, with what is given to them."""
        return dict(_VARIABLE.findall(self.text)) if self.kind != "none" else {}

    def covers(self, name: str, version: str) -> bool:
        """Whether these are words of this library. What a launcher or scheduler has to do with it
        is not asked."""
        parts = [part.strip() for part in self.applies.split(" and ")]
        return all(selects(part, name, version) for part in parts if _is_library(part))


@dataclass(frozen=True)
class Intent:
    """`means`: what one wants, as an imperative. `example`: a value that the text may be filled
    with; empty if it takes none."""

    id: str
    means: str
    words: Tuple[Words, ...]
    size: str = ""
    example: str = ""
    note: str = ""

    def of(self, name: str, version: str) -> Tuple[Words, ...]:
        """The words of this library; where it has none of its own, those of the library that it is
        made from."""
        own = tuple(each for each in self.words if each.covers(name, version))
        return own or (self.of(MADE_FROM[name], version) if name in MADE_FROM else ())

    def everywhere(self) -> Tuple[Words, ...]:
        """All words, and again under the names of libraries that are made from others and have none
        of their own."""
        more = []
        for name, base in MADE_FROM.items():
            if not any(_library(each.applies) == name for each in self.words):
                more += [
                    replace(each, applies=each.applies.replace(base, name, 1))
                    for each in self.words
                    if _library(each.applies) == base
                ]
        return (*self.words, *more)


def read_intents(folder: Path) -> Tuple[Intent, ...]:
    """All intents of a folder, by name. IntentMistake if a file cannot be read."""
    return tuple(_intent(file) for file in sorted(Path(folder).glob("*.toml")))


def intent_of(document: Mapping) -> Intent:
    """The intent of a file's content. IntentMistake if it is none."""
    try:
        rest = {key: value for key, value in document.items() if key not in ("words", "intent")}
        return Intent(
            id=document["intent"], words=tuple(_words(entry) for entry in document["words"]), **rest
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise IntentMistake(f"{type(error).__name__}: {error}") from None


def meanings(intents: Iterable[Intent]) -> Dict[str, Tuple[Intent, Words]]:
    """Variable → the first intent that it serves under some library, with the words it stands
    in."""
    found: Dict[str, Tuple[Intent, Words]] = {}
    for intent in intents:
        for words in intent.words:
            for variable in (*words.variables(), *words.also):
                found.setdefault(variable, (intent, words))
    return found


def translated(words: Words, variable: str, value: str, to: Words) -> str:
    """Other words for variable=value: its number or algorithm is carried over where these take
    one."""
    template = words.variables().get(variable, "")
    if VALUE not in to.text:
        return to.text
    if template != VALUE:
        return ""
    meant = (
        next((name for name, written in words.values.items() if written == value), None)
        if words.values
        else value
    )
    return to.filled(meant) if meant is not None and (not to.values or meant in to.values) else ""


def _library(applies: str) -> str:
    return applies.partition(" ")[0]


def _is_library(part: str) -> bool:
    return not part.startswith(("launcher ", "app ")) and part not in (
        "srun",
        "slurm",
        "pbs",
        "mpirun_rsh",
    )


def _intent(file: Path) -> Intent:
    try:
        with file.open("rb") as stream:
            return intent_of(tomllib.load(stream))
    except IntentMistake as error:
        raise IntentMistake(f"{file}: {error}") from None
    except (OSError, ValueError) as error:
        raise IntentMistake(f"{file}: {type(error).__name__}: {error}") from None


def _words(entry: Dict) -> Words:
    kinds = [kind for kind in KINDS if kind in entry]
    if len(kinds) != 1:
        raise ValueError(f"words for {entry.get('for')}: exactly one of {', '.join(KINDS)}")
    if not all(isinstance(entry[key], str) for key in _TEXTS if key in entry):
        raise ValueError(f"words for {entry.get('for')}: expected texts in quotes")
    for part in entry["for"].split(" and "):
        if _is_library(part.strip()):
            parse_selector(part.strip())
    rest: Dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in entry.items()
        if key not in (*KINDS, "for")
    }
    return Words(entry["for"], kinds[0], entry[kinds[0]], **rest)
