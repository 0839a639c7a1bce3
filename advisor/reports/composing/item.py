"""Findings as items: all parts in words, none left out in silence."""

from __future__ import annotations

from typing import Optional, Sequence, Tuple

from advisor.base.numbers import between, between_seconds, counted, seconds, time_saved
from advisor.model.finding import Finding, Saving, State, Step
from advisor.model.measures import Quality
from advisor.model.message import Message, behind, changed, joined, message, unstopped
from advisor.model.rule import Evidence, Limit
from advisor.model.verified import Verified
from advisor.reports.composing import verified
from advisor.reports.document import Action, Gain, Item, Seen

_LEVELS = {"must": 4, "high": 3, "medium": 2, "low": 1, "note": 0}
_SEVERITIES = {
    "must": message("Must"),
    "high": message("High"),
    "medium": message("Medium"),
    "low": message("Low"),
    "note": message("Note"),
}
_CONFIDENCES = {"high": message("high"), "medium": message("medium"), "low": message("low")}
_BASIS = {
    "measured": message("measured elsewhere"),
    "model": message("a model"),
    "published": message("published results"),
    "records": message("results of runs near this one"),
    "none": message("no basis for a narrower range"),
    "verified": message("verified before"),
}
_REASONS = ("no number: {reason}", "no basis for a number: {reason}")
"""Templates of why there is none, of which reports need the reason alone."""
_MARKS = {True: "yes", False: "no", None: "open"}
_COMMANDS = ("launch", "set", "input")


def item(number_: int, finding: Finding, tried: Sequence[Verified] = ()) -> Item:
    """One finding, numbered in the order of the advice; `tried`: what runs said of changes."""
    return Item(
        number=number_,
        rule=finding.rule,
        folder=finding.folder,
        title=unstopped(finding.title),
        subject=finding.subject,
        why=changed(finding.why, _in_one_line),
        severity=_SEVERITIES.get(finding.severity, finding.severity.capitalize()),
        level=_LEVELS.get(finding.severity, 0),
        state=finding.state.value,
        confidence=_CONFIDENCES.get(finding.confidence, finding.confidence),
        gain=gain(finding.saving),
        no_gain=_no_gain(finding),
        facts=_facts(finding),
        actions=_actions(finding),
        hurts=_hurts(finding),
        published=tuple(_published(entry) for entry in finding.published),
        limits=tuple(limit_text(limit) for limit in finding.limits),
        verified=verified.of_finding(finding, tried),
        help_url=finding.help_url,
    )


def _in_one_line(text: str) -> str:
    return " ".join(text.split())


def _hurts(finding: Finding) -> Tuple[str, ...]:
    """What belongs to the step that is shown first, what holds whatever is done, and what belongs
    to other steps."""
    first, *others = (step.hurts for step in finding.steps) if finding.steps else ((),)
    return tuple(
        dict.fromkeys((*first, *finding.hurts, *(text for hurts in others for text in hurts)))
    )


def gain(saving: Optional[Saving]) -> Optional[Gain]:
    """The interval in words. Clipped at the ceiling: a predicted gain above it is never printed.
    What may be lost is. An interval that begins at 0 promises nothing but its upper end, so that
    this is the ceiling: what else the same calls cause goes with them."""
    if saving is None or saving.high <= 0:
        return None
    ceiling = max(saving.ceiling, 0.0)
    high = ceiling if saving.low == 0 else min(saving.high, ceiling)
    low = min(saving.low, high)
    mark = {Quality.ESTIMATED: "~", Quality.ASSUMED: "*"}.get(saving.quality, "")
    share: str = ""
    if saving.base:
        share = message(
            "{share} of {time} elapsed",
            share=between(100 * low / saving.base, 100 * high / saving.base, "%"),
            time=seconds(saving.base),
        )
    if low < 0:
        share = message("{share}; below 0 it costs time", share=share)
    return Gain(
        low,
        high,
        ceiling,
        behind(mark, between_seconds(low, high)),
        share,
        message("at most {amount}", amount=seconds(ceiling)),
        saving.ceiling_name,
        _basis(saving),
    )


def _no_gain(finding: Finding) -> str:
    """Why there is no number; the reports say themselves that there is none."""
    if gain(finding.saving) is not None:
        return ""
    reason = finding.no_saving_reason
    if isinstance(reason, Message) and reason.template in _REASONS:
        return reason.values["reason"]  # type: ignore[return-value]
    return reason


def _basis(saving: Saving) -> str:
    basis = _BASIS.get(saving.basis, saving.basis)
    if saving.ranks:
        ranks = counted(saving.ranks, "rank")
        basis = message("{basis} with {ranks}", basis=basis, ranks=ranks)
    return _with_source(basis, unstopped(saving.source))


def _facts(finding: Finding) -> Tuple[str, ...]:
    """The first sentence says what and where; it opens the evidence unless the title says the
    same."""
    sentences = (finding.subject, *finding.facts)
    return tuple(
        dict.fromkeys(
            text for text in sentences if text and text.rstrip(".") != finding.title.rstrip(".")
        )
    )


def _actions(finding: Finding) -> Tuple[Action, ...]:
    return tuple(_action(step) for step in finding.steps) or (_nothing_to_do(finding.state),)


def _action(step: Step) -> Action:
    seen = tuple(
        Seen(_MARKS[need.holds], _with_source(need.text, need.source))
        for need in step.prerequisites
    )
    return Action(
        kind=step.kind,
        text=changed(step.text, str.strip),
        command=step.kind in _COMMANDS,
        who=_who(step.who),
        state=step.state.value,
        check=step.check,
        undo=step.undo,
        seen=seen,
        request=step.request.strip(),
        reason=step.reason,
        source=step.source,
        file=step.file,
        risk=step.risk,
        change=step.change,
    )


def _with_source(text: str, source: str) -> str:
    return joined("", (text, " (", source, ")")) if source else text


def _who(who: str) -> str:
    return {
        "you": message("you"),
        "centre": message("your centre"),
        "developer": message("the developers of the program"),
        "nobody": "",
    }.get(who, who)


def _nothing_to_do(state: State) -> Action:
    text = {
        State.REQUEST: message("Ask your centre."),
        State.DEVELOPER: message(
            "The cause is in the program: show this finding to its developers."
        ),
    }.get(state, message("Nothing to set: no remedy of the rule fits this library and launcher."))
    return Action("do", text, False, "", state.value, "", "", (), "", "", "")


def _published(entry: Evidence) -> str:
    factors = ""
    if entry.low is not None and entry.high is not None:
        factors = f" {time_saved(1 / entry.low, 1 / entry.high).capitalize()}, of the run or the calls before"
    conditions = f" {entry.conditions.rstrip('.')}." if entry.conditions else ""
    text = f"{entry.text.rstrip('.')}.{factors}{'.' if factors else ''}"
    ranks = f", {counted(entry.ranks, 'rank')}" if entry.ranks else ""
    return f"{text}{conditions} Source: {entry.source}{ranks}"


def limit_text(limit: Limit) -> str:
    """ "cores_per_thread = 1: why (source; changed by file)"."""
    origin = "; ".join(
        filter(None, (limit.source, f"changed by {limit.changed_by}" if limit.changed_by else ""))
    )
    why = _with_source(unstopped(limit.why), origin)
    return joined("", (f"{limit.name} = {limit.text}: ", why))
