"""Verified changes, in words."""

from __future__ import annotations

import re
from typing import Sequence, Tuple

from advisor.base.numbers import HARD, MINUS, counted
from advisor.model.finding import Finding
from advisor.model.message import joined, message
from advisor.model.verified import Verified
from advisor.reports.document import Line

_MIDDLES = {
    "median": message("the median, since some runs were far off"),
    "fast": message("of the faster runs, since many were far off"),
}
_VERDICTS = {
    "better": message("better: {reasons}"),
    "same": message("same: {reasons}"),
    "worse": message("worse: {reasons}"),
    "undecided": message("undecided: {reasons}"),
    "breaks": message("breaks: {reasons}"),
}


def effect(found: Verified) -> str:
    """ "−8.1 % [−9.0, −7.3]"; empty if there is none."""
    if found.effect is None or found.low is None or found.high is None:
        return ""
    # Decimals as far as the interval gives them a meaning.
    places = 1 if found.high - found.low < 0.1 else 0
    middle, low, high = (
        _signed(100 * value, places) for value in (found.effect, found.low, found.high)
    )
    return f"{middle}{HARD}% [{low}, {high}]"


def numbers(found: Verified) -> str:
    """ "−8.1 % [−9.0, −7.3], 6 pairs"; empty if there are none."""
    known = effect(found)
    return known and message("{effect}, {pairs}", effect=known, pairs=counted(found.pairs, "pair"))


def sentence(found: Verified) -> str:
    """The verdict with its numbers: "better: −8.1 % [−9.0, −7.3], 6 pairs"."""
    metric = (
        ""
        if found.metric == "wall clock"
        else message("timed by {metric}", metric=_printed(found.metric))
    )
    warm = message("the first pair was a warm-up") if found.dropped else ""
    middle = _MIDDLES.get(found.middle, "")
    reason = found.reason if found.verdict in ("undecided", "breaks") else ""
    said = numbers(found) if found.verdict != "breaks" else ""
    reasons = joined("; ", filter(None, (said, middle, reason, metric, warm)))
    return _VERDICTS[found.verdict].of(reasons=reasons)


_GROUP = re.compile(r"(?<!\\)\((?!\?)(?:[^()\\]|\\.)*\)")


def _printed(metric: str) -> str:
    """A regular expression as the line that it finds: "fastest batch: ([0-9.]+)" is "fastest batch:
    …"."""
    return re.sub(r"\\(\W)", r"\1", re.sub(r"\\s[+*]?", " ", _GROUP.sub("…", metric)))


def of_finding(finding: Finding, found: Sequence[Verified]) -> str:
    """What is known of this finding's remedy; empty if it was never tried."""
    return next((sentence(each) for each in found if each.name == finding.rule), "")


def others(findings: Sequence[Finding], found: Sequence[Verified]) -> Tuple[Line, ...]:
    """What was tried beside the findings: several at once, settings of the user's own, and what is
    no finding any more."""
    shown = {finding.rule for finding in findings}
    return tuple(Line(_name(each), sentence(each)) for each in found if each.name not in shown)


def _name(found: Verified) -> str:
    return f"{found.name} ({', '.join(found.rules)})" if len(found.rules) > 1 else found.name


def _signed(value: float, places: int) -> str:
    text = f"{value:+.{places}f}" if abs(value) < 9999.5 else f"{value:+.1e}"
    return text.replace("-", MINUS)
