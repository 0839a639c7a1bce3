"""One finding in a terminal: state and range bar stand flush right, so both columns can be
scanned."""

from __future__ import annotations

import re
from typing import List, Tuple

from advisor.base.numbers import number, second_unit
from advisor.model.finding import State
from advisor.model.message import message
from advisor.reports.document import Action, Gain, Item
from advisor.reports.page import INDENT, Page, padded, without_quotes

IN_FULL = 4
"""So many findings are shown in full, so that all fit on a screen."""
LANE = 24
"""Columns of a range bar."""
EVIDENCE_LINES = 2
MOST_LINES = 4
NARROW = 60
"""Below so many columns range bars go, then evidence; commands stay."""
_SEVERITIES = (message("note"), message("low"), message("medium"), message("HIGH"), message("MUST"))
"""By their level."""
_MARKS = {"yes": "✓", "no": "✕", "open": "?"}


def with_scale(page: Page, axis: Tuple[float, ...]) -> None:
    """Title of the list and the scale of all range bars."""
    title = "  " + page.gettext("findings, worth doing first on top")
    if not axis or page.width < NARROW or len(title) > page.width - LANE - 2:
        page.line((title, ""))
        return
    page.line((padded(title, page.width - LANE - 1), ""), (_scale(axis), "dim"))


