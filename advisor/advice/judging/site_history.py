"""The history of a site: a remedy that runs like this one have disproved is withheld, with the
reason."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import List, Mapping, Optional, Sequence

from advisor.advice.judging.remedies import settings_of, state_of
from advisor.advice.language.scope import View
from advisor.model.finding import Finding, State, Step
from advisor.model.message import message
from advisor.model.verified import DISPROVED, Evidence, Verified

SIMILAR_RANKS = 2.0
"""Numbers of ranks up to this factor apart are alike."""
_WORDS = {"same": "made no difference", "worse": "made it slower", "breaks": "broke the run"}


def with_history(
    findings: Sequence[Finding], evidence: Sequence[Evidence], view: View
) -> List[Finding]:
    """The findings with what is remembered of their remedies. `evidence`: the newest last."""
    alike = [each.verified for each in evidence if like_this_run(each, view)]
    return (
        [
            _recalled(finding, [each for each in alike if each.rules == (finding.rule,)])
            for finding in findings
        ]
        if alike
        else list(findings)
    )


def like_this_run(each: Evidence, view: View) -> bool:
    """Same program, same library of the same major version, ranks at most SIMILAR_RANKS times more
    or fewer. What is not known is alike."""
    run, library = view.measures.profile.run, view.measures.profile.library
    ranks = (view.cells("run", "ranks") or [None])[0]
    close = (
        not isinstance(ranks, (int, float))
        or not ranks
        or not each.ranks
        or max(ranks, each.ranks) <= SIMILAR_RANKS * min(ranks, each.ranks)
    )
    major = {version.partition(".")[0] for version in (library.version, each.version) if version}
    return (
        close
        and len(major) < 2
        and each.library == library.name
        and each.program == os.path.basename(run.program)
    )


def _recalled(finding: Finding, known: Sequence[Verified]) -> Finding:
    steps = tuple(_with_verdict(step, known) for step in finding.steps)
    if steps == finding.steps:
        return finding
    state = state_of(steps)
    if not any(step.state is State.WITHHELD for step in steps):
        return replace(finding, steps=steps, state=state)
    gone = state is not State.DOABLE and finding.state is State.DOABLE
    reason = next(step.reason for step, before in zip(steps, finding.steps) if step is not before)
    return replace(
        finding,
        steps=steps,
        state=state,
        saving=None if gone else finding.saving,
        no_saving_reason=message("no number: {reason}", reason=reason)
        if gone
        else finding.no_saving_reason,
    )


def _with_verdict(step: Step, known: Sequence[Verified]) -> Step:
    """Disproved: withheld. An experiment that proved better is one no more."""
    tried = step.state in (State.DOABLE, State.EXPERIMENT)
    settings = settings_of(step) if tried else {}
    last = _last(settings, known) if settings else None
    if last and last.verdict in DISPROVED:
        return replace(step, state=State.WITHHELD, reason=_reason(last))
    if last and step.state is State.EXPERIMENT:
        return replace(step, state=State.DOABLE, reason="")
    return step


def _last(settings: Mapping[str, str], known: Sequence[Verified]) -> Optional[Verified]:
    """The newest verdict on exactly these settings that says something."""
    return next(
        (
            each
            for each in reversed(known)
            if dict(each.settings) == dict(settings) and each.verdict != "undecided"
        ),
        None,
    )


def _reason(last: Verified) -> str:
    day = f" on {last.date[:10]}" if last.date else ""
    numbers = (
        ""
        if last.verdict == "breaks" or last.effect is None
        else f" ({100 * last.effect:+.1f} % of the time, {last.pairs} pairs)".replace(
            "-", "\u2212", 1
        )
    )
    broken = f" ({last.reason})" if last.verdict == "breaks" and last.reason else ""
    return f"it was tried here{day} and {_WORDS[last.verdict]}{numbers}{broken}"
