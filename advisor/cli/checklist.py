"""Prints a list of checks: ✓ there, ✕ missing, ? unknown; 80 columns, plain text in a pipe."""

from __future__ import annotations

import io
from typing import Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from advisor.base.in_ascii import in_ascii
from advisor.probing.check import Check

_MARKS = {True: ("✓", "+", "green"), False: ("✕", "-", "red"), None: ("?", "?", "yellow")}


def write(
    stream,
    sections: Mapping[str, Sequence[Check]],
    verdict: str,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
) -> None:
    """Print the sections, each check with what to do below it, and the verdict last."""
    printed = io.StringIO()
    console = Console(
        file=printed,
        width=width,
        force_terminal=color,
        no_color=not color,
        highlight=False,
        emoji=False,
        markup=False,
    )
    for title, checks in sections.items():
        console.print(Text(title, style="bold"))
        console.print(_table(checks, ascii_only))
        console.print()
    console.print(Text(_plain(verdict, ascii_only), style="bold"))
    # Rich fills each line of a table up to its width; nobody wants the spaces in a file.
    stream.write("".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines()))


def _table(checks: Sequence[Check], ascii_only: bool) -> Table:
    table = Table.grid(padding=(0, 1), expand=True)
    for options in (
        {"width": 2, "justify": "right"},
        {"width": 18},
        {"ratio": 1, "overflow": "fold"},
    ):
        table.add_column(**options)
    for check in checks:
        mark, plain, style = _MARKS[check.good]
        table.add_row(
            Text(plain if ascii_only else mark, style=style),
            Text(_plain(check.subject, ascii_only)),
            _words(check, ascii_only),
        )
    return table


def _words(check: Check, ascii_only: bool) -> Text:
    words = Text(_plain(check.found, ascii_only))
    if check.get:
        words.append(_plain(f"\n→ {check.get}", ascii_only), style="dim")
    return words


def _plain(text: str, ascii_only: bool) -> str:
    """Without control characters, which the output of foreign commands may hold; ASCII where the
    stream knows no more."""
    clean = "".join(letter for letter in text if letter.isprintable() or letter == "\n")
    return in_ascii(clean) if ascii_only else clean
