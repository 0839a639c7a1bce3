"""Reads tables.txt: what the tables of a profile hold."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Tuple

NUMBERS = {
    "i2": "int16_t",
    "i4": "int32_t",
    "u1": "uint8_t",
    "u4": "uint32_t",
    "u8": "uint64_t",
    "f8": "double",
}
TEXTS = {
    "text": "uint64_t",
    "operation": "uint16_t",
    "operation?": "uint16_t",
    "class": "uint8_t",
    "window_kind": "uint8_t",
}
"""Types of columns, and what they are in C. A text is its hash, or its number in a list."""
UNITS = ("", "s", "s2", "B", "count")
COMBINING = ("key", "sum", "min", "max", "first")
WRITERS = ("both", "collector", "trace", "later", "aggregated", "merge")


@dataclass
class Column:
    """One column. `own`: the collector combines it by a function of its own. `member`: where the
    record of a killed rank has it, None: nowhere."""

    name: str
    type: str
    unit: str
    combine: str
    own: bool
    meaning: str
    needed: bool = False
    not_negative: bool = False
    writer: str = "both"
    member: Optional[str] = None
    add: int = 0

    @property
    def stored(self) -> str:
        """Type of a value in a file: a number's, or "text"."""
        return self.type if self.type in NUMBERS else "text"

    def is_in(self, program: str) -> bool:
        """Whether the rows of the collector, or of the reader of traces, have it."""
        return self.writer in (
            ("both", "trace")
            if program == "trace"
            else ("both", "collector", "aggregated", "merge")
        )


@dataclass
class Table:
    """One table. `record`: place and used member of its rows in the record of a killed rank."""

    name: str
    always: bool
    unique: bool
    columns: List[Column] = field(default_factory=list)
    record: Tuple[str, ...] = ()

    @property
    def is_in_profiles(self) -> bool:
        return any(column.writer != "merge" for column in self.columns)

    @property
    def is_scalar(self) -> bool:
        """Whether a rank has one row of it, whose columns are scalars of its record."""
        return not self.record and any(column.member for column in self.columns)

    def of(self, program: str) -> List[Column]:
        return [column for column in self.columns if column.is_in(program)]


@dataclass
class Description:
    """All tables, and of each program the parts of its packed key with their bits."""

    tables: List[Table]
    keys: Dict[str, List[Tuple[str, int]]]


def read(path: Path) -> Description:
    """Raises ValueError with the line that is not understood."""
    found = Description([], {})
    for line in _lines(path):
        try:
            _take(line, found)
        except (ValueError, IndexError) as error:
            raise ValueError(f"{path.name}: {line!r}: {error}") from None
    return found


def _lines(path: Path) -> List[str]:
    """Lines without comments; those that are set in belong to the one before."""
    found: List[str] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(" ") and found:
            found[-1] = f"{found[-1]} {line.strip()}"
        elif line.strip() and not line.startswith("#"):
            found.append(line.strip())
    return found


def _take(line: str, found: Description) -> None:
    first, *words = line.split()
    if first == "key":
        found.keys[words[0]] = [
            (name, int(bits)) for name, _, bits in (word.partition(":") for word in words[1:])
        ]
    elif first == "table":
        found.tables.append(Table(words[0], "always" in words, "unique" in words))
    elif first == "record":
        found.tables[-1].record = tuple(words)
    else:
        found.tables[-1].columns.append(_column(line))


def _column(line: str) -> Column:
    head, _, meaning = line.partition("|")
    name, kind, unit, combine, *words = head.split()
    column = Column(
        name, kind, unit.strip("-"), combine.rstrip("*"), combine.endswith("*"), meaning.strip()
    )
    for word in words:
        _add_word(column, word)
    if (
        column.type not in {**NUMBERS, **TEXTS}
        or column.unit not in UNITS
        or column.combine not in COMBINING
        or not column.meaning
    ):
        raise ValueError("no such type, unit or way to combine, or no meaning")
    return column


def _add_word(column: Column, word: str) -> None:
    name, _, value = word.partition("=")
    if word in WRITERS:
        column.writer = word
    elif word == "needed":
        column.needed = True
    elif word == ">=0":
        column.not_negative = True
    elif name == "record":
        column.member = value or column.name
    elif name == "add" and re.fullmatch(r"-?\d+", value):
        column.add = int(value)
    else:
        raise ValueError(f"no such word: {word}")
