"""One finding: the rows that a rule found, as sentences, numbers and steps."""

from __future__ import annotations

from dataclasses import replace
from typing import List, NamedTuple, Optional, Tuple

from advisor.advice.judging.call_sites import at_call_site
from advisor.advice.judging.evaluate_rows import Evaluated
from advisor.advice.judging.evidence_gain import LOST
from advisor.advice.judging.experiments import settings_or_experiments
from advisor.advice.judging.gain import pieces_of_time, saving, stake
from advisor.advice.judging.ownership import causes_of_all
from advisor.advice.judging.remedies import state_of, steps, withdrawn
from advisor.advice.judging.severity import confidence, severity
from advisor.advice.language import sentence
from advisor.advice.language.expression import parse
from advisor.advice.language.scope import Scope
from advisor.advice.language.unknown import Unknown
from advisor.advice.rulebook.messages import name_of, with_messages
from advisor.base.numbers import counted
from advisor.model.finding import Finding, Saving, State, Step
from advisor.model.measures import Quality
from advisor.model.message import message
from advisor.model.rule import Rule

_MORE_ROWS = 2
"""Further rows that get a sentence of their own; the rest is counted."""


def finding_of(rule: Rule, scope: Scope, evaluated: Evaluated) -> Finding:
    """What is said about the rows that were found; the first is the worst."""
    rule, worst = with_messages(rule), evaluated.found[0]
    cautions, doubts = _caveats(rule, worst)
    found = tuple(
        replace(
            each,
            hurts=(*each.hurts, *(caution.text for caution in cautions if caution.is_of(each))),
        )
        for each in steps(rule, worst)
    )
    found = settings_or_experiments(rule, worst, found)
    found = withdrawn(found, evaluated.withdrawn) if evaluated.withdrawn else found
    gained, reason = _saving(rule, worst, state_of(found), evaluated.withdrawn)
    found = withdrawn(found, reason) if reason.startswith(LOST) else found
    state = state_of(found)
    scope.view.times[rule.id] = pieces_of_time(rule, worst) if gained else frozenset()
    return Finding(
        rule=rule.id,
        folder=rule.folder,
        title=_title(rule, worst),
        subject=sentence.fill(rule.look.say, worst, rule.look.each).text,
        why=rule.why,
        severity=severity(
            rule, stake(rule, worst), state is not State.NO_SETTING and not evaluated.withdrawn
        ),
        state=state,
        confidence=confidence(rule, _quality(rule, worst, gained), doubts),
        saving=gained,
        no_saving_reason=reason,
        facts=_facts(rule, evaluated),
        rows=len(evaluated.found),
        steps=found,
        hurts=tuple(caution.text for caution in cautions if not caution.of),
        published=rule.evidence,
        limits=tuple(rule.limits.values()),
        causes=causes_of_all(rule, evaluated.found),
        work_stays=rule.gain is not None and rule.gain.work_stays,
        help_url=rule.help_url,
        policy=rule.kind == "policy",
    )


def _title(rule: Rule, worst: Scope) -> str:
    """With the numbers of the worst row; without them where one is not known."""
    filled = sentence.fill(rule.found, worst, rule.look.each)
    return name_of(rule) if filled.unknown.missing else filled.text


def _saving(
    rule: Rule, worst: Scope, state: State, withdrawn_by: str
) -> Tuple[Optional[Saving], str]:
    if withdrawn_by:
        return None, message("no number: {reason}", reason=withdrawn_by)
    if state is State.NO_SETTING:
        reason = message("no MPI setting of this library helps")
        return None, message("no number: {reason}", reason=reason)
    return saving(rule, worst)


def _facts(rule: Rule, evaluated: Evaluated) -> Tuple[str, ...]:
    """Where the calls of the worst row come from, evidence about it, then the next rows, then how
    many there are. What is not known is left out."""
    each, worst = rule.look.each, evaluated.found[0]
    subject = sentence.fill(rule.look.say, worst, each)
    filled = [sentence.fill(text, worst, each) for text in rule.look.evidence]
    place = at_call_site(rule, worst, [text.text for text in (subject, *filled)])
    own = len(filled)
    filled += [
        sentence.fill(rule.look.say, row, each) for row in evaluated.found[1 : 1 + _MORE_ROWS]
    ]
    evidence, rows = (
        [text.text for text in part if not text.unknown.missing]
        for part in (filled[:own], filled[own:])
    )
    facts = list(dict.fromkeys([*place, *evidence, *rows]))
    return tuple(facts + _counts(each, evaluated) + _changed(rule))


def _counts(each: str, evaluated: Evaluated) -> List[str]:
    left = len(evaluated.found) - 1 - _MORE_ROWS
    sentences: List[str] = []
    if left > 0:
        more = counted(left, each)
        sentences.append(message("The same holds for {rows} more.", rows=more))
    if evaluated.unseen:
        sentences.append(
            message(
                "{rows} of {all} could not be looked at: {reason}.",
                rows=counted(evaluated.unseen, each),
                all=evaluated.rows,
                reason=evaluated.unknown.reason(),
            )
        )
    return sentences


def _changed(rule: Rule) -> List[str]:
    return [
        message(
            "The limit {name} is {value} here, set by {file}: {why}",
            name=each.name,
            value=each.text,
            file=each.changed_by,
            why=each.why,
        )
        for each in rule.limits.values()
        if each.changed_by
    ]


class _Caution(NamedTuple):
    text: str
    of: Tuple[str, ...]

    def is_of(self, found: Step) -> bool:
        return any(part in found.text for part in self.of)


def _caveats(rule: Rule, worst: Scope) -> Tuple[List[_Caution], int]:
    """What may hurt here, and how many caveats put the finding in doubt. Those that do not hold are
    left out."""
    hurts, doubts = [], 0
    for caveat in rule.caveats:
        holds = parse(caveat.when, rule.look.each).evaluate(worst) if caveat.when else True
        if holds is False:
            continue
        text = sentence.fill(caveat.text, worst, rule.look.each).text
        hurts.append(
            _Caution(
                (
                    message(
                        "{caveat} (not known here: {reason})", caveat=text, reason=holds.reason()
                    )
                    if isinstance(holds, Unknown)
                    else text
                ),
                caveat.of,
            )
        )
        doubts += bool(caveat.when) and not (isinstance(holds, Unknown) and holds.nothing())
    return hurts, doubts


def _quality(rule: Rule, worst: Scope, gained: Optional[Saving]) -> Quality:
    texts = [text for text in (rule.look.where, rule.look.when) if text]
    used = [sentence.quality(parse(text, rule.look.each), worst) for text in texts]
    return Quality(max([gained.quality if gained else Quality.MEASURED, *used]))
