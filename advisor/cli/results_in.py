"""The results in a folder: of `advisor list`, and of those who name a folder where a result is
wanted."""

from __future__ import annotations

from pathlib import Path
from typing import Iterator, List

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


def others_in(folder: Path) -> List[Path]:
    """What lies there besides, by name; other folders and hidden files are not meant."""
    listed = set(results_in(folder))
    return [
        entry
        for entry in sorted(folder.iterdir())
        if entry not in listed and not entry.is_dir() and not entry.name.startswith(".")
    ]
