"""Document → Markdown for tickets: the first screen in less than 400 words, no HTML; all parts of
all findings behind it where they are asked for."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Callable, Iterator, List, Sequence, Tuple

from advisor.base.numbers import between_seconds, counted
from advisor.model.finding import State
from advisor.reports.document import Action, Document, Gain, Item, Quiet, Silences
from advisor.reports.first_screen import (
    MOST_POLICIES,
    Advised,
    FirstScreen,
    Part,
    Policy,
    for_others,
)
from advisor.reports.grouping import FEW, lacking, ways
from advisor.reports.languages import ENGLISH, Catalogue
from advisor.reports.page import one_line

Words = Callable[..., str]
"""gettext of the report's language."""
_SPECIAL = re.compile(
    r"([\\*_|]|<(?=[A-Za-z/!?])|~~|\[(?=[^\]]*\][(\[:])|^[#>+-]|:(?=//)|(?<=www)\.)", re.IGNORECASE
)
"""The last two: forges make a link of every address, and an address may be the name of a host or
program."""
_CODE = re.compile(r"(`[^`\n]+`)")
_MARKS = {"yes": "✓", "no": "✕", "open": "?"}


def markdown(document: Document, words: Catalogue = ENGLISH, full: bool = False) -> str:
    """The report for a ticket. Figures are left out but the range as text."""
    _ = words.gettext
    screen = for_others(document.screen)
    lines = _screen(replace(screen, full="") if full else screen, full, _)
    if full:
        lines += _overview(document, _)
        for entry in document.items:
            lines += _finding(entry, _)
        lines += _experiments(document, _)
        lines += _launch(document)
        lines += _closing(document, words)
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


_ROOMS = ((5, 3, True), (3, 3, True), (3, 2, True), (3, 2, False), (3, 1, False))
"""Calls, actions, and whether with cautions: the first that is below MOST_WORDS."""
MOST_WORDS = 370


def _screen(screen: FirstScreen, full: bool, _: Words) -> List[str]:
    """With as much of it as a ticket has room for; with `full`, all of it."""
    for room in _ROOMS[: 1 if full else None]:
        lines = list(_screen_in(screen, room, _))
        if len(" ".join(lines).split()) <= MOST_WORDS:
            break
    return lines


def _screen_in(screen: FirstScreen, room: Tuple[int, int, bool], _: Words) -> Iterator[str]:
    calls, actions, cautions = room
    program, *rest = screen.run
    yield "# " + prose(program)
    yield from ("", prose(" · ".join(rest)))
    if screen.ticket:
        yield from ("", prose(_("Ticket: {note}", note=screen.ticket)))
    if screen.preview:
        yield from ("", f"**{prose(screen.preview)}**")
    yield from ("", f"**{prose(screen.verdict)}**")
    if screen.parts:
        yield from ("", prose(", ".join(map(_part, screen.parts))))
    if screen.calls:
        heads = ("MPI call", "time", "waiting", "calls/rank", "size", "call site")
        yield from ("", _row(*map(_, heads)), "|---|--:|--:|--:|--:|---|")
        for row in screen.calls[:calls]:
            yield _row(row.call, row.time, row.waiting, row.calls, row.size, row.site)
    left = len(screen.actions[actions:]) + screen.more if screen.full else 0
    yield from _policies(screen.policies, _)
    yield from _actions(screen.actions[:actions], left, cautions, _)
    yield ""
    for text in (screen.trust, screen.checks):
        if text:
            yield "- " + prose(text)
    for name, command in ((_("Full:"), screen.full), (_("Next:"), screen.next[0])):
        if command:
            yield f"- {name} {_code(command)}"
    for request in screen.requests:
        yield from (
            "",
            "### " + _("Forward to your centre:").rstrip(":\uff1a"),
            *("  " + line for line in fenced(request)),
        )


def _part(part: Part) -> str:
    detail = f"; {part.detail}" if part.role == "startup" and part.detail else ""
    return f"{part.label} {part.share_text} ({part.seconds_text}{detail})"


def _code(command: str) -> str:
    """In back quotes, unless it has one itself."""
    return prose(command) if re.search(r"[`\n<]", command) else f"`{command}`"


