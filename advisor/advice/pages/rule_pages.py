"""The rule book as pages: a list of all rules, and one rule as a text that reads from top to
bottom."""

from __future__ import annotations

import textwrap
from dataclasses import asdict
from typing import Iterable, List, Sequence

from advisor.advice.pages.evidence_pages import lines, rests_on
from advisor.advice.rulebook.load import names_of
from advisor.advice.rulebook.messages import name_of
from advisor.advice.rulebook.mistakes import nearest
from advisor.advice.rulebook.schema import POLICY, RECORDS
from advisor.base.numbers import time_saved
from advisor.model.errors import UserError
from advisor.model.harmless import json_text
from advisor.model.message import message
from advisor.model.rule import Remedy, Rule

_WIDTH = 80
_MOST_TITLED = 4


def as_list(rules: Sequence[Rule]) -> str:
    """One line a rule, by folder."""
    lines: List[str] = []
    for folder in sorted({rule.folder for rule in rules}):
        lines += ["", folder] if lines else [folder]
        for rule in sorted(
            (each for each in rules if each.folder == folder), key=lambda each: each.id
        ):
            mark = "" if rule.status == "stable" else f" ({rule.status})"
            lines.append(f"  {rule.id + mark:<32}  {name_of(rule)}")
    return "\n".join([*lines, "", f"{len(rules)} rules. `advisor rules explain ID` shows one."])


def as_json(rules: Iterable[Rule]) -> str:
    """All rules with all their parts, for programs."""
    return json_text([{**asdict(rule), "measures": _measures(rule)} for rule in rules], indent=1)


def explain(rules: Sequence[Rule], identifier: str) -> str:
    """One rule as a page. Raises UserError if there is none of this name."""
    rule = of_id(rules, identifier)
    parts = [
        _head(rule),
        _looks(rule),
        _limits(rule),
        _gain(rule),
        _evidence(rule),
        _remedies(rule),
        _caveats(rule),
        _cases(rule),
    ]
    return "\n\n".join(part for part in parts if part)


def of_id(rules: Sequence[Rule], identifier: str) -> Rule:
    """The rule of this name. Raises UserError if there is none."""
    for rule in rules:
        if rule.id == identifier:
            return rule
    raise UserError(
        f'There is no rule "{identifier}"{_meant(rules, identifier)}',
        "",
        "`advisor rules list` shows all.",
    )


def _meant(rules: Sequence[Rule], identifier: str) -> str:
    """The rules with these words in their titles, the most general first: whoever asks by what a
    report says has them from there. Otherwise the identifier that is nearest."""
    words = identifier.lower().replace("-", " ").split()
    titled = [
        rule for rule in rules if words and all(word in name_of(rule).lower() for word in words)
    ]
    titled.sort(key=lambda rule: (rule.folder == "application", len(name_of(rule))))
    if titled:
        names = ", ".join(rule.id for rule in titled[:_MOST_TITLED])
        return f"; these words are in the title of {names}."
    near = nearest(identifier, [rule.id for rule in rules])
    return near if "did you mean" in near else "."


def _head(rule: Rule) -> str:
    severity = f"severity {rule.severity}" if rule.severity else ""
    kind = rule.kind if rule.kind == POLICY else ""
    state = ", ".join(filter(None, (rule.status, kind, severity)))
    place = " ".join(
        filter(None, (f"{rule.folder}/{rule.id} ({state})  {rule.file}", rule.help_url))
    )
    return f"{name_of(rule)}\n{place}\n\n" + "\n\n".join(
        textwrap.fill(each, _WIDTH) for each in rule.why.split("\n\n")
    )


def _looks(rule: Rule) -> str:
    where = f" with {_line(rule.look.where)}" if rule.look.where else ""
    lines = [
        f"Looks at each {rule.look.each}{where}",
        f"  speaks if {_line(rule.look.when)}",
        f"  says: {_line(rule.look.say)}",
        f"  otherwise: {rule.clear}",
    ]
    for each in rule.requires:
        lines += [f"Only if {_line(each.that)}", f"  otherwise: {_line(each.otherwise)}"]
    return "\n".join(map(_wrapped, [*lines, f"Needs to know {', '.join(_measures(rule))}"]))


def _limits(rule: Rule) -> str:
    lines = [
        f"  {each.name} = {each.text}:"
        f" {each.why}{_source(each.source)}{f' [set by {each.changed_by}]' if each.changed_by else ''}"
        for each in rule.limits.values()
    ]
    return _titled("Limits", lines)


def _gain(rule: Rule) -> str:
    gain = rule.gain
    if gain is None:
        return ""
    unit = "share of elapsed" if gain.unit == "share" else "seconds"
    stake = f"at most {_line(gain.ceiling)}" if gain.ceiling else ""
    settings = "" if gain.balance else "never more than settings can save (run.ceiling_share)"
    if gain.basis == RECORDS:
        return _titled(
            "May save",
            [
                f"  {rests_on(gain)}",
                *(f"  {each}" for each in (stake, settings) if each),
                *(f"  {each}" for each in lines(gain.rests_on)),
            ],
        )
    return _titled(
        "May save",
        [
            f"  from {_line(gain.low)} to {_line(gain.high)} ({unit})",
            *(f"  {each}" for each in (stake, settings) if each),
            f"  {gain.basis}: {gain.source}",
        ],
    )


def _evidence(rule: Rule) -> str:
    lines = []
    for each in rule.evidence:
        factor = (
            f" [{time_saved(1 / each.low, 1 / each.high)}]"
            if each.low is not None and each.high is not None
            else ""
        )
        lines.append(f"  {_line(each.text)}{factor} {each.conditions}{_source(each.source)}")
    return _titled("Published or measured", lines)


def _remedies(rule: Rule) -> str:
    return _titled("What to do", [line for each in rule.remedies for line in _remedy(each)])


def _remedy(remedy: Remedy) -> List[str]:
    lines = [
        f"  for {remedy.applies} ({remedy.who}, effort {remedy.effort})",
        f"    {remedy.kind}{f' of {remedy.file}' if remedy.file else ''}: {remedy.text}",
    ]
    for title, text in (
        ("needs", "; ".join(remedy.needs)),
        ("check", remedy.check),
        ("undo", remedy.undo),
        ("request", remedy.request),
        ("risk", remedy.risk),
        ("change", remedy.change),
        ("source", remedy.source),
    ):
        lines += [f"    {title}: {_line(text)}"] if text else []
    return lines


def _caveats(rule: Rule) -> str:
    return _titled(
        message("When it hurts"),
        [
            f"  {_line(each.text)}{f' If {_line(each.when)}: {each.then}.' if each.when else ''}{_source(each.source)}"
            for each in rule.caveats
        ],
    )


def _cases(rule: Rule) -> str:
    return _titled("Cases", [f"  {each.expect}: {each.name}" for each in rule.cases])


def _titled(title: str, lines: List[str]) -> str:
    return "\n".join([title, *map(_wrapped, lines)]) if lines else ""


def _wrapped(text: str) -> str:
    """Folded at 80 columns; what follows stands two columns further in than the first line."""
    first = text[: len(text) - len(text.lstrip())]
    return textwrap.fill(
        text.lstrip(),
        _WIDTH,
        initial_indent=first,
        subsequent_indent=first + "  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _source(source: str) -> str:
    return f" ({source})" if source else ""


def _measures(rule: Rule) -> List[str]:
    return sorted(name for name in names_of(rule) if not name.startswith("limit."))
