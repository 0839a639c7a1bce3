"""Document → text for a terminal, 80 columns, or report.txt. Only glyphs and places are decided
here."""

from __future__ import annotations

from typing import Optional, Sequence

from rich.cells import cell_len

from advisor.base.numbers import counted
from advisor.reports.document import Document, Quiet, TimeBar
from advisor.reports.grouping import FEW, grouped, lacking, ways
from advisor.reports.languages import Translator
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
    "outside": "outside MPI",
    "waiting": "waiting",
    "moving": "moving data",
    "polling": "polling in vain",
    "unsplit": "moving or waiting",
}
_WITHOUT_CORE = {
    "outside MPI without a core": "no core outside",
    "in MPI without a core": "no core in MPI",
}
"""Both parts have one role; of their labels there is room for so much."""


def terminal(
    document: Document,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
    full: bool = False,
    language: Optional[Translator] = None,
) -> str:
    """The report for a terminal. `full`: all parts of all findings, as in report.txt."""
    page = Page(width, color, ascii_only, language)
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
        tuple(page.known(page.said(text)) for text in (part.share_text, part.seconds_text))
        for part in bar.whole
    ]
    shares, values = (
        max(least, *(cell_len(row[at]) for row in rows)) for at, least in enumerate((11, 9))
    )
    of = page.said("of elapsed")
    for part, (share, value) in zip(bar.whole, rows):
        name = page.said(_WITHOUT_CORE.get(part.label) or _NAMES[part.role])
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
            "Do not add gains up: they share time, and one wait can hide another.", "dim", "  ", 2
        )
    page.blank()


def _verified(page: Page, document: Document) -> None:
    for place, line in enumerate(document.verified):
        page.wrapped(f"{line.name}: {line.text}", first="" if place else "verified", indent=11)


def _last_lines(page: Page, document: Document, full: bool) -> None:
    """Clear, moot, could not look and how; measurement; folder; next command."""
    _verified(page, document)
    quiet = document.silences
    counts = f"moot {len(quiet.moot)}\u00a0\u00a0 could not look {len(quiet.unknown)}"
    names = (
        _named(quiet.unknown)
        if full or len(quiet.unknown) <= FEW
        else _lacking(page, quiet.unknown)
    )
    page.wrapped(
        counts + (": " if names else "") + without_quotes(names),
        first=f"clear {len(quiet.clear)}",
        indent=11,
    )
    if full:
        _silences(page, document)
    short = [line.short for line in document.measurement if line.short]
    page.wrapped("; ".join(short), first="measured", indent=11)
    if full:
        for line in (*document.measurement, *document.facts):
            page.wrapped(f"{line.name}: {line.text}", first="", indent=11)
    if document.source:
        page.wrapped(_files(document.source), first="files", indent=11)
    command, why = document.next
    page.line(
        (padded(page.said("next"), 11), ""),
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
        page.said(f"{one_line(lack.reason)} ({counted(lack.rules, 'rule')})")
        for lack in lacks[:REASONS]
    ]
    rest = " " + page.said(f"and {len(lacks) - REASONS} more") if len(lacks) > REASONS else ""
    how = one_line(ways(lacks[:REASONS]))
    return page.said(", ".join(shown) + rest + (f". To see it: {how}" if how else ""))


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
        ("clear", quiet.clear),
        ("moot", quiet.moot),
        ("could not look", quiet.unknown),
        ("not seen", quiet.unseen),
    ):
        for place, entry in enumerate(entries if title == "not seen" else grouped(entries)):
            how = f". To see it: {entry.collect}" if entry.collect else ""
            name = f"{entry.name}: " if title == "not seen" else ""
            page.wrapped(
                without_quotes(f"{name}{entry.sentence}{how}"),
                first=title if place == 0 else "",
                indent=16,
            )
