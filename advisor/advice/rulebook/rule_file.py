"""One rule file as checked values: TOML, with every key and value held against the form of rule
files."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from advisor.advice.language.expression import parse, with_causes
from advisor.advice.language.sentence import places
from advisor.advice.rulebook.mistakes import Mistake, line_of, nearest
from advisor.advice.rulebook.parsed_files import MOST_DOTS, Documents, is_dotted, loads
from advisor.advice.rulebook.schema import Key, Section
from advisor.base import trusted_files
from advisor.model.intent import Intent
from advisor.model.record import Record
from advisor.model.units import UnitError, quantity

LARGEST_FILE, LONGEST_TEXT, MOST_ENTRIES, MOST_MISTAKES = 256 * 1024, 20_000, 200, 50
_LONGEST_MISTAKE = 1000
_ADDRESS = re.compile(r"https?://[A-Za-z0-9.-]+(:[0-9]{1,5})?(/[!#-;=?-~]*)?", re.ASCII)
"""No blanks, quotes or angle brackets, and no name of a user in front of the host."""
_MOST_BROKEN = 10
"""Lines that are no TOML: each costs another reading of the file."""
_QUOTES = re.compile(r'=\s*"[^"]*"\s*[^"\s#,}\]]')
_LINE = re.compile(r"\s*([\w-]+)\s*=(?!.*(\"{3}|'{3}|[\[{]\s*$))")
"""A key with its value on the same line: without it the others mean the same."""
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class Reading:
    """A file being read. All mistakes are collected, so that one look shows them all."""

    def __init__(
        self,
        file: Path,
        shown: str,
        intents: Sequence[Intent] = (),
        topics: Mapping[str, Tuple[Record, ...]] = {},
        known: Documents = {},
    ) -> None:
        """`intents`: what remedies may name; empty: those of the rule book. `topics`: the records
        that gains may rest on. `known`: what was parsed before."""
        self.file, self.shown, self.intents, self.topics, self.known = (
            file,
            shown,
            intents,
            topics,
            known,
        )
        self.mistakes: List[Mistake] = []
        self.text = ""
        self.each: Optional[str] = ""
        """The table of the row at hand, for expressions and sentences. None: not known, so that
        they cannot be judged."""
        self.sections: Set[str] = set()
        """Where mistakes are."""
        self.unread: Set[int] = set()
        """Lines with values that could not be read."""
        self.broken: Set[str] = set()
        """Keys of lines that are no TOML."""

    def wrong(self, what: str, section: str = "", index: int = 0, key: str = "") -> None:
        """Note a mistake at a place of the file. Of a file full of them the first are enough."""
        self.sections.add(section)
        if not self.full:
            shown = what if len(what) <= _LONGEST_MISTAKE else f"{what[:_LONGEST_MISTAKE]}…"
            self.mistakes.append(
                Mistake(self.shown, line_of(self.text, section, index, key), shown)
            )

    @property
    def full(self) -> bool:
        """Whether further mistakes would not be noted, and need not be looked for."""
        return len(self.mistakes) >= MOST_MISTAKES

    def document(self) -> Mapping[str, object]:
        """The parsed file; empty, with a mistake noted, if it cannot be parsed."""
        try:
            with trusted_files.plain(self.file, "it", how=os.O_RDONLY) as stream:
                raw = stream.read(LARGEST_FILE + 1)
            if len(raw) > LARGEST_FILE:
                return self._no_document(f"larger than {LARGEST_FILE // 1024} KiB; expected a rule")
            self.text = raw.decode("utf-8")
            if is_dotted(self.text):
                return self._no_document(f"a line with more than {MOST_DOTS} dots; expected a rule")
            return loads(self.text, self.known)
        except OSError as error:
            return self._no_document(f"cannot be read: {error.strerror}")
        except UnicodeDecodeError as error:
            return self._no_document(f"not UTF-8 at byte {error.start}; expected TOML text")
        except (ValueError, OverflowError) as error:
            return self._rest(error)
        except (RecursionError, MemoryError):
            return self._no_document("nested too deeply; expected at most two levels")

    def _no_document(self, what: str, line: int = 0) -> Mapping[str, object]:
        self.mistakes.append(Mistake(self.shown, line, what))
        return {}

    def _rest(self, error: Exception) -> Mapping[str, object]:
        """The file without the lines that are no TOML, so that one look shows the mistakes of the
        others as well; empty if more than a line goes with them."""
        lines = self.text.splitlines()
        while len(self.mistakes) < _MOST_BROKEN:
            place = re.search(r" \(at line (\d+), column (\d+)\)", str(error))
            number = int(place.group(1)) if place else 0
            what = str(error).replace(place.group(), "") if place else error
            quoted = number and _QUOTES.search(lines[number - 1])
            cure = "; in a condition with texts, write single quotes around all" if quoted else ""
            self._no_document(f"not TOML: {what}{cure}", number)
            self.sections.add("not TOML")
            key = _LINE.match(lines[number - 1]) if number else None
            if not key:
                break
            self.broken.add(key.group(1))
            lines[number - 1] = ""
            try:
                return loads("\n".join(lines), {})
            except (ValueError, OverflowError) as next_error:
                error = next_error
        return {}

    def section(
        self, document: Mapping[str, object], name: str, form: Section
    ) -> List[Dict[str, object]]:
        """The checked entries of a section: none, one, or one for each [[name]]."""
        found = document.get(name)
        if found is None:
            if form.required:
                self.wrong(f"[{name}] is missing: {form.meaning}")
            return []
        entries = found if isinstance(found, list) else [found]
        if isinstance(found, list) is not form.many or not all(
            isinstance(each, dict) for each in entries
        ):
            self.wrong(
                f"{name} is written wrongly; expected"
                f" {f'[[{name}]]' if form.many else f'[{name}]'}",
                name,
            )
            return []
        if len(entries) > MOST_ENTRIES:
            self.wrong(
                f"{len(entries)} entries are too many; expected at most {MOST_ENTRIES}", name
            )
            return []
        return [self.entry(each, form.keys, name, index) for index, each in enumerate(entries)]

    def entry(
        self,
        entry: Mapping[str, object],
        keys: Mapping[str, Key],
        section: str = "",
        index: int = 0,
    ) -> Dict[str, Any]:
        """The checked values of one entry; wrong ones are noted and left out."""
        checked = {}
        for name in entry:
            if name not in keys:
                self.wrong(f'unknown key "{name}"{nearest(name, keys)}', section, index, name)
        for name, key in keys.items():
            if name in entry:
                try:
                    checked[name] = self._value(entry[name], key)
                except ValueError as error:
                    self.wrong(f"{name}: {error}", section, index, name)
            elif key.required and name not in self.broken:
                self.wrong(f"{name} is missing: {key.meaning}", section, index)
        return checked

    def _value(self, value: object, key: Key) -> object:
        value = _KINDS[key.kind](self, value)
        if key.choices and value not in key.choices:
            raise ValueError(f'"{value}" is not known{nearest(str(value), key.choices)}')
        return value


def text(reading: Reading, value: object) -> str:
    """A text without control characters: nothing from a rule may move a terminal's cursor."""
    if not isinstance(value, str):
        raise ValueError(f"{_kind(value)} found; expected a text in quotes")
    if len(value) > LONGEST_TEXT:
        raise ValueError(f"{len(value)} characters are too many; expected at most {LONGEST_TEXT}")
    if _CONTROL.search(value):
        raise ValueError("has control characters; expected plain text")
    return value.strip()