def _row(*cells: str) -> str:
    return f"|{'|'.join(map(prose, cells))}|"


def _actions(actions: Sequence[Advised], left: int, cautions: bool, _: Words) -> Iterator[str]:
    if actions:
        more = _("What to do ({count} more in the full report)", count=left)
        yield from ("", "### " + (more if left > 0 else _("What to do")))
    for number, action in enumerate(actions, 1):
        gain = f"{action.gain} ({action.rows})" if action.rows else action.gain
        title = f"**{prose(action.title)}**. {_('May save: {gain}.', gain=gain)}"
        where = _("in {file}:", file=action.file) if action.file else ""
        texts = filter(None, (title, prose(action.do), prose(where)))
        yield f"{number}. " + " ".join(texts)
        if action.command:
            yield from ("   " + line for line in fenced(action.command))
        if cautions and action.caution:
            yield "   " + prose(_("Caution: {text}", text=action.caution))


def _policies(policies: Sequence[Policy], _: Words) -> Iterator[str]:
    """Two of them, each in a line, and how many there are besides."""
    if policies:
        yield ""
    for each in policies[:MOST_POLICIES]:
        met = f": {_code(each.command)}" if each.command else ""
        yield f"- {prose(each.title)} ({_('policy of this site')}){met}"
    if policies[MOST_POLICIES:]:
        left = len(policies) - MOST_POLICIES
        yield "- " + _("{count} more policies in the full report", count=left)


def _overview(document: Document, _: Words) -> Iterator[str]:
    if not document.items:
        return
    heads = ("", _("finding"), _("gain"), _("ceiling"), _("state"))
    yield from ("", f"| {' | '.join(heads)} |".replace("|  |", "| |"), "|---|---|---|---|---|")
    for entry in document.items:
        gain, ceiling = (
            (entry.gain.text, entry.gain.ceiling_text) if entry.gain else (_("not estimated"), "")
        )
        yield (
            f"| {entry.number} | {prose(entry.title)} | {prose(gain)} | {prose(ceiling)} |"
            f" {entry.severity}, {_(entry.state)} |"
        )


def _finding(entry: Item, _: Words) -> Iterator[str]:
    yield from ("", f"### {entry.number}. {prose(entry.title)}")
    gain = (
        _gain(entry.gain, _)
        if entry.gain
        else prose(_("not estimated: {reason}", reason=entry.no_gain))
    )
    yield "- " + _("gain: {gain}; confidence {level}", gain=gain, level=entry.confidence)
    if entry.verified:
        yield "- " + _("verified") + ": " + prose(entry.verified)
    if entry.facts:
        yield "- " + _("evidence: {list}", list=prose(" ".join(entry.facts)))
    for action in entry.actions:
        yield from _action(action, _)
    hurts = _("Caution: {text}", text=" ".join(entry.hurts) or _("no case is known."))
    rule = _("Rule {name}", name=prose(entry.folder + "/" + entry.rule))
    if entry.help_url:
        rule = f"{rule} <{entry.help_url}>"
    limits = prose(f"; {'; '.join(entry.limits)}" if entry.limits else "")
    yield f"- {prose(hurts)} {rule}{limits}"


def _gain(gain: Gain, _: Words) -> str:
    """`[13..33] of at most 35.7 s`: a range bar as text."""
    low_to_high, _space, unit = between_seconds(gain.low, gain.high).rpartition("\u00a0")
    sign = gain.text[:1] if gain.text[:1] in ("~", "*") else ""
    share = f"; {gain.share_text}" if gain.share_text else ""
    name = f" ({gain.ceiling_name})" if gain.ceiling_name else ""
    text = _(
        "[{range}] of {most}; basis: {basis}",
        range=sign + low_to_high.replace(" to ", ".."),
        most=f"{gain.ceiling_text}{name}{share}",
        basis=gain.basis,
    )
    return prose(text) + ("" if unit == "s" else " " + _("in {unit}", unit=unit))


