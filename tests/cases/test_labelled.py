"""What is said first about a hundred runs, and what must not be said. See README.md."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest
from rules.real_runs import SLEEP_AS_WORK, rules_with

from advisor.advice import judge
from advisor.analysis import measure
from advisor.model.finding import State

from .building import profile_of

try:
    import tomllib
except ModuleNotFoundError:  # Python below 3.11
    import tomli as tomllib

FILES = [
    tomllib.loads(file.read_text(encoding="utf-8"))
    for file in sorted(Path(__file__).parent.glob("*.toml"))
]
CASES = [{**file.get("all", {}), **case} for file in FILES for case in file["case"]]
NAMES = {case["name"]: case for case in CASES}
RIGHT = 0.9
"""So many of the first findings must be among those that an expert would name."""


@lru_cache(maxsize=None)
def advice(name):
    """Many samples sleep where a program would compute."""
    case = NAMES[name]
    raised = tuple(SLEEP_AS_WORK.items()) if "samples/" in case["source"] else ()
    return judge(measure(profile_of(case)), rules_with(raised))


def advised(name):
    """Findings about the run. Those about the measurement itself are no advice."""
    return [finding for finding in advice(name).findings if finding.folder != "measurement"]


def offered(name):
    """Text of everything that could be done at once."""
    return [
        step.text
        for finding in advice(name).findings
        for step in finding.steps
        if step.state is State.DOABLE
    ]


def is_right(case):
    """Whether the first finding, and what it says to do, are what the case expects."""
    found = advised(case["name"])
    if not case["first"]:
        return not found
    return (
        bool(found)
        and found[0].rule in case["first"]
        and any(case.get("says", "") in step.text for step in found[0].steps)
    )


def test_there_are_enough_cases_each_marked_and_sourced():
    assert len(CASES) >= 60 and len(NAMES) == len(CASES)
    assert {case["kind"] for case in CASES} == {"real", "constructed"}
    assert [
        case["name"]
        for case in CASES
        if not case["source"] or ("profile" in case) != (case["kind"] == "real")
    ] == []


def test_rules_that_cases_name_exist():
    known = {rule.id for rule in rules_with(())}
    assert [
        (case["name"], rule)
        for case in CASES
        for rule in (*case["first"], *case.get("never", ()))
        if rule not in known
    ] == []


def test_the_first_advice_is_right():
    wrong = {
        case["name"]: [finding.rule for finding in advised(case["name"])]
        for case in CASES
        if not is_right(case)
    }
    assert len(wrong) <= (1 - RIGHT) * len(CASES), wrong


@pytest.mark.parametrize(
    "name", [case["name"] for case in CASES if "wait_states" in case.get("profile", "")]
)
def test_wait_states_of_two_ranks_come_first(name):
    """Each of them: what was waited for is known, so that none may be wrong."""
    assert is_right(NAMES[name]), [finding.rule for finding in advised(name)]


def test_nothing_forbidden_is_said():
    assert [
        (name, finding.rule)
        for name, case in NAMES.items()
        for finding in advice(name).findings
        if finding.rule in case.get("never", ())
    ] == []
    assert [
        (name, text)
        for name, case in NAMES.items()
        for text in offered(name)
        if any(words in text for words in case.get("never_said", ()))
    ] == []


def test_no_advice_where_nothing_is_at_stake():
    assert [
        (case["name"], finding.rule)
        for case in CASES
        if not case["first"]
        for finding in advised(case["name"])
    ] == []


def test_no_rule_fails():
    assert [
        (name, silence)
        for name in NAMES
        for silence in advice(name).silences
        if silence.sentence == "The rule failed."
    ] == []
