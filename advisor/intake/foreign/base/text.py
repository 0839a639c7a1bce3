"""Text of files that may hold anything."""

from __future__ import annotations

from datetime import datetime
from typing import List

LARGEST = 256 << 20
"""Bytes of another tool's file that are read at most: of arrays of numbers."""
LARGEST_TEXT = 64 << 20
"""Bytes of text or XML: some 700 000 rows of mpiP, which take about a minute and 2 GB."""


def lines(data: bytes) -> List[str]:
    """The lines of a file, without their ends; what is not UTF-8 becomes a mark."""
    return data.decode("utf-8", "replace").splitlines()


def moment(text: str, *forms: str) -> str:
    """A date in one of these forms as ISO 8601, or empty. Other tools write no offset from UTC."""
    for form in forms:
        try:
            return datetime.strptime(" ".join(text.split()), form).isoformat()
        except ValueError:
            continue
    return ""


def words_of(command: str) -> List[str]:
    """A command line as words; quotes are gone already when tools print it."""
    return command.split() or [""]
