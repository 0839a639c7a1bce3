"""Document → text for a terminal, 80 columns, or report.txt. Only glyphs and places are decided
here."""

from __future__ import annotations

from typing import Sequence

from rich.cells import cell_len

from advisor.base.numbers import counted
from advisor.model.message import message
from advisor.reports.document import Document, Quiet, TimeBar
from advisor.reports.grouping import FEW, grouped, lacking, ways
from advisor.reports.languages import ENGLISH, Catalogue
from advisor.reports.page import Page, one_line, padded, without_quotes
from advisor.reports.terminal_experiment import experiments
from advisor.reports.terminal_finding import IN_FULL, NARROW, brief, detailed, with_scale

VISIBLE = 0.005
"""Smaller shares of elapsed have no bar: one character would say too much."""
REASONS = 3
"""So many reasons for not looking are told, those of most rules."""
_STYLES = {
    "outside": "dim",
    "waiting": "yellow",
    "moving": "blue",
    "no_core": "red",
    "polling": "",
    "unsplit": "",
}
_GLYPHS = {
    "outside": "█",
    "waiting": "█",
    "moving": "█",
    "no_core": "▚",
    "polling": "▒",
    "unsplit": "▒",
}
_NAMES = {
    "outside": message("outside MPI"),
    "waiting": message("waiting"),
    "moving": message("moving data"),
    "polling": message("polling in vain"),
    "unsplit": message("moving or waiting"),
}
_WITHOUT_CORE = {
    message("outside MPI without a core"): message("no core outside"),
    message("in MPI without a core"): message("no core in MPI"),
}
"""Both parts have one role; of their labels there is room for so much."""


def terminal(
    document: Document,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
    full: bool = False,
    words: Catalogue = ENGLISH,
) -> str:
    """The report for a terminal. `full`: all parts of all findings, as in report.txt."""
    page = Page(width, color, ascii_only, words)
    _head(page, document)
    if document.time:
        _time(page, document.time)
    _findings(page, document, full)
    experiments(page, document.experiments, full)
    if full and document.launch:
        page.wrapped(document.launch.title, "bold")
        page.command("", document.launch.text)
        page.blank()
    _last_lines(page, document, full)
    return page.text()


def _head(page: Page, document: Document) -> None:
    for banner in document.banners:
        page.wrapped(banner, "bold", "┃ ", 2)
    page.blank()
    head = document.head
    job = [detail for detail in head.details if detail.startswith("job ")]
    page.wrapped(
        "  ".join(
            filter(None, (head.program, head.size, head.elapsed, head.library, *job))
        ).replace("  ", "\u00a0 "),
        "bold",
    )
    page.blank()
    pieces = []
    for number_, sentence in enumerate(document.verdict):
        style = "bold" if number_ == 0 else ""
        pieces += [(" ", "")] if number_ else []
        pieces += [(without_quotes(span.text), style) for span in sentence]
    page.sentence(pieces)
    page.blank()


def _time(page: Page, bar: TimeBar) -> None:
    """A bar for each part; a bound carries its sign, and what is not known to within 10 % is a
    range."""
    wide = page.width >= NARROW
    rows = [
        tuple(page.known(text) for text in (part.share_text, part.seconds_text))
        for part in bar.whole
    ]
    shares, values = (
        max(least, *(cell_len(row[at]) for row in rows)) for at, least in enumerate((11, 9))
    )
    of = page.gettext("of elapsed")
    short = {page.text_of(label): page.text_of(words) for label, words in _WITHOUT_CORE.items()}
    for part, (share, value) in zip(bar.whole, rows):
        name = short.get(part.label) or page.text_of(_NAMES[part.role])
        words = (
            f"  {padded(name, 18)}{_right(share, shares)} {of}  {_right(value, values)}  "
            if wide
            else f"  {name}: {share} {of}, {value}"
        )
        room = page.width - cell_len(words)
        length = max(1 if part.share >= VISIBLE else 0, round(room * part.share)) if wide else 0
        page.line((words, ""), (_GLYPHS[part.role] * length, _STYLES[part.role]))
    page.blank()


def _right(text: str, cells: int) -> str:
    return " " * (cells - cell_len(text)) + text


def _findings(page: Page, document: Document, full: bool) -> None:
    if not document.items:
        return
    with_scale(page, document.axis)
    for entry in document.items:
        if full or entry.number <= IN_FULL:
            detailed(page, entry, document.axis, full)
        else:
            brief(page, entry)
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


def _last_lines(page: Page, document: Document, full: bool) -> None:
    """Checks that passed, are not applicable, or were not made and why; measurement; folder; next
    command."""
    _verified(page, document)
    quiet = document.silences
    counts = page.gettext(
        "{passed} passed, {others} not applicable, {unknown} not checked",
        passed=len(quiet.clear),
        others=len(quiet.moot),
        unknown=len(quiet.unknown),
    )
    names = (
        _named(quiet.unknown)
        if full or len(quiet.unknown) <= FEW
        else _lacking(page, quiet.unknown)
    )
    page.wrapped(
        counts + (": " if names else "") + without_quotes(names),
        first=page.gettext("checks"),
        indent=11,
    )
    if full:
        _silences(page, document)
    short = [line.short for line in document.measurement if line.short]
    page.wrapped("; ".join(short), first=page.gettext("measured"), indent=11)
    if full:
        for line in (*document.measurement, *document.facts):
            page.wrapped(f"{line.name}: {line.text}", first="", indent=11)
    if document.source:
        page.wrapped(_files(document.source), first=page.gettext("files"), indent=11)
    command, why = document.next
    page.line(
        (padded(page.gettext("next"), 11), ""),
        (command, "bold"),
        *(((f"   {why}", "dim"),) if len(command) + cell_len(why) + 14 <= page.width else ()),
    )
    page.wrapped(document.footer, "dim")


def _named(unknown: Sequence[Quiet]) -> str:
    return ", ".join(
        f"{entry.short}{f' ({one_line(entry.collect)})' if entry.collect else ''}"
        for entry in unknown
    )


def _lacking(page: Page, unknown: Sequence[Quiet]) -> str:
    """Of many rules: what most of them lack, and what to collect against that."""
    lacks = lacking(unknown)
    shown = [
        page.gettext(
            "{reason} ({rules})", reason=one_line(lack.reason), rules=counted(lack.rules, "rule")
        )
        for lack in lacks[:REASONS]
    ]
    text = ", ".join(shown)
    if len(lacks) > REASONS:
        text += " " + page.gettext("and {count} more", count=len(lacks) - REASONS)
    return _with_way(page, text, one_line(ways(lacks[:REASONS])))


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
