"""Text for other programs that carries no commands: for a terminal that prints it, for a
spreadsheet that opens it."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from typing import Any, Iterable, Optional, Sequence

_NOT_ASCII = re.compile(r"[^ -~]")
_NOT_ASCII_IN_JSON = re.compile(r"[^\n -~]")
_FORMULA = re.compile(r"[=+@\t\r\n＝＋－＠]|-(?!\d+(\.\d*)?(e[+-]?\d+)?$)", re.IGNORECASE)
"""How a cell begins that a spreadsheet takes for a formula
(https://owasp.org/www-community/attacks/CSV_Injection). A negative number is none."""


def visible(text: str) -> str:
    """The text in one line, with what a terminal would obey, and what turns or hides text, as
    escapes of JSON: \\u001b."""
    return text if text.isascii() and text.isprintable() else _NOT_ASCII.sub(_escape, text)


def json_text(value: Any, indent: Optional[int] = None) -> str:
    """JSON with readable letters of all scripts; what `visible` escapes is escaped, in keys as
    well. Reads back as `value`."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(
        value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    return _NOT_ASCII_IN_JSON.sub(_escape, text)


def csv_text(rows: Iterable[Sequence[Any]], line_end: str = "\r\n") -> str:
    """CSV of RFC 4180: empty where None, numbers in full, texts visible and none of them a
    formula."""
    file = io.StringIO()
    csv.writer(file, lineterminator=line_end).writerows(
        [_cell(value) for value in row] for row in rows
    )
    return file.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return value
    # A quote in front makes it text, as OWASP advises.
    return ("'" if _FORMULA.match(value) else "") + visible(value)


def _escape(found: "re.Match[str]") -> str:
    """Controls, directions, surrogates, private use, what is no character (C…), separators of lines
    and paragraphs (Zl, Zp)."""
    character = found.group()
    hidden = unicodedata.category(character)[0] == "C" or character in "\u2028\u2029"
    return json.dumps(character)[1:-1] if hidden else character
