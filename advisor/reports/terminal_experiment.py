"""Experiments in a terminal: a block of their own below all findings."""

from __future__ import annotations

from typing import Sequence

from advisor.reports.document import Experiment
from advisor.reports.page import Page, without_quotes


def experiments(page: Page, found: Sequence[Experiment]) -> None:
    """What to try, why it is not set, and the command that tries it."""
    if not found:
        return
    _ = page.gettext
    page.line(("  " + _("experiments: not known to help here, so try them first"), ""))
    for each in found:
        page.split("\u2022 ", each.title, "")
        _one(page, each)
    page.blank()


def _one(page: Page, each: Experiment) -> None:
    _ = page.gettext
    if each.verified:
        page.labelled(_("tried"), each.verified)
    page.labelled("", without_quotes(each.subject), "dim")
    if each.file:
        page.labelled(_("try"), _("in {file}:", file=each.file))
    page.command("" if each.file else _("try"), each.text)
    page.labelled(_("why"), without_quotes(each.reason))
    page.labelled(_("first"), without_quotes(each.before))
    for text in each.hurts:
        page.labelled(_("caution"), without_quotes(text))
    page.labelled(_("check"), without_quotes(each.check))
    page.labelled(_("undo"), without_quotes(each.undo))
    page.labelled(_("rule"), f"{each.folder}/{each.rule}")
    page.labelled(_("from"), each.source)
    page.command(_("with"), each.command)
