"""How grave, how sure, and in which order (METRICS 15)."""

from __future__ import annotations

from typing import Optional, Tuple

from advisor.advice.rulebook.schema import MUST, SEVERITIES
from advisor.model.finding import Finding, Saving, State
from advisor.model.measures import Quality
from advisor.model.rule import Rule

_STEPS = ((0.10, "high"), (0.05, "medium"), (0.02, "low"))
"""METRICS 15: share of elapsed at stake."""
_WEIGHTS = {"high": 1.0, "medium": 0.6, "low": 0.3}
"""Of confidence, in the order of display: how often we expect to be right."""
FEW_RANKS = 4
"""What so many ranks of one host showed does not show what many ranks of many hosts do."""
_LEVELS = ("low", "medium", "high")
_NOMINAL = {MUST: 0.10, **{level: share for share, level in _STEPS}, "note": 0.0}
_SMALL = 1 / 3
"""Of what another finding explains. Ours: three times as much is another matter."""
_SEEN = ("records", "verified")
"""Bases whose intervals hold eight of ten gains; those of the others are bounds."""


def severity(rule: Rule, stake: Optional[float], steps: int) -> str:
    """The rule's fixed severity, or by the share at stake; a note if that is not known or nothing
    can be done."""
    if rule.severity:
        return rule.severity
    if stake is None or not steps:
        return "note"
    return next((level for share, level in _STEPS if stake >= share), "note")


def confidence(rule: Rule, quality: Quality, doubts: int) -> str:
    """high for what was measured and shown before; one level down each for estimates, doubts, and
    no evidence."""
    level = 2 - {Quality.ESTIMATED: 1, Quality.ASSUMED: 2, Quality.UNKNOWN: 2}.get(quality, 0)
    shown = (
        any(each.ranks == 0 or each.ranks > FEW_RANKS for each in rule.evidence)
        or rule.gain is None
        or bool(rule.gain.rests_on)
        or rule.gain.basis == "model"
        or (rule.gain.basis == "measured" and rule.gain.ranks > FEW_RANKS)
    )
    level -= (not shown) + bool(doubts)
    if rule.status == "trial":
        level = min(level, 1)
    return _LEVELS[max(0, level)]


def order(finding: Finding, fixed: bool, stake: float = 0.0, part: float = 1.0) -> Tuple:
    """Sorting key: policies that must be met, then lower end of gain × confidence / effort, largest
    first; where that is nothing, by what was seen to be saved on average; then severity, then what
    is at stake, then what is surer and less effort.

    `fixed`: its severity is fixed. Without a number it then counts with the lower bound of its
    severity. `stake`: share of elapsed that it explains; of those without a number the one that
    explains more comes first. `part`: that, of what the one that explains most does. A sure gain in
    a small part of the lost time does not go before what explains the rest.
    """
    effort = min((step.effort for step in finding.steps if step.state is finding.state), default=5)
    weight = _WEIGHTS[finding.confidence] / effort
    saving = finding.saving
    base = saving.base if saving else 0.0
    # Advice that loses is taken back: the least that it is worth is nothing.
    worth = max(saving.low, 0.0) / base if saving and base else _NOMINAL[finding.severity] * fixed
    counts = bool(fixed or not stake or part >= _SMALL)
    worth *= counts
    high = saving.high / base if saving and base else stake
    usual = _usual(saving) * counts
    return (
        helps_nobody(finding),
        finding.severity != MUST,
        -worth * weight,
        -usual * (weight if usual > 0 else 1.0),
        SEVERITIES.index(finding.severity),
        -high * weight,
        -weight,
        finding.rule,
    )


def helps_nobody(finding: Finding) -> bool:
    """Whether it comes last: no setting changes it, or its advice is withheld."""
    return finding.state in (State.NO_SETTING, State.WITHHELD)


def _usual(saving: Optional[Saving]) -> float:
    """Share of elapsed that gains like this one come to on average, at least; below 0 if they lose
    on average.

    Of n gains with the standard deviation s the next one lies within t s sqrt(1 + 1/n) of their
    mean, and the mean of all that may come within t s sqrt(1/n) (Student's t): sqrt(n + 1) times
    nearer. From three on, which every prediction rests on, that is half the way from the middle to
    the lower end, or less. 0 for intervals that are bounds: nothing says where in between the gain
    lies.
    """
    if saving is None or not saving.base or saving.basis not in _SEEN:
        return 0.0
    least, middle = (3 * saving.low + saving.high) / 4, (saving.low + saving.high) / 2
    return (max(least, 0.0) + min(middle, 0.0)) / saving.base
