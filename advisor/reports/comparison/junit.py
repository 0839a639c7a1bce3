"""Outcomes → JUnit XML: one test case a condition."""

from __future__ import annotations

from typing import Sequence
from xml.etree import ElementTree

from advisor.model.comparison import Comparison, Outcome
from advisor.model.harmless import visible
from advisor.reports.comparison.story import Story

SUITE = "advisor.compare"


def junit(reported: Story, comparison: Comparison, outcomes: Sequence[Outcome]) -> str:
    """A condition that holds is a failure, one that cannot be decided an error. Without conditions:
    the comparison, passed."""
    suite = ElementTree.Element("testsuite", name=SUITE)
    for one in outcomes:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=SUITE,
            name=_text(one.text),
            time=f"{comparison.points[-1].elapsed or 0:.3f}",
        )
        if one.holds is not False:
            kind, message = ("failure", reported.verdict) if one.holds else ("error", one.reason)
            ElementTree.SubElement(
                case, kind, message=_text(message), type="condition"
            ).text = _text(reported.verdict)
    if not outcomes:
        ElementTree.SubElement(suite, "testcase", classname=SUITE, name=_text(reported.title))
    for name, holds in (("failures", True), ("errors", None)):
        suite.set(name, str(sum(one.holds is holds for one in outcomes)))
    suite.set("tests", str(max(1, len(outcomes))))
    ElementTree.SubElement(suite, "system-out").text = _text(reported.verdict)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        + ElementTree.tostring(suite, encoding="unicode")
        + "\n"
    )


def _text(text: str) -> str:
    """XML 1.0 has no way to write control characters, U+FFFE and surrogates: they stand there as
    escapes."""
    return visible(text).replace("\u202f", " ").replace("\u00a0", " ")
