"""Advice for one kind of reader: what a user, a developer, the support or an administrator can do,
up to an effort."""

from __future__ import annotations

from dataclasses import replace
from typing import List, Mapping, Tuple

from advisor.advice.judging.remedies import settings_of, state_of
from advisor.model.finding import Advice, Finding, Silence, State, Step, Verdict
from advisor.model.message import message

AUDIENCES: Mapping[str, Tuple[str, ...]] = {
    "user": ("you", "centre", "nobody"),
    "developer": ("you", "developer", "nobody"),
    "support": ("you", "centre", "developer", "nobody"),
    "admin": ("centre",),
}
"""Whose steps each of them is shown. A request to the centre is the user's to send and the
administrator's to answer."""
MOST_EFFORT = 5
_OTHERS = {"you": "a user", "centre": "the centre", "developer": "a developer", "nobody": "nobody"}


def for_audience(advice: Advice, who: str = "", effort: int = MOST_EFFORT) -> Advice:
    """The advice with the steps that this reader can do, and that take no more than this effort (1
    to 5, as rules have it).

    A finding of which no step is left becomes a rule that does not speak, and says whose it is.
    `who`: one of READERS; empty: all.
    """
    if not who and effort >= MOST_EFFORT:
        return advice
    experiments = tuple(
        replace(each, steps=steps)
        for each in advice.experiments
        if (steps := _steps_of(each, who, effort))
    )
    shown: List[Finding] = []
    silences = list(advice.silences)
    for finding in advice.findings:
        steps = _steps_of(finding, who, effort)
        if steps or not finding.steps:
            shown.append(
                replace(finding, steps=steps, state=state_of(steps) if steps else finding.state)
            )
        else:
            silences.append(Silence(finding.rule, Verdict.MOOT, _elsewhere(finding, effort)))
    kept = {
        item
        for finding in shown
        for step in finding.steps
        if step.state is State.DOABLE
        for item in settings_of(step).items()
    }
    settings = {
        name: value for name, value in (advice.settings or {}).items() if (name, value) in kept
    }
    return replace(
        advice,
        findings=tuple(shown),
        silences=tuple(silences),
        settings=settings,
        experiments=experiments,
    )


def _steps_of(finding: Finding, who: str, effort: int) -> Tuple[Step, ...]:
    return tuple(
        step
        for step in finding.steps
        if step.who in AUDIENCES.get(who, (step.who,)) and _effort(step) <= effort
    )


def _effort(step: Step) -> int:
    """A request costs its reader a message; what it costs the centre is the centre's affair."""
    return 1 if step.state is State.REQUEST else step.effort


def _elsewhere(finding: Finding, effort: int) -> str:
    whose = ", ".join(dict.fromkeys(_OTHERS.get(step.who, step.who) for step in finding.steps))
    least = min(_effort(step) for step in finding.steps)
    return message(
        "Found, and left out here: what can be done is for {whose}, with an effort of {least} or"
        " more of {most}.",
        whose=whose,
        least=least,
        most=MOST_EFFORT,
    )
