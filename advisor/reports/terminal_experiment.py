"""Experiments in a terminal: a block of their own below all findings."""

from __future__ import annotations

from typing import Sequence

from advisor.reports.document import Experiment
from advisor.reports.page import Page, without_quotes

IN_FULL = 2
"""So many are shown with their change; the others by their title."""
TITLE = "  experiments: not known to help here, so try them first"


def experiments(page: Page, found: Sequence[Experiment], full: bool) -> None:
    """What to try, why it is not set, and the command that tries it."""
    if not found:
        return
    page.line((page.said(TITLE), ""))
    for place, each in enumerate(found):
        page.split("\u2022 ", each.title, "")
        if full or place < IN_FULL:
            _one(page, each, full)
    page.blank()


def _one(page: Page, each: Experiment, full: bool) -> None:
    if each.verified:
        page.labelled("tried", each.verified)
    if full:
        page.labelled("", without_quotes(each.subject), "dim")
    if each.file:
        page.labelled("try", f"in {each.file}:")
    page.command("" if each.file else "try", each.text)
    page.labelled("why", f"{without_quotes(each.reason)}")
    if full:
        page.labelled("first", without_quotes(each.before))
        for text in each.hurts:
            page.labelled("hurts", without_quotes(text))
        page.labelled("check", without_quotes(each.check))
        page.labelled("undo", without_quotes(each.undo))
        page.labelled("rule", f"{each.folder}/{each.rule}")
        page.labelled("from", each.source)
    page.command("with", each.command)
