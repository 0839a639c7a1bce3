"""Clear, moot, unknown: what silence means."""

from __future__ import annotations

import re
from typing import Tuple

from advisor.model.finding import Advice, Silence, Verdict
from advisor.reports.document import Quiet, Silences

_ASKED = re.compile(r"The question does not arise for .*?: (it goes by .+)", re.DOTALL)


def silences(advice: Advice) -> Silences:
    """All rules that did not speak, and what the collector did not see."""
    groups = {
        verdict: tuple(_quiet(entry) for entry in advice.silences if entry.verdict is verdict)
        for verdict in Verdict
    }
    return Silences(
        groups[Verdict.CLEAR], groups[Verdict.MOOT], groups[Verdict.UNKNOWN], _unseen(advice)
    )


def _quiet(entry: Silence) -> Quiet:
    short = entry.rule.replace("-", " ")
    words = [entry.sentence.rstrip("."), entry.reason.rstrip(".")]
    sentence = ": ".join(dict.fromkeys(filter(None, words)))
    asked = _ASKED.match(sentence)
    # Under its heading a list of "the question does not arise" says nothing: name the question
    # instead.
    return Quiet(
        entry.rule,
        f"{short}: {asked.group(1)}" if asked else sentence,
        entry.collect,
        short,
        entry.missing,
    )


def _unseen(advice: Advice) -> Tuple[Quiet, ...]:
    gaps = dict.fromkeys((*advice.measures.profile.gaps, *advice.measures.gaps))
    return tuple(
        Quiet(gap.subject, gap.reason.rstrip("."), gap.collect, gap.subject) for gap in gaps
    )
