"""Document → text for a terminal, 80 columns, or report.txt. Only glyphs and places are decided
here."""

from __future__ import annotations

from dataclasses import replace

from advisor.reports.document import Document
from advisor.reports.grouping import grouped
from advisor.reports.languages import ENGLISH, Catalogue
from advisor.reports.page import Page, without_quotes
from advisor.reports.terminal_experiment import experiments
from advisor.reports.terminal_finding import detailed, with_scale
from advisor.reports.terminal_screen import first_screen, whole_screen


def terminal(
    document: Document,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
    full: bool = False,
    words: Catalogue = ENGLISH,
) -> str:
    """The first screen; with `full`, as in report.txt, all parts of all findings behind it."""
    page = Page(width, color, ascii_only, words)
    if not full:
        first_screen(page, document.screen)
        return page.text()
    whole_screen(page, replace(document.screen, full=""), below=True)
    page.blank()
    _findings(page, document)
    experiments(page, document.experiments)
    if document.launch and len(document.launch.applied) > 1:
        page.wrapped(document.launch.title, "bold")
        page.command("", document.launch.text)
        page.blank()
    _last_lines(page, document)
    return page.text()


def _findings(page: Page, document: Document) -> None:
    if not document.items:
        return
    with_scale(page, document.axis)
    for entry in document.items:
        detailed(page, entry, document.axis)
    if sum(entry.gain is not None for entry in document.items) > 1:
        page.wrapped(
            page.gettext("Do not add gains up: they share time, and one wait can hide another."),
            "dim",
            "  ",
            2,
        )
    page.blank()


def _verified(page: Page, document: Document) -> None:
    for place, line in enumerate(document.verified):
        first = "" if place else page.gettext("verified")
        page.wrapped(f"{line.name}: {line.text}", first=first, indent=11)


def _last_lines(page: Page, document: Document) -> None:
    """Checks that passed, are not applicable, or were not made and why; measurement and run."""
    _verified(page, document)
    _silences(page, document)
    for banner in document.banners:
        page.wrapped(banner, "bold", "┃ ", 2)
    for place, line in enumerate((*document.measurement, *document.facts)):
        first = "" if place else page.gettext("measured")
        page.wrapped(f"{line.name}: {line.text}", first=first, indent=11)
    if document.source:
        page.wrapped(_files(document.source), first=page.gettext("files"), indent=11)
    page.wrapped(document.footer, "dim")


def _with_way(page: Page, text: str, how: str) -> str:
    if not how:
        return text
    return page.gettext("{sentence}. To see it: {collect}", sentence=text, collect=how)


def _files(source: str) -> str:
    """The result folder and what is in it, or the one file that was read."""
    folder, slash, name = source.rpartition("/")
    return (
        f"{folder}/\u00a0 report.html\u00a0 report.txt\u00a0 profile"
        if slash and name == "profile"
        else source
    )


def _silences(page: Page, document: Document) -> None:
    quiet = document.silences
    for title, entries in (
        (page.gettext("passed"), grouped(quiet.clear)),
        (page.gettext("not applicable"), grouped(quiet.moot)),
        (page.gettext("not checked"), grouped(quiet.unknown)),
        (page.gettext("not seen"), quiet.unseen),
    ):
        for place, entry in enumerate(entries):
            name = f"{entry.name}: " if entries is quiet.unseen else ""
            text = _with_way(page, f"{name}{page.text_of(entry.sentence)}", entry.collect)
            page.wrapped(without_quotes(text), first="" if place else title, indent=16)
