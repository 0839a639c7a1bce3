"""Advice for one kind of reader, and up to an effort."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from advisor.advice import judge, load_rules
from advisor.advice.judging.audience import for_audience
from advisor.analysis import measure
from advisor.base import resource_paths
from advisor.cli import report
from advisor.intake import read
from advisor.model.finding import Verdict

PROFILE = resource_paths.samples() / "profiles" / "uneven_compute.4r.json"
RECORDED = Path(__file__).parent.parent / "cases" / "recorded" / "thread_level.mpich5.profile"


@pytest.fixture(scope="module")
def advice():
    rules = load_rules([resource_paths.rules()])
    return {file: judge(measure(read(file)), rules) for file in (PROFILE, RECORDED)}


def steps(advice):
    return {(finding.rule, step.who) for finding in advice.findings for step in finding.steps}


@pytest.mark.parametrize(
    "who, shown",
    [
        ("user", {"you", "centre", "nobody"}),
        ("developer", {"you", "developer", "nobody"}),
        ("admin", {"centre"}),
    ],
)
def test_each_is_shown_what_is_theirs(advice, who, shown):
    for whole in advice.values():
        mine = for_audience(whole, who)
        assert steps(mine) == {(rule, whose) for rule, whose in steps(whole) if whose in shown}
        left_out = {finding.rule for finding in whole.findings} - {
            finding.rule for finding in mine.findings
        }
        assert left_out == {
            silence.rule
            for silence in mine.silences
            if silence.verdict is Verdict.MOOT and "left out here" in silence.sentence
        }


def test_a_change_of_the_program_is_not_for_its_user(advice):
    whole, mine = advice[RECORDED], for_audience(advice[RECORDED], "user")
    assert ("thread-level-higher-than-used", "developer") in steps(whole)
    (silence,) = [
        silence for silence in mine.silences if silence.rule == "thread-level-higher-than-used"
    ]
    assert (
        silence.sentence
        == "Found, and left out here: what can be done is for a developer, with an effort of 4 or"
        " more of 5."
    )


def test_effort_and_nothing_asked(advice):
    whole = advice[PROFILE]
    assert for_audience(whole) is whole
    assert (
        max(
            step.effort
            for finding in for_audience(whole, effort=2).findings
            for step in finding.steps
        )
        <= 2
    )
    assert any(step.effort > 2 for finding in whole.findings for step in finding.steps)


def test_the_command(capsys):
    parser = argparse.ArgumentParser()
    report.add(parser.add_subparsers())
    arguments = parser.parse_args(
        ["report", str(RECORDED), "--who", "user", "--effort", "2", "--format", "markdown"]
    )
    assert arguments.run(arguments) == 0
    assert "Ask for MPI_THREAD_FUNNELED" not in capsys.readouterr().out
