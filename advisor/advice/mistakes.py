"""Mistakes in rule files: which file, which line, what was expected."""

from __future__ import annotations

import difflib
import re
from typing import Iterable, NamedTuple, Sequence

from advisor.model.errors import UserError

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]\]?\s*(#.*)?")
_MOST_SHOWN = 20


class Mistake(NamedTuple):
    """One mistake. `line`: from 1; 0 if it is not at one line."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}" if self.line else f"{self.file}: {self.what}"


def error(mistakes: Sequence[Mistake]) -> UserError:
    """The mistakes as one error for people."""
    shown = [str(each) for each in mistakes[:_MOST_SHOWN]]
    more = [f"and {len(mistakes) - _MOST_SHOWN} more"] if len(mistakes) > _MOST_SHOWN else []
    count = "a mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
    return UserError(
        f"The rules have {count}:\n" + "\n".join(f"  {line}" for line in shown + more),
        "",
        "Correct the file, or leave its folder out. `advisor rules check FOLDER` shows all mistakes.",
    )


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean "launch"?` or, if nothing is near, `; expected one of …`."""
    known = sorted(known)
    near = difflib.get_close_matches(word, known, 1, 0.6)
    if near:
        return f'; did you mean "{near[0]}"?'
    return f"; expected one of {', '.join(known[:40])}" if known else ""


def line_of(text: str, section: str = "", index: int = 0, key: str = "") -> int:
    """The line of a key in the n-th [section] or [[section]] of a TOML text; 0 if it cannot be found.

    The standard library's reader keeps no positions; the form of rule files is flat enough to look for them.
    """
    current, count, header = "", {}, 0
    quoted = False
    for number, line in enumerate(text.splitlines(), 1):
        was_quoted, quoted = quoted, quoted ^ (line.count('"""') + line.count("'''")) % 2
        match = None if was_quoted else _HEADER.fullmatch(line)
        if match:
            current = match.group(2)
            count[current] = count.get(current, -1) + 1
        here = current == section and count.get(section, 0) == index
        if here and match:
            header = number
        if here and key and not was_quoted and re.match(rf"\s*\"?{re.escape(key)}\"?\s*[.=]", line):
            return number
    return header or (line_of(text, "", 0, section) if section else 0)


