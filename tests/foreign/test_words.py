"""What a report on another tool's file says of what it lacks: words for people, short, and nothing
that only a run of ours can do."""

from __future__ import annotations

import re

import pytest

from advisor import analysis, reports
from advisor.advice import judge, load_rules
from advisor.base import resource_paths
from advisor.intake import read
from advisor.reports.grouping import FEW

from .files import READABLE

MOST_LETTERS = 3200
"""Of what is not known, in a ticket."""
COLUMN = re.compile(r"\b(?:run|node|rank|ranks|cell|operation|onesided|library)\.[a-z_]+")


@pytest.fixture(scope="module")
def rules():
    return load_rules([resource_paths.rules()])


@pytest.mark.parametrize("file", READABLE, ids=lambda file: file.name)
def test_what_could_not_be_looked_at_is_told_by_reasons(file, rules):
    document = reports.compose(judge(analysis.measure(read(file)), rules))
    ticket = reports.render(document, "markdown", full=True)
    (line,) = [line for line in ticket.splitlines() if line.startswith("- not known: ")]
    assert len(document.silences.unknown) > FEW and len(line) < MOST_LETTERS
    reasons = line.partition(". To see it: ")[0]
    # Only gaps of the file that no rule gives as its reason go by the name of what is missing.
    named = {match.group() for match in COLUMN.finditer(reasons)} - {
        entry.name for entry in document.silences.unseen
    }
    assert named == set()


@pytest.mark.parametrize("file", READABLE, ids=lambda file: file.name)
def test_nobody_is_sent_to_hosts_that_may_be_elsewhere(file, rules):
    text = reports.render(
        reports.compose(judge(analysis.measure(read(file)), rules)),
        "terminal",
        full=True,
        width=4000,
    )
    assert (
        "doctor" not in text
        and "under this version" not in text
        and "has no table" not in text
        and "does not have" not in text
    )
