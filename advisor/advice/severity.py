"""How grave, how sure, and in which order (METRICS 15)."""

from __future__ import annotations

from typing import Optional, Tuple

from advisor.model.finding import Finding, State
from advisor.model.measures import Quality
from advisor.model.rule import Rule

_STEPS = ((0.10, "high"), (0.05, "medium"), (0.02, "low"))
"""METRICS 15: share of elapsed at stake."""
_WEIGHTS = {"high": 1.0, "medium": 0.6, "low": 0.3}
"""Of confidence, in the order of display: how often we expect to be right."""
_LEVELS = ("low", "medium", "high")
_NOMINAL = {**{level: share for share, level in _STEPS}, "note": 0.0}
_RANK = ("high", "medium", "low", "note")


def severity(rule: Rule, stake: Optional[float], steps: int) -> str:
    """The rule's fixed severity, or by the share at stake; a note if that is not known or nothing can be done."""
    if rule.severity:
        return rule.severity
    if stake is None or not steps:
        return "note"
    return next((level for share, level in _STEPS if stake >= share), "note")


def confidence(rule: Rule, quality: Quality, doubts: int) -> str:
    """high for what was measured and shown before; one level down each for estimates, doubts, and no evidence."""
    level = 2 - {Quality.ESTIMATED: 1, Quality.ASSUMED: 2, Quality.UNKNOWN: 2}.get(quality, 0)
    shown = bool(rule.evidence) or rule.gain is None or bool(rule.gain.rests_on) or rule.gain.basis in ("measured", "model")
    level -= (not shown) + bool(doubts)
    if rule.status == "trial":
        level = min(level, 1)
    return _LEVELS[max(0, level)]


def order(finding: Finding, fixed: bool) -> Tuple:
    """Sorting key: lower end of gain × confidence / effort, largest first; then severity, then what is at stake,
    then what is surer and less effort.

    `fixed`: its severity is fixed. Without a number it then counts with the lower bound of its severity.
    """
    effort = min((step.effort for step in finding.steps if step.state is finding.state), default=5)
    weight = _WEIGHTS[finding.confidence] / effort
    saving = finding.saving
    worth = saving.low / saving.base if saving and saving.base else _NOMINAL[finding.severity] * fixed
    high = saving.high / saving.base if saving and saving.base else 0.0
    return (finding.state in (State.NO_SETTING, State.WITHHELD), -worth * weight, _RANK.index(finding.severity), -high * weight, -weight, finding.rule)
