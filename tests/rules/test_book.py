"""The rule book: every file is right, every rule's own cases pass, and what it says keeps to the
house style."""

from __future__ import annotations

import re

import pytest

from advisor.advice import load_rules, read_rules
from advisor.advice.checking.check import check
from advisor.advice.pages.book import book
from advisor.base import resource_paths
from advisor.cli.rule_book import vocabulary

RULES = load_rules([resource_paths.rules()])
REQUIRED = {
    "xpmem-collectives",
    "ucx-one-sided",
    "hardware-multicast",
    "multi-endpoint-allreduce",
    "single-copy",
    "oversubscribed-busy-waiting",
    "ranks-sharing-cores",
    "uneven-compute",
    "serial-phase-rank-0",
    "many-small-messages",
    "vasp-ncore",
}
FOLDERS = {
    "balance",
    "waiting",
    "messages",
    "collectives",
    "onesided",
    "placement",
    "library",
    "application",
    "io",
    "gpu",
    "measurement",
}
AVOIDED = (
    "knob",
    "optimal",
    "significant",
    "simply",
    "should",
    "poor",
    "bad",
    "inefficient",
    "potential issue",
    "no problem found",
    "doable",
)
"""Words that claim more than was measured, or that nobody in the field says. Standard terms
(overhead, node, critical path) are welcome."""


def sentences(rule):
    """(place, text) of everything that a report can show of a rule, without what is typed or quoted
    from software."""
    yield "found", rule.found
    yield "clear", rule.clear
    yield "why", rule.why
    yield "say", rule.look.say
    for text in rule.look.evidence:
        yield "look.evidence", text
    for require in rule.requires:
        yield "else", require.otherwise
    for caveat in rule.caveats:
        yield "caveat", caveat.text
    for remedy in rule.remedies:
        if remedy.kind in ("do", "code"):
            yield remedy.kind, remedy.text


def test_the_book_has_no_mistake():
    assert [
        str(mistake) for mistake in check(read_rules([resource_paths.rules()]), vocabulary())
    ] == []


def test_the_first_book_is_there():
    assert len(RULES) >= 90
    assert REQUIRED <= {rule.id for rule in RULES}
    assert {rule.folder for rule in RULES} == FOLDERS


def settings(rule):
    return [remedy for remedy in rule.remedies if remedy.kind in ("set", "launch")]


GIVEN = (
    "setting.name",
    "run.",
    "operation.",
    'library.layer == "',
    "library.ucx_minor",
    "rank.",
    "node.infiniband_ports",
    "all(node.omnipath)",
    "all(node.slingshot)",
    "application.name",
)
"""What no centre can give: of the setting at hand, of the run or its calls, of cores that ranks are
bound to, of ports, of a layer or network that is another one here, or of another program."""


def asks(remedy):
    """Whether it needs what a centre can give."""
    return any(not any(name in need for name in GIVEN) for need in remedy.needs)


LEFT_OPEN = {
    "evidence": lambda rule: rule.evidence,
    "when it hurts": lambda rule: rule.caveats,
    "what the gain rests on": lambda rule: rule.severity if rule.gain is None else rule.gain.source,
    "how to see that it is in force": lambda rule: all(each.check for each in settings(rule)),
    "how to take it back": lambda rule: all(each.undo for each in settings(rule)),
    "what to ask the centre for": lambda rule: all(
        map(lambda one: one.request, filter(asks, rule.remedies))
    ),
    # A published or measured gain names a factor or a share; one from nothing is none.
    "a number with its gain": lambda rule: (
        rule.gain is None
        or rule.gain.basis not in ("measured", "published")
        or any(each.low is not None and each.high is not None for each in rule.evidence)
    ),
}
"""Part that the form of rules does not ask for → whether a rule has it."""


@pytest.mark.parametrize("part", LEFT_OPEN)
def test_parts_that_the_form_leaves_open(part):
    assert [rule.id for rule in RULES if not LEFT_OPEN[part](rule)] == []


def test_words():
    found = [
        (rule.id, place, word)
        for rule in RULES
        for place, text in sentences(rule)
        for word in AVOIDED
        if re.search(rf"\b{word}\b", re.sub(r"\{[^}]*\}|\S*-per-node\S*", "", text), re.IGNORECASE)
        or re.search("!(?!=)", text)
    ]
    assert found == []


def test_sources_are_public():
    assert [
        (rule.id, part.source)
        for rule in RULES
        for part in (*rule.evidence, *rule.remedies, *rule.caveats, *rule.limits.values())
        if re.search(r"\.md\b|METRICS|ENVIRONMENT|seed|/work", part.source or "")
    ] == []


def test_losing_cases_are_told():
    """Advice that has lost somewhere says so with a factor below 1."""
    lost = {
        rule.id
        for rule in RULES
        if any(each.low is not None and each.low < 1 for each in rule.evidence)
    }
    assert {
        "xpmem-collectives",
        "ucx-one-sided",
        "single-copy",
        "lammps-balance",
        "qe-pools",
    } <= lost


def test_the_page_of_the_book_shows_every_rule():
    shown = re.findall(r"^### ([\w.-]+)$", book(RULES), re.MULTILINE)
    assert [rule.id for rule in RULES if rule.id not in shown] == []
