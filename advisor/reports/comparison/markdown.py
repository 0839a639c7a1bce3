"""Story → Markdown for tickets and comments of merge requests."""

from __future__ import annotations

from typing import Iterator

from advisor.reports.comparison.story import Box, Story
from advisor.reports.markdown import prose

SHOWN = 20


def markdown(reported: Story) -> str:
    """No HTML, no colour; what is inside the noise is written in italics."""
    return "\n".join(_lines(reported)).replace("\u202f", " ").replace("\u00a0", " ") + "\n"


def _lines(reported: Story) -> Iterator[str]:
    yield f"# {prose(reported.title)}"
    for banner in reported.banners:
        yield from ("", f"**{prose(banner)}**")
    yield from (
        "",
        prose(reported.verdict),
        "",
        prose(reported.caption),
        "",
        "| part | before | after | change |",
        "|---|--:|--:|--:|",
    )
    for step in reported.steps:
        change = prose(step.change)
        yield (
            f"| {prose(step.label)} | {prose(step.before)} | {prose(step.after)} |"
            f" {change if step.clear else f'_{change}_'} |"
        )
    total = reported.total
    yield (
        f"| **{prose(total.label)}** | {prose(total.before)} | {prose(total.after)} |"
        f" **{prose(total.change)}** |"
    )
    yield from (
        "",
        *(f"- {prose(note.replace('is grey', 'is in italics'))}" for note in reported.notes),
    )
    if reported.outcomes:
        yield from (
            "",
            "### Conditions",
            *(
                f"- `{text.replace('`', '')}`: {prose(holds + (f', {reason}' if reason else ''))}"
                for text, holds, reason in reported.outcomes
            ),
        )
    for box in reported.boxes:
        yield from _box(box)
    yield from ("", prose(reported.footer))


def _box(box: Box) -> Iterator[str]:
    rule = "|".join(["---"] + ["--:" if box.numeric else "---"] * (len(box.headings) - 1))
    yield from ("", f"### {prose(box.title)}", "", f"| {' | '.join(box.headings)} |", f"|{rule}|")
    for row in box.rows[:SHOWN]:
        yield f"| {' | '.join(prose(cell) for cell in row)} |"
    if len(box.rows) > SHOWN:
        yield f"\nand {len(box.rows) - SHOWN} more"
