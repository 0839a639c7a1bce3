"""One finding in a terminal: state and range bar stand flush right, so both columns can be
scanned."""

from __future__ import annotations

from typing import List, Tuple

from advisor.base.numbers import number, second_unit
from advisor.model.finding import State
from advisor.model.message import message
from advisor.reports.document import Action, Gain, Item
from advisor.reports.page import INDENT, Page, padded, without_quotes

LANE = 24
"""Columns of a range bar."""
NARROW = 60
"""Below so many columns range bars go; commands stay."""
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


def detailed(page: Page, entry: Item, axis: Tuple[float, ...]) -> None:
    """All parts of a finding."""
    page.split(_opening(page, entry), entry.title, page.gettext(entry.state))
    _gain(page, entry, axis)
    if entry.verified:
        page.labelled(page.gettext("tried"), entry.verified)
    page.labelled("", without_quotes(" ".join(entry.facts)), "dim")
    page.labelled(page.gettext("why"), without_quotes(entry.why))
    for action in entry.actions:
        _action(page, action)
    for text in entry.hurts:
        page.labelled(page.gettext("caution"), without_quotes(text))
    _origins(page, entry)
    page.blank()


def _opening(page: Page, entry: Item) -> str:
    severity = page.text_of(_SEVERITIES[entry.level])
    return f"{entry.number} {padded(severity, 6)} "


def _gain(page: Page, entry: Item, axis: Tuple[float, ...]) -> None:
    if entry.gain is None:
        reason = without_quotes(entry.no_gain)
        none = (
            page.gettext("not estimated: {reason}", reason=reason)
            if reason
            else page.gettext("not estimated")
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


def _action(page: Page, action: Action) -> None:
    if action.seen:
        _seen(page, [f"{_MARKS[seen.mark]}\u00a0{seen.text}" for seen in action.seen])
    do = page.gettext("do")
    withheld = action.state == State.WITHHELD.value
    asked = bool(action.request) and action.state == State.REQUEST.value
    if action.command and not withheld and not asked:
        page.labelled(do, page.gettext("in {file}:", file=action.file) if action.file else "")
        page.command("" if action.file else do, action.paste or action.text)
    elif not asked:
        page.labelled(do, without_quotes(_withheld(page, action) if withheld else action.text))
    _request(page, action)
    page.labelled(page.gettext("check"), without_quotes(action.check))
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
