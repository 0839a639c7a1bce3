"""The results in a folder: of `advisor list`, and of those who name a folder where a result is
wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator

from advisor import intake

_PAGES = (".html", ".htm")
RESULT = "profile"
"""The file that makes a folder a result."""


def is_result(folder: Path) -> bool:
    """Whether a folder is one result."""
    return (folder / RESULT).is_file()


def results_in(folder: Path) -> Iterator[Path]:
    """Result folders, tickets and profile files, by name."""
    for entry in sorted(folder.iterdir()):
        if entry.is_dir():
            if is_result(entry):
                yield entry
        elif entry.is_file() and (entry.suffix.lower() in _PAGES or intake.is_profile(entry)):
            yield entry
