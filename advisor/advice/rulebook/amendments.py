"""Amendments: a site's file that changes limits, remedies, caveats or the status of a rule, and
says why."""

from __future__ import annotations

from dataclasses import replace
from typing import List, Mapping, NamedTuple, Tuple

from advisor.advice.rulebook.mistakes import Mistake, line_of, nearest
from advisor.advice.rulebook.rule_file import Reading
from advisor.advice.rulebook.schema import AMEND_SECTIONS, AMEND_TOP
from advisor.advice.rulebook.sections import caveats, evidence, limits, remedies
from advisor.model.rule import Limit, Rule


class Amendment(NamedTuple):
    """A file with `amends = "rule-id"`. The rest is read when the rule is known: its table decides
    which names are allowed."""

    amends: str
    file: str
    line: int
    reading: Reading
    document: Mapping[str, object]


def read_amendment(reading: Reading, document: Mapping[str, object]) -> List[Amendment]:
    """The amendment of a file; none, with the mistake noted, if it does not name a rule."""
    if not isinstance(document["amends"], str):
        reading.wrong("amends: expected the id of a rule in quotes", key="amends")
        return []
    return [
        Amendment(
            document["amends"],
            reading.shown,
            line_of(reading.text, key="amends"),
            reading,
            document,
        )
    ]


def amended(rule: Rule, amendment: Amendment) -> Tuple[Rule, List[Mistake]]:
    """The rule as the site wants it, or as it was together with the mistakes."""
    reading = amendment.reading
    reading.mistakes, reading.each = [], rule.look.each
    document = dict(amendment.document)
    for name in [name for name in document if name not in AMEND_TOP and name not in AMEND_SECTIONS]:
        reading.wrong(
            f'unknown key "{name}"{nearest(name, (*AMEND_TOP, *AMEND_SECTIONS))}', key=name
        )
        del document[name]
    top = reading.entry(
        {name: value for name, value in document.items() if name in AMEND_TOP}, AMEND_TOP
    )
    changed = _parts(rule, reading, document)
    if reading.mistakes:
        return rule, reading.mistakes
    if top.get("help_url"):
        changed["help_url"] = top["help_url"]
    status = "muted" if top.get("mute") else top.get("status", rule.status)
    why = f"{rule.why}\n\nMuted by {reading.shown}: {top['why']}" if status == "muted" else rule.why
    return replace(rule, status=status, why=why, of_site=True, **changed), []


def _parts(rule: Rule, reading: Reading, document: Mapping[str, object]) -> dict:
    sections = {
        name: reading.section(document, name, form)
        for name, form in AMEND_SECTIONS.items()
        if not form.named
    }
    limit = limits(reading, document, reading.shown)
    for name in limit:
        if name not in rule.limits:
            reading.wrong(
                f"limit {name}: the rule has no such limit{nearest(name, rule.limits)}",
                "limit",
                0,
                name,
            )
        elif (
            limit[name].value > 1 and "%" in rule.limits[name].text and "%" not in limit[name].text
        ):
            reading.wrong(
                f"limit {name}: {limit[name].text} is {limit[name].value:.0%} of the whole; did you"
                f' mean "{limit[name].text} %"?',
                "limit",
                0,
                name,
            )
    entries = [{"for": "", **entry} for entry in sections["remedy"]]
    own = remedies(reading, entries)
    if reading.mistakes:
        return {}
    replaced = {each.applies for each in own}
    return {
        "limits": {name: _changed(old, limit.get(name)) for name, old in rule.limits.items()},
        "remedies": own + tuple(each for each in rule.remedies if each.applies not in replaced),
        "caveats": rule.caveats + caveats(sections["caveat"]),
        "evidence": rule.evidence + evidence(sections["evidence"]),
    }


def _changed(old: Limit, new: "Limit | None") -> Limit:
    return old if new is None else replace(new, source=new.source or old.source)
