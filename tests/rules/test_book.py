"""The rule book: every file is right, every rule's own cases pass, and what it says keeps to the
house style."""

from __future__ import annotations

import re

import pytest

from advisor.advice import load_rules, read_rules, run_cases
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


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_cases(rule):
    failed = [
        (result.case.name, result.wrong) for result in run_cases(rule, vocabulary()) if result.wrong
    ]
    assert failed == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_parts_that_the_form_leaves_open(rule):
    assert rule.evidence, "no evidence"
    assert rule.caveats, "it never hurts?"
    assert rule.gain is not None and rule.gain.source
    assert all(remedy.check for remedy in rule.remedies if remedy.kind in ("set", "launch")), (
        "how to see that it is in force?"
    )
    assert all(remedy.undo for remedy in rule.remedies if remedy.kind in ("set", "launch")), (
        "how to take it back?"
    )
    # What is needed of the setting at hand, of the run, of cores that ranks are bound to, of ports,
    # or of a layer or network that is another one here, no centre can give.
    given = (
        "setting.name",
        "run.",
        'library.layer == "',
        "library.ucx_minor",
        "rank.",
        "node.infiniband_ports",
        "all(node.omnipath)",
        "all(node.slingshot)",
    )
    asked = [
        remedy
        for remedy in rule.remedies
        if any(not any(name in need for name in given) for need in remedy.needs)
    ]
    assert all(remedy.request for remedy in asked), "what to ask the centre for?"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_words(rule):
    found = [
        (place, word)
        for place, text in sentences(rule)
        for word in AVOIDED
        if re.search(rf"\b{word}\b", re.sub(r"\{[^}]*\}|\S*-per-node\S*", "", text), re.IGNORECASE)
        or re.search("!(?!=)", text)
    ]
    assert found == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_sources_are_public(rule):
    sources = [
        part.source
        for part in (*rule.evidence, *rule.remedies, *rule.caveats, *rule.limits.values())
        if part.source
    ]
    assert [
        source for source in sources if re.search(r"\.md\b|METRICS|ENVIRONMENT|seed|/work", source)
    ] == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_no_number_without_a_basis(rule):
    """A gain from nothing is none; a published or measured one names a factor or a share in its
    evidence or limits."""
    if rule.gain.basis in ("measured", "published"):
        assert any(each.low is not None and each.high is not None for each in rule.evidence)


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


def test_the_page_of_the_book_is_fresh():
    written = (resource_paths.rules() / "BOOK.md").read_text(encoding="utf-8")
    assert written == book(RULES), "make it anew: python -m advisor.advice.pages.book"