def _expression(reading: Reading, value: object) -> str:
    written = text(reading, value)
    if written and reading.each is not None:
        parse(written, reading.each)
    return written


def _ownership(reading: Reading, value: object) -> str:
    written = text(reading, value)
    if reading.each is not None:
        parse(written, with_causes(reading.each))
    return written


def _sentence(reading: Reading, value: object) -> str:
    written = text(reading, value)
    if reading.each is not None:
        places(written, reading.each)
    return written


def _address(reading: Reading, value: object) -> str:
    """A link of this form alone does nothing but lead to a page."""
    written = text(reading, value)
    if not _ADDRESS.fullmatch(written):
        raise ValueError('expected the address of a page: "https://hpc.example.org/page"')
    return written


def _list(one: Callable) -> Callable:
    def read(reading: Reading, value: object) -> Tuple[str, ...]:
        if not isinstance(value, list):
            raise ValueError(f'{_kind(value)} found; expected a list: ["…"]')
        if len(value) > MOST_ENTRIES:
            raise ValueError(f"{len(value)} entries are too many; expected at most {MOST_ENTRIES}")
        return tuple(one(reading, each) for each in value)

    return read


def _names(reading: Reading, value: object) -> Mapping[str, str]:
    if not isinstance(value, dict):
        raise ValueError(f'{_kind(value)} found; expected names and texts: {{ ring = "4" }}')
    return {name: text(reading, each) for name, each in value.items()}


