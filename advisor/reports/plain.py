"""Text from a run, a host name or a program is not to be trusted: what is not printable does not
enter a report."""

from __future__ import annotations

import dataclasses
import re
import unicodedata
from collections.abc import Mapping
from typing import Callable, TypeVar

from advisor.model.measures import Measures
from advisor.model.message import Message

Anything = TypeVar("Anything")
_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
_ORDINARY = re.compile("[\n -~\u00a0\u202f≥≤×µ·…\u2212“”]*")
"""What nearly all texts are made of: it is told at once."""
_KEPT = "\n\u202f\u00a0"
_HIDDEN = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")
"""Control, format (bidirectional overrides, zero width), surrogates, private use, line and
paragraph separators."""


def plain(text: str) -> str:
    """The text without escape sequences, control characters and invisible marks; tabs become
    spaces, thin spaces do not break."""
    if _ORDINARY.fullmatch(text):
        return text
    if isinstance(text, Message):
        return text.mapped(plain)
    text = (
        _ESCAPES.sub("", text).replace("\t", " ").replace("\r\n", "\n").replace("\u2009", "\u202f")
    )
    return "".join(_printable(character) for character in text)


def _printable(character: str) -> str:
    if character in _KEPT:
        return character
    return "" if unicodedata.category(character) in _HIDDEN else character


def plain_all(value: Anything) -> Anything:
    """The same value with all texts in it made plain."""
    return all_texts(value, plain)


def all_texts(value: Anything, change: Callable[[str], str]) -> Anything:
    """The same value with a change to all texts in it. Measures are left as they are: no renderer
    prints them as text."""
    if isinstance(value, str):
        return change(value)  # type: ignore[return-value]
    if isinstance(value, (tuple, list)):
        return type(value)(all_texts(part, change) for part in value)
    if isinstance(value, Mapping):
        return {all_texts(key, change): all_texts(part, change) for key, part in value.items()}  # type: ignore[return-value]
    if dataclasses.is_dataclass(value) and not isinstance(value, (type, Measures)):
        parts = {
            field.name: all_texts(getattr(value, field.name), change)
            for field in dataclasses.fields(value)
        }
        return type(value)(**parts)
    return value
