"""Text for readers that know no letters but those of ASCII: terminals and logs in the C locale."""

from __future__ import annotations

import codecs
from typing import Tuple

_NEAR = {
    "█": "#",
    "▒": "=",
    "━": "=",
    "·": ".",
    "┃": "|",
    "✓": "+",
    "✕": "x",
    "≥": ">=",
    "≤": "<=",
    "░": ".",
    "▚": "%",
    "×": "x",
    "µ": "u",
    "\u2212": "-",
    "…": "...",
    "•": "-",
    "→": "->",
    "\u00a0": " ",
    "\u202f": " ",
}
ENCODING_ERRORS = "advisor-ascii"


def in_ascii(text: str) -> str:
    """The text in letters of ASCII that look alike or say the same, else question marks."""
    return text if text.isascii() else "".join(map(_letter, text))


def _letter(character: str) -> str:
    return character if character.isascii() else _NEAR.get(character, "?")


def register() -> None:
    """From now on a stream with these `errors` writes what its encoding lacks as in_ascii does: a
    number must not lose its sign."""
    codecs.register_error(ENCODING_ERRORS, _lacking)


def _lacking(error: UnicodeError) -> Tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return in_ascii(error.object[error.start : error.end]), error.end
