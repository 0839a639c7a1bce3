"""Measures × Rules → Advice: each rule fires, passes, does not apply, or could not be checked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Dict, Iterable, List, Optional, Sequence, Set, Tuple, Union

from advisor.advice.judging.confidence import is_tolerable, with_low_confidence
from advisor.advice.judging.conflicts import resolve_conflicts
from advisor.advice.judging.evaluate_rows import Evaluated, evaluate_rows
from advisor.advice.judging.experiments import apart
from advisor.advice.judging.finding import finding_of
from advisor.advice.judging.ownership import owned, unexplained
from advisor.advice.judging.severity import helps_nobody, order
from advisor.advice.judging.site_history import with_history
from advisor.advice.judging.time_limit import TimeLimit, TookTooLong
from advisor.advice.judging.verified_gain import with_verified_gains
from advisor.advice.language import sentence
from advisor.advice.language.scope import ONE_ROW, Scope, View
from advisor.advice.language.unknown import Unknown, merged
from advisor.advice.rulebook.messages import message_of, name_of
from advisor.advice.rulebook.mistakes import Mistake
from advisor.advice.rulebook.schema import FOLDERS
from advisor.base.numbers import counted
from advisor.model import intent, record
from advisor.model.finding import Advice, Finding, Silence, Verdict
from advisor.model.measures import Measures
from advisor.model.message import message
from advisor.model.rule import Limit, Rule
from advisor.model.verified import Evidence

Opinion = Union[Finding, Silence]


def judge(
    measures: Measures,
    rules: Iterable[Rule],
    mistakes: Sequence[Mistake] = (),
    evidence: Sequence[Evidence] = (),
) -> Advice:
    """What all rules say about these measures, ordered by what is worth doing first.

    `mistakes`: of rule files that could not be read; they appear among what could not look. A rule
    that fails becomes an unknown with the reason; the others are judged. `evidence`: what was
    verified before, the newest last; a remedy that was disproved in a run like this one is
    withheld, and one that was proved has that gain.
    """
    rules, view = list(rules), View(measures)
    time_limit = TimeLimit()
    opinions = [_guarded(rule, view, time_limit) for rule in rules]
    fixed = {rule.id for rule in rules if rule.severity}
    findings = _ordered((each for each in opinions if isinstance(each, Finding)), fixed, view)
    findings, settings = resolve_conflicts(
        with_verified_gains(with_history(findings, evidence, view), evidence, view), view
    )
    silences = [each for each in opinions if isinstance(each, Silence)] + _unread(mistakes)
    findings, experiments = apart(findings)
    # What lost its setting to an earlier finding is withheld, and withheld findings come last.
    findings = owned(_ordered(findings, fixed, view), view)
    read = len(rules) + len({each.file for each in mistakes})
    return Advice(
        measures,
        tuple(findings),
        tuple(silences),
        read,
        changed_limits(rules),
        settings,
        unexplained(findings, view),
        experiments=experiments,
    )


def judge_rule(rule: Rule, view: View) -> Opinion:
    """What one rule says."""
    scope = Scope(view, rule.limits)
    if rule.status == "muted":
        return Silence(
            rule.id, Verdict.MOOT, message("Muted here."), rule.why.rpartition("\n\n")[2]
        )
    silent, unknown = _required(rule, scope)
    if silent:
        return silent
    opinion = _spoken(rule, scope)
    return with_low_confidence(opinion, unknown) if isinstance(opinion, Finding) else opinion


def changed_limits(rules: Iterable[Rule]) -> Tuple[Limit, ...]:
    """Limits that a site changed, with the rule's id in front of the name."""
    return tuple(
        replace(limit, name=f"{rule.id}: {limit.name}")
        for rule in rules
        for limit in rule.limits.values()
        if limit.changed_by
    )


def _ordered(findings: Iterable[Finding], fixed: Set[str], view: View) -> List[Finding]:
    known = view.measures.causes
    shares = known.means / known.elapsed if known is not None and known.elapsed > 0 else None

    def stake(each: Finding) -> float:
        return 0.0 if shares is None else float(shares[list(each.causes)].sum())

    findings = list(findings)
    most = max((stake(each) for each in findings if not helps_nobody(each)), default=0.0)
    return sorted(
        findings,
        key=lambda each: order(
            each, each.rule in fixed, stake(each), stake(each) / most if most else 1.0
        ),
    )


