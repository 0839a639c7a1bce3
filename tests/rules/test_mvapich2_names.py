"""What rules and intents say to users of MVAPICH2, against what its version 2.3.7 was seen to know
and to print. It is not installed here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from advisor.analysis.metrics.setting_names import is_known
from advisor.base import resource_paths
from advisor.model.intent import read_intents
from advisor.model.profile import Fact, Library

from .test_remedy_names import RULES, named, variables

RECORDED = Path(__file__).resolve().parents[1] / "probing" / "recorded"
KNOWN = (RECORDED / "settings-mvapich2-2.3.7.txt").read_text().split("\n", 1)[1]
PRINTED = re.findall(
    r"^\t(MV2_\w+) +:",
    (RECORDED / "mv2_show_env_info-2-mvapich2-2.3.7.txt").read_text(),
    re.MULTILINE,
)
WHERE_SET = ("MV2_USE_BLOCKING", "MV2_USE_RDMA_ONE_SIDED")
"""Printed if they are set: own probe with MVAPICH2 2.3.7."""
LIBRARY = Library(
    "mvapich2",
    "2.3.7",
    facts={"settings.known": Fact(KNOWN, ""), "built_with.mcast": Fact(False, "")},
)
WORDS = [
    (intent.id, words)
    for intent in read_intents(resource_paths.rules() / "intents")
    for words in intent.words
    if words.applies.startswith("mvapich2 ")
]


def test_every_variable_of_a_remedy_is_known():
    names = named(LIBRARY)
    assert len(names) >= 15, "the test reads remedies"
    assert [
        (rule, name)
        for rule, name in names
        if name.startswith("MV2_") and is_known(name, LIBRARY) is not True
    ] == []


def test_every_variable_of_an_intent_is_known():
    names = [
        (intent, name)
        for intent, words in WORDS
        for name in variables(words.text)
        if name.startswith("MV2_")
    ]
    assert len(names) >= 15, "the test reads intents"
    assert [(intent, name) for intent, name in names if is_known(name, LIBRARY) is not True] == []


def checks():
    """(rule or intent, what it sets, how to see it) where the library is to print what is set."""
    remedies = [
        (rule.id, remedy.text, remedy.check)
        for rule in RULES
        for remedy in rule.remedies
        if re.match(r"mvapich2\b(?!-)", remedy.applies) and "MVAPICH2-X" not in remedy.check
    ]
    return [
        (name, text, check)
        for name, text, check in remedies
        + [(intent, words.text, words.check) for intent, words in WORDS]
        if "MV2_SHOW_ENV_INFO=2 prints" in check
    ]


@pytest.mark.parametrize("name, text, check", checks())
def test_what_is_to_be_printed_is_printed(name, text, check):
    said = re.findall(r"\bMV2_\w+(?!\w|=)", check.split("prints", 1)[1]) or [
        variable for variable in variables(text) if variable.startswith("MV2_")
    ]
    assert [variable for variable in said if variable not in (*PRINTED, *WHERE_SET)] == []
