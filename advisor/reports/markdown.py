"""Document → Markdown for tickets: short, no HTML, readable as plain text in mail."""

from __future__ import annotations

import re
from typing import Iterator, List

from advisor.base.numbers import counted
from advisor.model.finding import State
from advisor.reports.document import Action, Document, Gain, Item, Quiet, Silences
from advisor.reports.grouping import FEW, lacking, ways
from advisor.reports.page import one_line

IN_FULL = 3
"""A ticket has 60 lines: so many findings have all their parts, the others their row in the table.
"""
_SPECIAL = re.compile(
    r"([\\*_|]|<(?=[A-Za-z/!?])|~~|\[(?=[^\]]*\][(\[:])|^[#>+-]|:(?=//)|(?<=www)\.)", re.IGNORECASE
)
"""The last two: forges make a link of every address, and an address may be the name of a host or
program."""
_CODE = re.compile(r"(`[^`\n]+`)")
_MARKS = {"yes": "✓", "no": "✕", "open": "?"}


def markdown(document: Document) -> str:
    """The report for a ticket. Figures are left out but the range as text."""
    lines = [*_opening(document), *_overview(document)]
    for entry in document.items[:IN_FULL]:
        lines += _finding(entry)
    lines += _launch(document)
    lines += _closing(document)
    return "\n".join(lines).replace("\u202f", " ").replace("\u00a0", " ") + "\n"


def prose(text: str) -> str:
    """One line of text in which nothing acts as markup but words in back quotes."""
    pieces = _CODE.split(one_line(text))
    return "".join(piece if _is_code(piece) else _escaped(piece) for piece in pieces)


def _is_code(piece: str) -> bool:
    return len(piece) > 2 and piece.startswith("`") and piece.endswith("`") and "<" not in piece


def _escaped(text: str) -> str:
    """Underscores inside words are left alone: names of variables stay readable in mail."""
    text = re.sub(r"(?<=\w)_(?=\w)", "\0", text).replace("`", "'").replace("&", "&amp;")
    return _SPECIAL.sub(r"\\\1", text).replace("\0", "_")