def number(reading: Reading, value: object) -> float:
    """A finite number of ordinary size."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError(f"{_kind(value)} found; expected a number")
    if isinstance(value, float) and not math.isfinite(value) or abs(value) > 1e300:
        raise ValueError("beyond all bounds; expected a finite number")
    return value


def _quantity(reading: Reading, value: object) -> Tuple[float, str]:
    if isinstance(value, str):
        try:
            return number(reading, quantity(value)), value.strip()
        except UnitError as error:
            raise ValueError(str(error)) from None
    return number(reading, value), str(value)


def _whole(reading: Reading, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > 1000:
        raise ValueError(f"{_kind(value)} found; expected a small whole number")
    return value


def _factor(reading: Reading, value: object) -> float:
    if number(reading, value) <= 0:
        raise ValueError("expected a number above 0")
    return value  # type: ignore[return-value]


def _yes_no(reading: Reading, value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{_kind(value)} found; expected true or false")
    return value


def _interval(reading: Reading, value: object) -> Tuple[float, ...]:
    if not isinstance(value, list) or len(value) not in (0, 2):
        raise ValueError("expected [low, high], or [] for no number")
    return tuple(float(number(reading, each)) for each in value)


def _given(reading: Reading, value: object) -> Mapping[str, List[Mapping[str, object]]]:
    if not isinstance(value, dict):
        raise ValueError("expected given.TABLE = { column = value } or a list of such rows")
    tables = {name: rows if isinstance(rows, list) else [rows] for name, rows in value.items()}
    for name, rows in tables.items():
        for row in rows:
            if not isinstance(row, dict) or not all(
                isinstance(cell, (str, bool, int, float)) for cell in row.values()
            ):
                raise ValueError(f"given.{name}: expected rows such as {{ column = 1 }}")
            for cell in row.values():
                if not isinstance(cell, (str, bool)):
                    number(reading, cell)
    return tables


def _kind(value: object) -> str:
    kinds = (
        (bool, "true or false"),
        (int, "a number"),
        (float, "a number"),
        (str, "a text"),
        (list, "a list"),
        (dict, "a table"),
    )
    return next((word for kind, word in kinds if isinstance(value, kind)), "a date")


_KINDS = {
    "text": text,
    "sentence": _sentence,
    "expression": _expression,
    "ownership": _ownership,
    "texts": _list(text),
    "names": _names,
    "sentences": _list(_sentence),
    "expressions": _list(_expression),
    "number": number,
    "quantity": _quantity,
    "factor": _factor,
    "address": _address,
    "whole": _whole,
    "yes/no": _yes_no,
    "interval": _interval,
    "given": _given,
}