def _guarded(rule: Rule, view: View, time_limit: TimeLimit) -> Opinion:
    try:
        with time_limit.of(rule, view):
            return judge_rule(rule, view)
    except TookTooLong as error:
        return Silence(
            rule.id,
            Verdict.UNKNOWN,
            message("The rule was not looked at to the end."),
            str(error),
            message("Leave {file} out, or ask who wrote it.", file=rule.file),
        )
    except Exception as error:  # noqa: BLE001 - one rule must never stop the others
        return Silence(
            rule.id,
            Verdict.UNKNOWN,
            message("The rule failed."),
            f"{type(error).__name__}: {error}",
            message("Tell who wrote the rule."),
        )


def _unread(mistakes: Sequence[Mistake]) -> List[Silence]:
    """One for each file that could not be read, with its first mistake."""
    files: Dict[str, List[Mistake]] = {}
    for each in mistakes:
        files.setdefault(each.file, []).append(each)
    return [_unread_file(Path(file), found) for file, found in files.items()]


def _unread_file(file: Path, found: List[Mistake]) -> Silence:
    more = f", and {counted(len(found) - 1, 'mistake')} more" if len(found) > 1 else ""
    folder = (
        file.parent.parent
        if file.parent.name in (*FOLDERS, intent.FOLDER, record.FOLDER)
        else file.parent
    )
    return Silence(
        file.stem,
        Verdict.UNKNOWN,
        message("The rule could not be read."),
        f"{found[0]}{more}",
        f"Correct {file}: `advisor rules check {folder}`.",
    )


def _required(rule: Rule, scope: Scope) -> Tuple[Optional[Silence], Unknown]:
    """Moot if a requirement does not hold, unknown if one cannot be looked at, None if all hold;
    and what of them is not known."""
    unknown: List[Unknown] = []
    for each in rule.requires:
        holds = sentence.parse(each.that, rule.look.each).evaluate(scope)
        if holds is False:
            return _moot_for(rule, each.otherwise, scope), merged(())
        if holds is not True:
            unknown.append(holds if isinstance(holds, Unknown) else merged(()))
    missing = merged(unknown)
    if not unknown or is_tolerable(missing, scope.view.measures.profile):
        return None, missing
    return _could_not_look(rule, missing), missing


def _spoken(rule: Rule, scope: Scope) -> Opinion:
    evaluated = evaluate_rows(rule, scope)
    if evaluated.verdict is Verdict.FOUND:
        return finding_of(rule, scope, evaluated)
    if evaluated.verdict is Verdict.UNKNOWN:
        return _could_not_look(rule, evaluated.unknown)
    if evaluated.verdict is Verdict.CLEAR:
        return Silence(rule.id, Verdict.CLEAR, message_of(rule.clear))
    return _moot(rule, scope, evaluated)


def _moot(rule: Rule, scope: Scope, evaluated: Evaluated) -> Silence:
    each = rule.look.each
    if not evaluated.rows:
        return _does_not_arise(
            rule, evaluated.unknown.reason() or message("this run has no {table}", table=each)
        )
    if rule.look.otherwise:
        return _moot_for(rule, rule.look.otherwise, scope)
    sentence_ = (
        message("The question does not arise for this run.")
        if each in ONE_ROW
        else message("The question does not arise for any {table} of this run.", table=each)
    )
    reason = message("it goes by {measures}", measures=_asked_by(rule))
    return Silence(rule.id, Verdict.MOOT, sentence_, reason)


def _moot_for(rule: Rule, why: str, scope: Scope) -> Silence:
    filled = sentence.fill(message_of(why), scope, rule.look.each)
    return Silence(rule.id, Verdict.MOOT, filled.text)


def _asked_by(rule: Rule) -> str:
    """The measures that decide whether the rule asks, in words: "size of a cell and ranks of a
    run"."""
    names = sorted(
        name
        for name in sentence.parse(rule.look.where, rule.look.each).names
        if not name.startswith("limit.")
    )
    words = [
        f"{column.replace('_', ' ')} of {'an' if table[0] in 'aeio' else 'a'} {table}"
        for table, _, column in (name.partition(".") for name in names)
    ]
    return " and ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def _does_not_arise(rule: Rule, reason: str) -> Silence:
    return Silence(
        rule.id, Verdict.MOOT, message("The question does not arise: {reason}.", reason=reason)
    )


def _could_not_look(rule: Rule, unknown: Unknown) -> Silence:
    if unknown.nothing():
        return _does_not_arise(rule, unknown.reason())
    # The heading stays as it is: many begin with a name, of which a small letter would make another
    # word.
    missing = tuple(dict.fromkeys((each.reason, each.collect) for each in unknown.missing))
    return Silence(
        rule.id,
        Verdict.UNKNOWN,
        message("Not checked: {question}?", question=name_of(rule)),
        unknown.reason(),
        unknown.collect(),
        missing,
    )
