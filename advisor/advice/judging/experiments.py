"""What is tried before it is set: remedies whose gain rests on records, none of them near this run.

The same nearness decides whether a rule gives a number and whether its settings are offered: a
published case of another machine shows that a setting can matter, not which value is good here.
"""

from __future__ import annotations

from dataclasses import replace
from typing import List, Sequence, Tuple

from advisor.advice.judging.evidence_gain import too_far
from advisor.advice.judging.remedies import state_of
from advisor.advice.language.scope import Scope
from advisor.advice.rulebook.schema import COMMANDS
from advisor.model.finding import Finding, State, Step
from advisor.model.rule import Rule

_LEFT = (State.DOABLE, State.REQUEST, State.DEVELOPER)
"""With a step of these a finding stays one when its experiments are taken out."""


def settings_or_experiments(rule: Rule, scope: Scope, found: Tuple[Step, ...]) -> Tuple[Step, ...]:
    """The steps; those that could be set become experiments where the records are too far away."""
    reason = too_far(rule, scope)
    if not reason:
        return found
    return tuple(
        replace(each, state=State.EXPERIMENT, reason=reason)
        if each.state is State.DOABLE and each.kind in COMMANDS
        else each
        for each in found
    )


def apart(findings: Sequence[Finding]) -> Tuple[List[Finding], Tuple[Finding, ...]]:
    """Findings without experiments, and the experiments. What is nothing but an experiment explains
    no time: nobody knows yet whether it is the cause."""
    kept: List[Finding] = []
    experiments: List[Finding] = []
    for finding in findings:
        tried = tuple(each for each in finding.steps if each.state is State.EXPERIMENT)
        rest = tuple(each for each in finding.steps if each.state is not State.EXPERIMENT)
        if tried:
            experiments.append(
                replace(finding, steps=tried, state=State.EXPERIMENT, causes=(), rival_of="")
            )
        if not tried:
            kept.append(finding)
        elif any(each.state in _LEFT for each in rest):
            kept.append(replace(finding, steps=rest, state=state_of(rest)))
    return kept, tuple(experiments)
