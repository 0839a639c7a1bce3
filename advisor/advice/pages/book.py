"""All rules on one page, in Markdown: `advisor rules book`."""

from __future__ import annotations

from itertools import groupby
from typing import List, Sequence

from advisor.advice.pages import intent_pages
from advisor.advice.pages.evidence_pages import listed, rests_on
from advisor.advice.rulebook import intents
from advisor.advice.rulebook.messages import name_of
from advisor.advice.rulebook.schema import COMMANDS, NONE, RECORDS
from advisor.base.numbers import time_saved
from advisor.model.intent import Intent
from advisor.model.rule import Evidence, Gain, Limit, Remedy, Rule

TITLE = """# The rule book

`advisor rules explain ID` shows a rule with everything it says, needs to know and was tested with.
All results are time saved: "46 % less time" is 46 % of the time before, "29 % more time" a loss.
"""
QUESTIONS = {
    "balance": "Do all ranks have the same to do?",
    "waiting": "Who waits, and for what?",
    "messages": "Are messages of a good size?",
    "collectives": "Are collective calls used well?",
    "onesided": "Are one-sided calls used well?",
    "placement": "Do ranks have what they need of the hosts?",
    "library": "Does the library do what it could?",
    "application": "Are the program's own settings right?",
    "io": "Are files read and written well?",
    "gpu": "Is data on GPUs moved as it can be?",
    "measurement": "May the report be believed?",
}


def book(rules: Sequence[Rule], known: Sequence[Intent] = ()) -> str:
    """The whole page, in Markdown. `known`: the intents; empty: those of the rule book."""
    ordered = sorted(rules, key=lambda rule: (list(QUESTIONS).index(rule.folder), rule.id))
    parts = [TITLE]
    for folder, found in groupby(ordered, key=lambda rule: rule.folder):
        parts.append(f"## {folder}: {QUESTIONS[folder]}\n")
        parts += [_rule(rule) for rule in found]
    return "\n".join([*parts, listed(rules), intent_pages.pages(known or intents.book())])


def _rule(rule: Rule) -> str:
    lines = [f"### {rule.id}", "", f"**{name_of(rule)}.** {' '.join(rule.why.split())}", ""]
    lines += [f"- if all is well: {rule.clear}", f"- gain: {_gain(rule)}"]
    lines += _listed("limits", [_limit(each) for each in rule.limits.values()])
    lines += _listed("evidence", [_evidence(each) for each in rule.evidence])
    lines += _listed("do", _remedies(rule.remedies))
    lines += _listed("when it hurts", [each.text for each in rule.caveats])
    return "\n".join([*lines, ""])


def _listed(title: str, entries: List[str]) -> List[str]:
    return [f"- {title}", *(f"  - {entry}" for entry in entries)] if entries else []


def _gain(rule: Rule) -> str:
    fixed = f"; severity {rule.severity}" if rule.severity else ""
    if rule.gain is None or rule.gain.basis == NONE:
        return f"no number{f'. {rule.gain.source}' if rule.gain else ''}{fixed}"
    if rule.gain.basis == RECORDS:
        return f"{rests_on(rule.gain)}{fixed}"
    return (
        f"`{rule.gain.low}` to `{rule.gain.high}` of elapsed time ({_basis(rule.gain)})."
        f" {rule.gain.source}{fixed}"
    )


def _basis(gain: Gain) -> str:
    return f"{gain.basis} with {gain.ranks} ranks" if gain.ranks else gain.basis


def _limit(limit: Limit) -> str:
    return f"{limit.name} = {limit.text}: {limit.why}{f' ({limit.source})' if limit.source else ''}"


def _evidence(evidence: Evidence) -> str:
    factors = (
        f" [{time_saved(1 / evidence.low, 1 / evidence.high)}]"
        if evidence.low is not None and evidence.high is not None
        else ""
    )
    conditions = f" {evidence.conditions}" if evidence.conditions else ""
    ranks = f"; {evidence.ranks} ranks" if evidence.ranks else ""
    return f"{evidence.text}{factors}{conditions} ({evidence.source}{ranks})"


def _remedies(remedies: Sequence[Remedy]) -> List[str]:
    """One line each; those that say the same for several libraries share one."""
    written = [(each.applies, _remedy(each)[len(each.applies) :]) for each in remedies]
    return [
        ", ".join(applies for applies, text in written if text == same) + same
        for same in dict.fromkeys(text for _, text in written)
    ]


def _remedy(remedy: Remedy) -> str:
    text = f"`{remedy.text}`" if remedy.kind in COMMANDS else remedy.text
    text = f"in {remedy.file}: {text}" if remedy.file else text
    needs = f" Needs {', '.join(f'`{need}`' for need in remedy.needs)}." if remedy.needs else ""
    risk = f" Risk: {remedy.risk}." if remedy.risk else ""
    return f"{remedy.applies}: {text}{needs}{risk}"
