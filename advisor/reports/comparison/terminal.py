"""Story → text for a terminal, 80 columns. Only glyphs and places are decided here."""

from __future__ import annotations

from advisor.reports.comparison.story import Box, Step, Story
from advisor.reports.page import Page, one_line

NARROW = 60
SHOWN = 12
"""Rows of a box that a terminal shows; all of them with `full`."""
LONGEST = 160
"""Characters of a cell that a terminal shows; all of them with `full`."""
_STYLES = {"waiting": "yellow", "moving": "blue"}
_BAR = 17
_CHANGE = 13
"""Letters of a change, at least."""


def terminal(
    reported: Story,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
    full: bool = False,
) -> str:
    """The comparison as text."""
    page = Page(width, color, ascii_only)
    for banner in reported.banners:
        page.wrapped(banner, "bold", "┃ ", 2)
    page.wrapped(reported.title, "bold")
    page.blank()
    page.wrapped(reported.verdict, "bold")
    page.blank()
    page.wrapped(reported.caption)
    _waterfall(page, reported)
    page.blank()
    for note in reported.notes:
        page.wrapped(note, "dim", "  ", 2)
    page.blank()
    for text, holds, reason in reported.outcomes:
        page.wrapped(f"{text}: {holds}{f' ({reason})' if reason else ''}", "bold", "fail if", 9)
    page.blank()
    for box in reported.boxes:
        _box(page, box, full)
    page.wrapped(reported.footer, "dim")
    return page.text()


def _waterfall(page: Page, reported: Story) -> None:
    most = max((abs(step.value) for step in reported.steps), default=0.0) or 1.0
    lane = max(_CHANGE, *(len(step.change) for step in (*reported.steps, reported.total)))
    for step in reported.steps:
        _step(page, step, most, lane)
    _step(page, reported.total, 0.0, lane, "bold")


def _step(page: Page, step: Step, most: float, lane: int, style: str = "") -> None:
    """Label, change, and a bar to the left of the middle where time was saved, to the right where
    it was added."""
    wide = page.width >= NARROW
    bar = _bar(step, most) if wide and most else ""
    room = page.width - 4 - lane - (_BAR + 2 if wide else 0)
    lines = page.parts(step.label, room - 1)
    tone = style or ("" if step.clear else "dim")
    grey = "" if step.clear or style else "\u00a0?"
    for number, part in enumerate(lines):
        change = f"{step.change:>{lane}}" if number == 0 else ""
        pieces = [(f"  {part.ljust(room)}", tone), (page.known(change), tone)]
        if number == 0 and bar:
            pieces.append(("  " + bar, _STYLES.get(step.role, "") if step.clear else "dim"))
        page.line(*pieces, *(((grey, "dim"),) if number == 0 and not bar and grey else ()))


def _bar(step: Step, most: float) -> str:
    """A bar of 8 cells to either side of a middle; dots where the change is inside the noise."""
    half = _BAR // 2
    length = min(half, round(half * abs(step.value) / most))
    glyph = ("█" if step.role != "unsplit" else "▒") if step.clear else "·"
    cells = glyph * (length or (1 if step.value else 0))
    left, right = (cells.rjust(half), "") if step.value < 0 else (" " * half, cells)
    return f"{left}|{right}".rstrip()


def _box(page: Page, box: Box, full: bool) -> None:
    page.blank()
    page.wrapped(box.title, "bold")
    shown = box.rows if full else box.rows[:SHOWN]
    if page.width < NARROW:
        for row in shown:
            page.wrapped(
                "; ".join(f"{head} {cell}".strip() for head, cell in zip(box.headings, row)),
                indent=4,
                first="  ",
            )
    else:
        _table(page, box, shown, full)
    if len(box.rows) > len(shown):
        page.wrapped(f"and {len(box.rows) - len(shown)} more", "dim", "  ", 2)


def _table(page: Page, box: Box, rows, full: bool) -> None:
    """Columns as wide as their cells; the widest gives way until all fit."""
    cells = [
        [_cut(page.known(one_line(cell)), full) for cell in row] for row in (box.headings, *rows)
    ]
    widths = [max(len(row[place]) for row in cells) for place in range(len(box.headings))]
    while sum(widths) + 2 * len(widths) > page.width and max(widths) > 8:
        widths[widths.index(max(widths))] -= 1
    for number, row in enumerate(cells):
        parts = [
            page.parts(cell, max(8, width)) if cell else [""] for cell, width in zip(row, widths)
        ]
        for line in range(max(map(len, parts))):
            pieces = [(lines[line] if line < len(lines) else "") for lines in parts]
            text = "  ".join(
                _aligned(piece, width, box.numeric and place > 0)
                for place, (piece, width) in enumerate(zip(pieces, widths))
            )
            page.line((f"  {text}".rstrip(), "dim" if number == 0 else ""))


def _cut(text: str, full: bool) -> str:
    return text if full or len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _aligned(text: str, width: int, right: bool) -> str:
    return text.rjust(width) if right else text.ljust(width)
