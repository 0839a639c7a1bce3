"""Clear, moot, unknown: what silence means."""

from __future__ import annotations

from typing import Tuple

from advisor.model.finding import Advice, Silence, Verdict
from advisor.reports.document import Quiet, Silences


def silences(advice: Advice) -> Silences:
    """All rules that did not speak, and what the collector did not see."""
    groups = {verdict: tuple(_quiet(entry) for entry in advice.silences if entry.verdict is verdict) for verdict in Verdict}
    return Silences(groups[Verdict.CLEAR], groups[Verdict.MOOT], groups[Verdict.UNKNOWN], _unseen(advice))


def _quiet(entry: Silence) -> Quiet:
    words = [entry.sentence.rstrip("."), entry.reason.rstrip(".")]
    return Quiet(entry.rule, ": ".join(dict.fromkeys(filter(None, words))), entry.collect, entry.rule.replace("-", " "))


def _unseen(advice: Advice) -> Tuple[Quiet, ...]:
    gaps = dict.fromkeys((*advice.measures.profile.gaps, *advice.measures.gaps))
    return tuple(Quiet(gap.subject, gap.reason.rstrip("."), gap.collect, gap.subject) for gap in gaps)
