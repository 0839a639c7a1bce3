"""Which format a file gets: the one that is named, else as its name ends."""

from __future__ import annotations

from pathlib import Path
from typing import Mapping, Optional, Sequence

from advisor.model.errors import UserError

_ENDINGS: Mapping[str, str] = {
    ".html": "html",
    ".htm": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".json": "json",
    ".txt": "terminal",
}
_NAMELESS = ("", ".log", ".out")
"""Endings that say nothing of the format."""
_PDF = ".pdf"


def written_format(output: Optional[str], named: Optional[str], formats: Sequence[str]) -> str:
    """One of `formats`; `named`: what --format said. Raises UserError where the name of the file
    promises another one."""
    ending = Path(output).suffix.lower() if output else ""
    if ending == _PDF:
        raise UserError(
            f"{output}: PDF is not among the formats.",
            do="Write HTML, and print it to a PDF file from a browser: -o"
            f" {Path(output or '').with_suffix('.html')}",
        )
    if named:
        return named
    if ending in _NAMELESS:
        return "terminal"
    known = [each for each in _ENDINGS if _ENDINGS[each] in formats]
    if ending not in known:
        other = f", or say --format {'|'.join(formats)}" if len(formats) > 1 else ""
        raise UserError(
            f"{output}: no format is known by the ending {ending}.",
            do=f"End the name with {', '.join(known)}{other}.",
        )
    return _ENDINGS[ending]
