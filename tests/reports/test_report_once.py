"""No sentence stands twice on a page, though its parts are folded and each can be read alone."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import advices
import pytest
from page_sentences import sentences

import advisor
from advisor.base import resource_paths
from advisor.reports import compose, render
from advisor.reports.once import Once

TESTS = Path(__file__).resolve().parents[1]
PROFILES = [
    *sorted((resource_paths.samples() / "profiles").glob("*.json")),
    *sorted((TESTS / "documents" / "screens").glob("*.profile")),
]
RUNS = {file.stem: (lambda file=file: advisor.read(file).advice()) for file in PROFILES}
RUNS |= advices.STATES


@pytest.mark.parametrize("name", sorted(RUNS))
def test_no_sentence_stands_twice_on_the_page(name):
    found = Counter(sentences(render(compose(RUNS[name]()), "html")))
    assert len(found) > 5
    assert [text for text, often in found.items() if often > 1] == []


def test_the_check_sees_a_sentence_that_stands_twice():
    page = "<p>Rank 3 computes longest of all. It waits.</p><div><p>Rank 3 computes longest of all"
    assert Counter(sentences(page))["Rank 3 computes longest of all"] == 2


@pytest.mark.parametrize(
    "text, said",
    [
        ("Rank 3 computes longest of all.", "see finding 1"),
        (
            "Rank 3 computes longest of all. Give it less to do at first.",
            "Give it less to do at first.",
        ),
        ("It waits.", "It waits."),
        ("", ""),
    ],
)
def test_what_stood_before_is_pointed_to(text, said):
    say = Once()
    assert say("Rank 3 computes longest of all. It waits.", "see finding 1").startswith("Rank 3")
    assert say(text, "see finding 2") == said