def _action(action: Action, _: Words) -> Iterator[str]:
    do = _("do")
    if action.who:
        do = _("do ({who}; {state})", who=action.who, state=_(action.state))
    if action.request and action.state == State.REQUEST.value:
        yield "- " + do + ": " + _("send this")
        yield from ("  " + line for line in fenced(action.request))
    elif action.state == State.WITHHELD.value:
        why = f" ({prose(action.reason)})" if action.reason else ""
        yield "- " + _("not offered here: {text}", text=prose(action.text) + why)
    elif action.command:
        where = " " + _("in {file}", file=prose(action.file)) if action.file else ""
        yield from (
            f"- {do}{where}:",
            *("  " + line for line in fenced(action.paste or action.text)),
        )
    else:
        yield f"- {do}: {prose(action.text)}"
    if action.seen:
        seen = ", ".join(f"{_MARKS[seen.mark]} {seen.text}" for seen in action.seen)
        yield "- " + _("seen here: {list}", list=prose(seen))
    ends = [
        _("check: {check}", check=action.check) if action.check else "",
        _("undo: {undo}", undo=action.undo) if action.undo else "",
    ]
    if any(ends):
        yield "- " + prose(" ".join(filter(None, ends)))


def _experiments(document: Document, _: Words) -> Iterator[str]:
    """Below all findings; one that was not tried is no advice."""
    if document.experiments:
        yield from ("", "### " + _("Experiments: not known to help here, so try them first"))
    for each in document.experiments:
        where = " " + _("in {file}", file=prose(each.file)) if each.file else ""
        tried = _(
            "try{where} {words} against the run as it was, with {command}.",
            where=where,
            words=f"`{each.text}`",
            command=f"`{each.command}`",
        )
        yield f"- {prose(each.title)}: {tried} {prose(each.before)}".rstrip()
        ends = [_("why not set: {reason}", reason=each.reason), *each.hurts]
        yield "  " + prose(". ".join(text.rstrip(".") for text in ends) + ".")
        if each.verified:
            yield "  " + _("verified") + ": " + prose(each.verified)


def _launch(document: Document) -> Iterator[str]:
    if document.launch:
        yield from ("", f"### {prose(document.launch.title)}", *fenced(document.launch.text))


def _closing(document: Document, words: Catalogue) -> Iterator[str]:
    _, quiet = words.gettext, document.silences
    if document.verified:
        yield from (
            "",
            "### " + _("Verified in runs"),
            *(f"- {prose(line.name)}: {prose(line.text)}" for line in document.verified),
        )
    yield from ("", "### " + _("Not said, and how it was measured"))
    for banner in document.banners:
        yield f"- **{prose(banner)}**"
    unknown = _few(quiet) if len(quiet.unknown) <= FEW else _many(quiet, _)
    if unknown:
        yield "- " + _("not known: {list}", list=prose(unknown))
    measured = "; ".join(f"{line.name}: {line.text}" for line in document.measurement)
    yield "- " + _("measured: {list}", list=prose(measured))
    if document.source:
        yield "- " + _("file: {name}", name=prose(document.source))
    yield f"- {prose(document.footer)}"


def _few(quiet: Silences) -> str:
    """Each check that was not made, and all that was not seen."""
    return "; ".join(
        [_unknown(entry.sentence, entry) for entry in quiet.unknown]
        + [_unknown(f"{entry.name}: {entry.sentence}", entry) for entry in quiet.unseen]
    )


def _many(quiet: Silences, _: Words) -> str:
    """What the checks that were not made lack, each reason once; what else was not seen; and what
    to collect against all that."""
    lacks = lacking(quiet.unknown)
    reported = {lack.reason for lack in lacks}
    unseen = [entry for entry in quiet.unseen if entry.sentence not in reported]
    parts = [
        _("{reason} ({rules})", reason=lack.reason, rules=counted(lack.rules, "rule"))
        for lack in lacks
    ] + [f"{entry.name}: {entry.sentence}" for entry in unseen]
    text, how = "; ".join(parts), ways([*lacks, *lacking(unseen)])
    return _("{sentence}. To see it: {collect}", sentence=text, collect=how) if how else text


def _unknown(sentence: str, entry: Quiet) -> str:
    return f"{sentence}{f' ({entry.collect})' if entry.collect else ''}"
