"""A table of the report, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Sequence, Tuple


@dataclass(frozen=True)
class Section:
    """A heading, what to know before reading, and a table. `numeric`: the first column that is a
    number."""

    title: str
    note: str
    columns: Tuple[str, ...]
    rows: Sequence[Tuple[str, ...]]
    numeric: int = 1
    empty: str = ""
    """What is said where there are no rows; nothing: the section is left out."""
