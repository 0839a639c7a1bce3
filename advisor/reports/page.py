"""A page of a terminal: wraps, aligns and, where it must, writes in ASCII. Rich does the measuring
and the styles."""

from __future__ import annotations

import io
import re
from typing import List, Tuple

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from advisor.base.in_ascii import in_ascii
from advisor.reports.languages import ENGLISH, Catalogue
from advisor.reports.languages.breaks import BREAK, breakable

INDENT = 10
_UNBROKEN = "\ue000"
"""Stands for a no-break space while lines are wrapped; such characters never come from a document.
"""


class Page:
    """Lines of styled text, at most `width` cells wide; commands alone are never wrapped."""

    def __init__(
        self,
        width: int = 80,
        color: bool = False,
        ascii_only: bool = False,
        words: Catalogue = ENGLISH,
    ) -> None:
        self.width, self.color, self.ascii_only, self.words = width, color, ascii_only, words
        self.gettext, self.text_of = words.gettext, words.text
        self.lines: List[Text] = []

    def blank(self) -> None:
        """An empty line, never two."""
        if self.lines and self.lines[-1].plain:
            self.lines.append(Text())

    def line(self, *pieces: Tuple[str, str]) -> None:
        """One line from (text, style) pieces, as it stands."""
        self.lines.append(Text.assemble(*((self.known(text), style) for text, style in pieces)))

    def wrapped(self, text: str, style: str = "", first: str = "", indent: int = 0) -> None:
        """A paragraph. `first` opens its first line; the others are indented by `indent`."""
        for number, part in enumerate(self.parts(text, self.width - max(indent, cell_len(first)))):
            opening = padded(first, indent) if number == 0 else " " * indent
            self.line((opening, ""), (part, style))

    def sentence(self, pieces: List[Tuple[str, str]]) -> None:
        """A wrapped paragraph of pieces in several styles."""
        close = self.words.unspaced
        text = Text.assemble(
            *(
                (breakable(self._held(piece)), style)
                for piece, style in pieces
                if not close or piece.strip()
            )
        )
        for part in text.wrap(self._console(), self.width):
            part.rstrip()
            part.plain = part.plain.replace(_UNBROKEN, " ").replace(BREAK, "")
            self.lines.append(part)

    def labelled(self, label: str, text: str, style: str = "") -> None:
        """ "  do      text", wrapped beside its label."""
        if text:
            self.wrapped(text, style, f"  {label}", INDENT)

    def command(self, label: str, text: str) -> None:
        """A command beside its label: never wrapped, bold."""
        for number, part in enumerate(text.split("\n")):
            self.line((padded(f"  {label}" if number == 0 else "", INDENT), ""), (part, "bold"))

    def split(self, head: str, title: str, right: str) -> None:
        """A bold title after `head`, and a right part flush with the margin; the title hangs beside
        both if it must."""
        indent = cell_len(head)
        for number, part in enumerate(
            self.parts(title, max(20, self.width - indent - cell_len(right) - 2))
        ):
            part = (head if number == 0 else " " * indent) + part
            gap = " " * max(1, self.width - cell_len(part) - cell_len(right))
            self.line((part, "bold"), *((gap + right, ""),) if number == 0 and right else ())

    def parts(self, text: str, width: int) -> List[str]:
        """The text in lines of at most `width` cells."""
        lines = Text(breakable(self._held(one_line(text)))).wrap(self._console(), max(8, width))
        return [
            line.plain.rstrip().replace(_UNBROKEN, " ").replace(BREAK, "") for line in lines
        ] or [""]

    def known(self, text: str) -> str:
        """The text with plain spaces and, in ASCII, without other characters."""
        return self._held(text).replace(_UNBROKEN, " ")

    def _held(self, text: str) -> str:
        text = text.replace("\u202f", _UNBROKEN).replace("\u00a0", _UNBROKEN)
        return _UNBROKEN.join(map(in_ascii, text.split(_UNBROKEN))) if self.ascii_only else text

    def text(self) -> str:
        """The page as one string; with escape sequences only if colour was asked for."""
        console = self._console()
        for line in self.lines:
            console.print(line, soft_wrap=True)
        return "\n".join(line.rstrip() for line in console.file.getvalue().split("\n"))  # type: ignore[attr-defined]

    def _console(self) -> Console:
        return Console(
            file=io.StringIO(),
            width=self.width,
            force_terminal=self.color,
            color_system="standard" if self.color else None,
            no_color=not self.color,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            _environ={},
        )


def padded(text: str, cells: int) -> str:
    """Padded to a width in cells of a terminal, of which a character may take two."""
    return text + " " * max(0, cells - cell_len(text))


def one_line(text: str) -> str:
    """Line ends and runs of spaces as one space; no-break spaces stay."""
    return re.sub(r"[ \n]+", " ", text).strip()


def without_quotes(text: str) -> str:
    """Words in back quotes as plain words."""
    return text.replace("`", "")