def _scale(axis: Tuple[float, ...]) -> str:
    factor, unit = second_unit(axis[-1])
    middle, end = (f"{_short(axis[place] * factor)} {unit}" for place in (2, 4))
    half = LANE // 2
    return (
        "0".ljust(half - len(middle) // 2)
        + middle
        + end.rjust(LANE + 1 - (half - len(middle) // 2) - len(middle))
    )


def _short(value: float) -> str:
    text = number(value).replace("\u202f", " ")
    return text.rstrip("0").rstrip(".") if "." in text else text


def detailed(page: Page, entry: Item, axis: Tuple[float, ...], full: bool) -> None:
    """All parts of a finding; undo, limits and sources only if `full`."""
    page.split(_opening(page, entry), entry.title, page.gettext(entry.state))
    _gain(page, entry, axis, full)
    if entry.verified:
        page.labelled(page.gettext("tried"), entry.verified)
    if page.width >= NARROW or full:
        _evidence(page, entry, full)
    for action in entry.actions if full else entry.actions[:1]:
        _action(page, action, entry, full)
    for text in entry.hurts if full else ():
        page.labelled(page.gettext("hurts"), without_quotes(text))
    if full:
        _origins(page, entry)
        page.blank()


def brief(page: Page, entry: Item) -> None:
    """One line for a finding that is not among the first."""
    tail = ""
    if entry.verified:
        tail = ", " + page.gettext("verified") + " " + entry.verified
    elif entry.gain:
        tail = ", " + entry.gain.ceiling_text
    page.split(_opening(page, entry), entry.title + tail, page.gettext(entry.state))


def _opening(page: Page, entry: Item) -> str:
    severity = page.text_of(_SEVERITIES[entry.level])
    return f"{entry.number} {padded(severity, 6)} "


def _gain(page: Page, entry: Item, axis: Tuple[float, ...], full: bool) -> None:
    if entry.gain is None:
        reason = without_quotes(entry.no_gain)
        none = (
            page.gettext("none predicted: {reason}", reason=reason)
            if reason
            else page.gettext("none predicted")
        )
        page.labelled(page.gettext("gain"), none)
        return
    gain = padded(page.gettext("gain"), 5)
    words = f"  {gain} {entry.gain.text}, {entry.gain.ceiling_text}"
    wide = page.width >= NARROW and axis
    page.line(
        (padded(words, page.width - LANE - 1) if wide else words, ""),
        *(((range_bar(entry.gain, axis[-1]), "bold"),) if wide else ()),
    )
    if full:
        limits = page.gettext(
            "{share}; at most: {name}", share=entry.gain.share_text, name=entry.gain.ceiling_name
        )
        basis = page.gettext(
            "basis: {basis}; confidence {level}", basis=entry.gain.basis, level=entry.confidence
        )
        page.labelled("", limits)
        page.labelled("", basis)


def range_bar(gain: Gain, top: float, lane: int = LANE) -> str:
    """Thick: expected. Dots: up to the ceiling. A stop at the ceiling. What may be lost has no room
    on an axis from zero."""
    low, high, end = (
        round(max(value, 0.0) / top * lane) for value in (gain.low, gain.high, gain.ceiling)
    )
    low = min(low, lane - 1)
    high = min(max(high, low + 1), lane)
    return " " * low + "━" * (high - low) + "·" * max(0, end - high) + "┃"


def _evidence(page: Page, entry: Item, full: bool) -> None:
    facts = entry.facts if full else _that_fit(page, entry.facts)
    page.labelled("", without_quotes(" ".join(facts)), "dim")
    if full:
        page.labelled(page.gettext("why"), without_quotes(entry.why))


def _that_fit(page: Page, facts: Tuple[str, ...]) -> Tuple[str, ...]:
    """As many whole sentences as there are lines for; at least one, and behind a long one the next,
    which says where in the program."""
    count = 1
    while count < len(facts) and len(
        page.parts(" ".join(facts[: count + 1]), page.width - INDENT)
    ) <= (MOST_LINES if count == 1 else EVIDENCE_LINES):
        count += 1
    return facts[:count]


def _first_sentence(text: str) -> str:
    """Up to the first full stop that ends a sentence."""
    return re.split(r"(?<=[a-z0-9)`]\.)\s+(?=[A-Z])", text, maxsplit=1)[0]


def _action(page: Page, action: Action, entry: Item, full: bool) -> None:
    if action.seen:
        _seen(page, [f"{_MARKS[seen.mark]}\u00a0{seen.text}" for seen in action.seen])
    do = page.gettext("do")
    withheld = action.state == State.WITHHELD.value
    asked = bool(action.request) and action.state == State.REQUEST.value
    if asked and not full:
        page.labelled(
            do,
            page.gettext(
                "send the request text (in report.html, finding {number})", number=entry.number
            ),
        )
    elif action.command and not withheld and not asked:
        page.labelled(do, page.gettext("in {file}:", file=action.file) if action.file else "")
        page.command("" if action.file else do, action.paste or action.text)
    elif not asked:
        page.labelled(do, without_quotes(_withheld(page, action) if withheld else action.text))
    for text in () if full else entry.hurts[:1]:  # that of the step which is shown
        page.labelled(page.gettext("hurts"), without_quotes(_first_sentence(text)))
    if full:
        _request(page, action)
    check = action.check if full else _first_sentence(action.check)
    page.labelled(page.gettext("check"), without_quotes(check))
    if full:
        page.labelled(page.gettext("undo"), without_quotes(action.undo))


def _withheld(page: Page, action: Action) -> str:
    text = page.gettext("not offered here: {text}", text=action.text)
    return f"{text} ({action.reason})" if action.reason else text


def _seen(page: Page, marks: List[str]) -> None:
    """In one line if they fit, else a line each."""
    together = "\u00a0\u00a0 ".join(marks)
    for place, text in enumerate([together] if len(together) <= page.width - INDENT else marks):
        page.labelled(page.gettext("seen") if place == 0 else "", text)


def _request(page: Page, action: Action) -> None:
    """Ready to be sent, after what it asks for."""
    if action.request:
        send = (
            page.gettext("send this to your centre ({text} then takes effect):", text=action.text)
            if action.command
            else page.gettext("send this to your centre:")
        )
        page.labelled(page.gettext("ask"), send)
        for line in action.request.split("\n"):
            page.wrapped(line, "", "", 8)
    if action.who:
        page.labelled(page.gettext("who"), action.who)


def _origins(page: Page, entry: Item) -> None:
    page.labelled(page.gettext("rule"), f"{entry.folder}/{entry.rule} {entry.help_url}".rstrip())
    for text in entry.limits:
        page.labelled(page.gettext("limit"), text)
    for text in entry.published:
        page.labelled(page.gettext("read"), without_quotes(text))
    for source in dict.fromkeys(action.source for action in entry.actions if action.source):
        page.labelled(page.gettext("from"), source)