def fenced(text: str) -> List[str]:
    """A block that stands as it is; the fence is longer than any in the text."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *text.split("\n"), fence]


def _opening(document: Document) -> Iterator[str]:
    head = document.head
    yield "# " + prose(f"{head.program}{', ' + head.size if head.size else ''}")
    yield ""
    yield prose(" · ".join(filter(None, (head.elapsed, head.library, *head.details))))
    for banner in document.banners:
        yield from ("", f"**{prose(banner)}**")
    verdict = " ".join("".join(span.text for span in sentence) for sentence in document.verdict)
    yield from ("", prose(verdict))
    if document.time:
        parts = (
            f"{part.seconds_text} {part.label} ({part.share_text} of elapsed)"
            for part in document.time.whole
        )
        yield prose("Mean over ranks: " + ", ".join(parts) + ".")


def _overview(document: Document) -> Iterator[str]:
    if not document.items:
        return
    yield from ("", "| | finding | gain | ceiling | state |", "|---|---|---|---|---|")
    for entry in document.items:
        gain, ceiling = (
            (entry.gain.text, entry.gain.ceiling_text) if entry.gain else ("none predicted", "")
        )
        yield (
            f"| {entry.number} | {prose(entry.title)} | {prose(gain)} | {prose(ceiling)} |"
            f" {entry.severity}, {entry.state} |"
        )


def _finding(entry: Item) -> Iterator[str]:
    yield from ("", f"### {entry.number}. {prose(entry.title)}")
    yield (
        f"- gain: {_gain(entry.gain) if entry.gain else prose('none predicted; ' + entry.no_gain)};"
        f" confidence {entry.confidence}"
    )
    if entry.verified:
        yield f"- verified: {prose(entry.verified)}"
    if entry.facts:
        yield "- evidence: " + prose(" ".join(entry.facts))
    for action in entry.actions:
        yield from _action(action)
    hurts = " ".join(entry.hurts) or "no case is known."
    yield f"- when it hurts: {prose(hurts)} Rule {prose(entry.folder + '/' + entry.rule)}" + prose(
        f"; {'; '.join(entry.limits)}" if entry.limits else ""
    )


def _gain(gain: Gain) -> str:
    """`[13..33] of at most 35.7 s`: a range bar as text."""
    low_to_high, _, unit = gain.text.rpartition("\u00a0")
    share = f"; {gain.share_text}" if gain.share_text else ""
    name = f" ({gain.ceiling_name})" if gain.ceiling_name else ""
    return prose(
        f"[{low_to_high.replace(' to ', '..')}] of {gain.ceiling_text}{name}{share}; basis:"
        f" {gain.basis}"
    ) + ("" if unit == "s" else f" in {unit}")


def _action(action: Action) -> Iterator[str]:
    who = f" ({action.who}; {action.state})" if action.who else ""
    if action.request and action.state == State.REQUEST.value:
        yield from (f"- do{who}: send this", *("  " + line for line in fenced(action.request)))
    elif action.state == State.WITHHELD.value:
        yield (
            f"- not offered here{': ' + prose(action.reason) if action.reason else ''}:"
            f" {prose(action.text)}"
        )
    elif action.command:
        where = f" in {prose(action.file)}" if action.file else ""
        yield from (f"- do{who}{where}:", *("  " + line for line in fenced(action.text)))
    else:
        yield f"- do{who}: {prose(action.text)}"
    if action.seen:
        yield "- seen here: " + prose(
            ", ".join(f"{_MARKS[seen.mark]} {seen.text}" for seen in action.seen)
        )
    ends = [
        f"{name}: {text}" for name, text in (("check", action.check), ("undo", action.undo)) if text
    ]
    if ends:
        yield "- " + prose(" ".join(ends))


def _launch(document: Document) -> Iterator[str]:
    if document.launch:
        yield from ("", f"### {prose(document.launch.title)}", *fenced(document.launch.text))


def _closing(document: Document) -> Iterator[str]:
    quiet = document.silences
    if document.verified:
        yield from (
            "",
            "### Verified in runs",
            *(f"- {prose(line.name)}: {prose(line.text)}" for line in document.verified),
        )
    yield from ("", "### Not said, and how it was measured")
    yield (
        f"- {len(quiet.clear)} rules clear, {len(quiet.moot)} did not apply, {len(quiet.unknown)}"
        " could not look"
    )
    unknown = _few(quiet) if len(quiet.unknown) <= FEW else _many(quiet)
    if unknown:
        yield f"- not known: {prose(unknown)}"
    yield "- measured: " + prose(
        "; ".join(f"{line.name}: {line.text}" for line in document.measurement)
    )
    if document.source:
        yield f"- file: {prose(document.source)}"
    yield f"- {prose(document.footer)}"


def _few(quiet: Silences) -> str:
    """Each rule that could not look, and all that was not seen."""
    return "; ".join(
        [_unknown(entry.sentence, entry) for entry in quiet.unknown]
        + [_unknown(f"{entry.name}: {entry.sentence}", entry) for entry in quiet.unseen]
    )


def _many(quiet: Silences) -> str:
    """What the rules that could not look lack, each reason once; what else was not seen; and what
    to collect against all that."""
    lacks = lacking(quiet.unknown)
    reported = {lack.reason for lack in lacks}
    unseen = [entry for entry in quiet.unseen if entry.sentence not in reported]
    parts = [f"{lack.reason} ({counted(lack.rules, 'rule')})" for lack in lacks] + [
        f"{entry.name}: {entry.sentence}" for entry in unseen
    ]
    how = ways([*lacks, *lacking(unseen)])
    return "; ".join(parts) + (f". To see it: {how}" if how else "")


def _unknown(sentence: str, entry: Quiet) -> str:
    return f"{sentence}{f' ({entry.collect})' if entry.collect else ''}"
