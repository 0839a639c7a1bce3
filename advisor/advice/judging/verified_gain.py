"""Gains that were earned before: what runs like this one verified at this site comes before what a
rule predicts."""

from __future__ import annotations

from dataclasses import replace
from typing import List, Optional, Sequence, Tuple

from advisor.advice.judging.gain import BEYOND_WORK
from advisor.advice.judging.prediction_interval import ENOUGH, saved
from advisor.advice.judging.remedies import settings_of
from advisor.advice.judging.site_history import like_this_run
from advisor.advice.language.scope import View
from advisor.model.finding import Finding, Saving, State
from advisor.model.measures import Quality
from advisor.model.message import message
from advisor.model.verified import Evidence, Verified

NEWEST = 8
"""Verified runs that count. From ENOUGH on their spread tells where the next one will lie; fewer
give the interval that covers theirs."""


def with_verified_gains(
    findings: Sequence[Finding], evidence: Sequence[Evidence], view: View
) -> List[Finding]:
    """The findings, with gains from `evidence` where runs like this one have tried the same remedy.
    What this very result verified is not a prediction."""
    alike = [each for each in evidence if not each.own and like_this_run(each, view)]
    return (
        [_with_verified_gain(finding, alike, view) for finding in findings]
        if alike
        else list(findings)
    )


def _with_verified_gain(finding: Finding, alike: Sequence[Evidence], view: View) -> Finding:
    step = next((each for each in finding.steps if each.state is State.DOABLE), None)
    # A run that is too short or was slowed down by measuring predicts nothing, whoever asks.
    if step is None or (
        finding.saving is None and not finding.no_saving_reason.startswith("no basis")
    ):
        return finding
    wanted = settings_of(step)
    known = [
        each.verified
        for each in alike
        if each.verified.rules == (finding.rule,)
        and dict(each.verified.settings) == wanted
        and _has_numbers(each.verified)
    ]
    base = _cell(view, "time")
    if not known or not base:
        return finding
    saving, reason = _saving(known[-NEWEST:], bool(wanted), base, view)
    return replace(finding, saving=saving, no_saving_reason=reason)


def _has_numbers(found: Verified) -> bool:
    return found.verdict != "breaks" and None not in (found.effect, found.low, found.high)


def _saving(
    known: Sequence[Verified], settings: bool, base: float, view: View
) -> Tuple[Optional[Saving], str]:
    """The gain, below 0 where some of them lost; or None and the reason, if none was faster."""
    low, high = (share * base for share in shares(known))
    most, name = base, message("the whole run")
    bound = _cell(view, "ceiling_share")
    if settings and bound is not None:
        most, name = bound * base, BEYOND_WORK
    last = max((each.date for each in known), default="")[:10]
    source = (
        message(
            "verified runs of this program here: {runs}, the last on {date}",
            runs=len(known),
            date=last,
        )
        if last
        else message("verified runs of this program here: {runs}", runs=len(known))
    )
    high = min(high, most)
    if high <= 0:
        reason = message("{runs}; none was faster", runs=source)
        return None, message("no number: {reason}", reason=reason)
    return Saving(min(low, high), high, most, name, base, "verified", source, Quality.DERIVED), ""


def shares(known: Sequence[Verified]) -> Tuple[float, float]:
    """(low, high) shares of the time that were saved."""
    if len(known) < ENOUGH:
        highs = [each.high for each in known if each.high is not None]
        lows = [each.low for each in known if each.low is not None]
        return -max(highs), -min(lows)
    return saved([1 + each.effect for each in known if each.effect is not None])


def _cell(view: View, column: str) -> Optional[float]:
    value = (view.cells("run", column) or [None])[0]
    return float(value) if isinstance(value, (int, float)) else None
