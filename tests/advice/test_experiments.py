"""What is tried before it is set: settings whose records are far away, and remedies with a risk."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rule_writing import HEAD, plain, rule, write

from advisor.advice.checking.cases import given_measures
from advisor.advice.judging.judge import judge
from advisor.advice.judging.remedies import RISKS, settings_of
from advisor.advice.rulebook.load import load_book
from advisor.cli import choosing
from advisor.model.errors import UserError
from advisor.model.finding import State
from advisor.model.profile import Library, Profile, Run
from advisor.model.record import Record
from advisor.model.verified import Evidence, Verified

LOOK = '[look]\neach = "run"\nwhen = "run.ranks > 1"\nsay = "S."\n'
GAIN = '[gain]\nlow = "0.1"\nhigh = "0.5"\nbasis = "model"\nsource = "s"\n'
SETTING = '[[remedy]]\nfor = "any"\nset = "A=1"\nsource = "s"\n'
OTHER = '[[remedy]]\nfor = "any"\ndo = "Use fewer hosts."\nsource = "s"\n'
NUMBER = "none of 3 pairs on t are near enough to this run; 3 are needed"


def records(ratio: float, hosts: int):
    """Three pairs of a run like the one that is judged, on so many hosts."""
    return tuple(
        Record(
            str(number),
            "t",
            "t.toml",
            of="elapsed",
            reported="pair",
            origin="published",
            source="s",
            ratio=ratio,
            library="openmpi",
            version="5",
            application="vasp",
            hosts=hosts,
            ranks_per_node=64,
        )
        for number in range(3)
    )


def advice(tmp_path, body=SETTING, known=(), gain="", evidence=()):
    """What is said of 64 ranks on each of 4 hosts."""
    loaded = rule(tmp_path, LOOK + (gain or GAIN) + body)
    if known:
        resting = replace(loaded.gain, basis="records", records="t", rests_on=known, ceiling="0.5")
        loaded = replace(loaded, gain=resting)
    given = {
        "run": {"ranks": 256, "nodes": 4, "ranks_per_node": 64, "time": 100},
        "library": {"name": "openmpi", "version": "5"},
        "application": {"name": "vasp"},
    }
    measures = given_measures(given, {})
    profile = Profile(Run("p"), Library("openmpi", "5"), (), {})
    return judge(replace(measures, profile=profile), [loaded], (), evidence)


OFFERED = [
    # pairs              finding         experiment      settings
    (records(0.5, 4), ["you can do this"], [], {"A": "1"}),
    (records(0.5, 512), [], ["experiment"], {}),
    (records(1.5, 4), ["withheld"], [], {}),
]


@pytest.mark.parametrize("known, findings, experiments, settings", OFFERED)
def test_a_setting_is_offered_where_three_records_are_near(
    tmp_path, known, findings, experiments, settings
):
    said = advice(tmp_path, known=known)
    assert [each.state.value for each in said.findings] == findings
    assert [each.state.value for each in said.experiments] == experiments
    assert said.settings == settings


def test_an_experiment_says_why_it_is_no_setting(tmp_path):
    (found,) = advice(tmp_path, known=records(0.5, 512)).experiments
    assert [(each.text, plain(each.reason)) for each in found.steps] == [("A=1", NUMBER)]


def test_a_finding_keeps_what_is_no_experiment(tmp_path):
    said = advice(tmp_path, SETTING + OTHER, known=records(0.5, 512))
    assert [step.text for each in said.findings for step in each.steps] == ["Use fewer hosts."]
    assert [step.text for each in said.experiments for step in each.steps] == ["A=1"]


VERDICTS = [
    # tried here    then it is
    ("better", ["you can do this"], [], {"A": "1"}),
    ("undecided", [], ["experiment"], {}),
    ("worse", ["withheld"], [], {}),
]


@pytest.mark.parametrize("verdict, findings, experiments, settings", VERDICTS)
def test_what_was_tried_here_decides(tmp_path, verdict, findings, experiments, settings):
    tried = Verified("a-rule", ("a-rule",), {"A": "1"}, verdict, 6, -0.1, -0.12, -0.08)
    seen = (Evidence(tried, "openmpi", "5", "p"),)
    said = advice(tmp_path, known=records(0.5, 512), evidence=seen)
    assert [each.state.value for each in said.findings] == findings
    assert [each.state.value for each in said.experiments] == experiments
    assert said.settings == settings


def test_verify_takes_an_experiment_by_name_and_apply_does_not(tmp_path):
    said = advice(tmp_path, known=records(0.5, 512))
    (tried,) = choosing.asked_for(said, ["a-rule"], [], trying=True)
    assert (tried.name, dict(tried.settings)) == ("a-rule", {"A": "1"})
    assert choosing.asked_for(said, [], [], trying=True) == []
    with pytest.raises(UserError, match="a-rule is an experiment"):
        choosing.asked_for(said, ["a-rule"], [])


RISKY = [
    # risk       state        set by a launch line, apply and verify
    ("", "you can do this", {"A": "1"}),
    ("slower", "you can do this", {"A": "1"}),
    ("start", "you can do this", {"A": "1"}),
    ("results", "change in the program", {}),
]


@pytest.mark.parametrize("risk, state, settings", RISKY)
def test_what_may_change_results_is_never_set(tmp_path, risk, state, settings):
    said = advice(tmp_path, SETTING + (f'risk = "{risk}"\n' if risk else ""))
    (step,) = said.findings[0].steps
    assert (step.state.value, settings_of(step), said.settings) == (state, settings, settings)
    assert step.hurts == ((RISKS[risk],) if risk else ())
    assert [dict(each.settings) for each in choosing.doable(said)] == ([settings] * bool(settings))
    assert [each.risky_start for each in choosing.doable(said)] == (
        [risk == "start"] if settings else []
    )


def test_a_risk_that_is_none_is_a_mistake(tmp_path):
    write(tmp_path, HEAD.format(id="a-rule") + LOOK + GAIN + SETTING + 'risk = "much"\n')
    with pytest.raises(UserError, match='risk: "much" is not known; expected one of results'):
        load_book([tmp_path])


def test_no_finding_is_in_the_state_of_an_experiment(tmp_path):
    said = advice(tmp_path, SETTING + OTHER, known=records(0.5, 512))
    assert all(step.state is not State.EXPERIMENT for each in said.findings for step in each.steps)


CONFIDENCE = [
    # evidence with how many ranks    confidence
    ("", "high"),
    ("ranks = 2\n", "medium"),
    ("ranks = 64\n", "high"),
]


@pytest.mark.parametrize("ranks, confidence", CONFIDENCE)
def test_two_ranks_raise_no_confidence(tmp_path, ranks, confidence):
    evidence = f'[[evidence]]\ntext = "t"\nsource = "s"\n{ranks}'
    gain = '[gain]\nlow = "0"\nhigh = "1"\nbasis = "published"\nsource = "s"\n'
    said = advice(tmp_path, evidence + SETTING, gain=gain)
    assert said.findings[0].confidence == confidence
