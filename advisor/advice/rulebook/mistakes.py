"""Mistakes in rule files: which file, which line, what was expected."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache
from typing import Dict, Iterable, List, Mapping, NamedTuple, Sequence, Tuple

from advisor.model.errors import UserError
from advisor.model.harmless import visible

_HEADER = re.compile(r"\s*(\[\[?)\s*([\w.-]+)\s*\]\]?\s*(#.*)?")
_KEY = re.compile(r"\s*(?:\"([^\"]*)\"|([\w-]+(?:\.[\w-]+)*))\"?\s*[.=]")
_MOST_SHOWN = 20


class Mistake(NamedTuple):
    """One mistake. `line`: from 1; 0 if it is not at one line."""

    file: str
    line: int
    what: str

    def __str__(self) -> str:
        """With nothing from the file that could command a terminal."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return visible(f"{place}: {self.what}")


def error(mistakes: Sequence[Mistake]) -> UserError:
    """The mistakes as one error for people."""
    shown = [str(each) for each in mistakes[:_MOST_SHOWN]]
    more = [f"and {len(mistakes) - _MOST_SHOWN} more"] if len(mistakes) > _MOST_SHOWN else []
    count = "a mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
    return UserError(
        f"The rules have {count}:\n" + "\n".join(f"  {line}" for line in shown + more),
        "",
        "Correct the file, or leave its folder out. `advisor rules check FOLDER` shows all"
        " mistakes.",
    )


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean "launch"?` or, if nothing is near, `; expected one of …`."""
    known = sorted(known)
    near = difflib.get_close_matches(word, known, 1, 0.6)
    if near:
        return f'; did you mean "{near[0]}"?'
    return f"; expected one of {', '.join(known[:40])}" if known else ""


def line_of(text: str, section: str = "", index: int = 0, key: str = "") -> int:
    """The line of a key in the n-th [section] or [[section]] of a TOML text; 0 if it cannot be
    found.

    The standard library's reader keeps no positions; the form of rule files is flat enough to look
    for them.
    """
    lines = _places(text)
    return (
        lines.get((section, index, key))
        or lines.get((section, index, ""))
        or (line_of(text, "", 0, section) if section else 0)
    )


@lru_cache(maxsize=4)
def _places(text: str) -> Mapping[Tuple[str, int, str], int]:
    """(section, index, key) → line; a section itself has no key. Once for a text: a file of a
    stranger's may have thousands of mistakes."""
    current, count, found = (
        "",
        {},
        {},
    )  # type: Tuple[str, Dict[str, int], Dict[Tuple[str, int, str], int]]
    quoted = False
    for number, line in enumerate(text.splitlines(), 1):
        was_quoted, quoted = quoted, quoted ^ bool((line.count('"""') + line.count("'''")) % 2)
        header, key = (None, None) if was_quoted else (_HEADER.fullmatch(line), _KEY.match(line))
        if header:
            current = header.group(2)
            count[current] = count.get(current, -1) + 1
        here = (current, count.get(current, 0))
        if header:
            found[(*here, "")] = number
        for name in _with_beginnings(key) if key else ():
            found.setdefault((*here, name), number)
    return found


def _with_beginnings(key: "re.Match[str]") -> List[str]:
    """given.rank of the key given.rank, and given."""
    if key.group(1) is not None:
        return [key.group(1)]
    parts = key.group(2).split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts) + 1)]
