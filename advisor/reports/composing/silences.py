"""Clear, moot, unknown: what silence means."""

from __future__ import annotations

from typing import Tuple

from advisor.model.finding import Advice, Silence, Verdict
from advisor.model.message import Message, joined, message, unstopped
from advisor.reports.document import Quiet, Silences

_ASKED = "it goes by {measures}"
"""Why a question does not arise, where the rule has no words of its own for it."""


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
    words = [unstopped(entry.sentence), unstopped(entry.reason)]
    sentence = joined(": ", dict.fromkeys(filter(None, words)))
    asked = isinstance(entry.reason, Message) and entry.reason.template == _ASKED
    # Under its heading a list of "the question does not arise" says nothing: name the question
    # instead.
    return Quiet(
        entry.rule,
        joined(": ", (short, words[1])) if asked else sentence,
        entry.collect,
        short,
        entry.missing,
    )


def _unseen(advice: Advice) -> Tuple[Quiet, ...]:
    gaps = dict.fromkeys((*advice.measures.profile.gaps, *advice.measures.gaps))
    return tuple(
        Quiet(_subject(gap.subject), unstopped(gap.reason), gap.collect, gap.subject)
        for gap in gaps
    )


def _subject(subject: str) -> str:
    """Only those of call sites are words; others are names of tables and columns."""
    what, is_of_sites, file = subject.partition("call sites in ")
    return message("call sites in {file}", file=file) if is_of_sites and not what else subject
