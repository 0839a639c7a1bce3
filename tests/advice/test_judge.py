"""Verdicts, findings and their order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rule_writing import DESIGN_RULE, opinion, plain, rule, verdict, write

from advisor.advice import judge, load_rules
from advisor.advice.checking.cases import given_measures
from advisor.advice.judging.severity import order
from advisor.advice.rulebook.mistakes import Mistake
from advisor.model.finding import Finding, State, Verdict
from advisor.model.measures import Column, Measures, Quality, Table
from advisor.model.profile import Gap, Library, Profile, Run

LOOK = """[look]
each = "rank"
where = "rank.a > 0"
when = "rank.b > 0"
say = "Rank {rank.id} has {rank.b}."
"""
YES, NO, UNSEEN = 1, 0, None
ROWS = [
    # (where, when) of each row                 verdict
    ([(YES, YES)], "found"),
    ([(YES, NO)], "clear"),
    ([(NO, YES)], "moot"),
    ([(NO, NO), (NO, UNSEEN)], "moot"),
    ([(YES, UNSEEN)], "unknown"),
    ([(UNSEEN, YES)], "unknown"),
    ([(UNSEEN, NO)], "clear"),
    ([(UNSEEN, UNSEEN)], "unknown"),
    ([(YES, NO), (YES, UNSEEN)], "unknown"),
    ([(YES, YES), (YES, UNSEEN)], "found"),
    ([(NO, YES), (YES, NO)], "clear"),
    ([], "moot"),
]


def row(where, when):
    return {
        name: value for name, value in (("a", where), ("b", when), ("id", 0)) if value is not None
    }


@pytest.mark.parametrize("rows, expected", ROWS, ids=[str(rows) for rows, _ in ROWS])
def test_verdict_by_rows(tmp_path, rows, expected):
    assert (
        verdict(opinion(rule(tmp_path, LOOK), {"rank": [row(*each) for each in rows]})) == expected
    )


@pytest.mark.parametrize(
    "rank, said",
    [
        ({"id": 3, "node": "n1", "a": 1, "b": 4}, "Load imbalance: rank 3 on n1"),
        ({"id": 3, "a": 1, "b": 4}, "Load imbalance"),
        ({"id": 3, "a": 1}, "Not checked: Load imbalance?"),
    ],
)
def test_a_title_has_numbers_of_the_run_behind_its_colon(tmp_path, rank, said):
    """Where they are not known the name of the cause stands alone."""
    numbered = replace(rule(tmp_path, LOOK), found="Load imbalance: rank {rank.id} on {rank.node}")
    heard = opinion(numbered, {"rank": [rank]})
    assert plain(getattr(heard, "title", "") or heard.sentence) == said


def test_a_table_that_nobody_looked_at_is_unknown(tmp_path):
    said = opinion(rule(tmp_path, LOOK), {"run": {"ranks": 2}})
    assert (said.verdict, said.reason) == (Verdict.UNKNOWN, "rank: not measured")


def test_no_rows_and_a_gap_of_that_name_is_unknown(tmp_path):
    measures = given_measures({"rank": []}, {})
    gap = Gap("rank", "the records were cut", "Run it again.")
    advice = judge(replace(measures, gaps=(gap,)), [rule(tmp_path, LOOK)])
    (said,) = advice.silences
    assert (said.verdict, said.reason, said.collect) == (
        Verdict.UNKNOWN,
        "rank: the records were cut",
        "Run it again.",
    )


REQUIRE = (
    LOOK + '[limit]\nlong = { value = "10 s", why = "w" }\n[[require]]\nthat = "run.time >='
    ' limit.long"\nelse = "Shorter than {limit.long}: {run.time}."\n'
)
REQUIRED = [
    ({"run": {"time": 20}, "rank": [row(YES, YES)]}, "found", ""),
    ({"run": {"time": 5}, "rank": [row(YES, YES)]}, "moot", "Shorter than 10 s: 5.00 s."),
    ({"run": {"time": 5}}, "moot", "Shorter than 10 s: 5.00 s."),
    ({"run": {}, "rank": [row(YES, YES)]}, "unknown", "run.time: not measured"),
    ({"rank": [row(YES, NO)]}, "unknown", "run: not measured|run.time: not measured"),
]


@pytest.mark.parametrize("tables, expected, says", REQUIRED)
def test_requirements(tmp_path, tables, expected, says):
    said = opinion(rule(tmp_path, REQUIRE), tables)
    assert verdict(said) == expected
    if says:
        assert plain(said.reason or said.sentence) in says.split("|")


def test_a_question_about_what_does_not_exist_is_moot(tmp_path):
    body = LOOK.replace('"rank.b > 0"', '"application.nk > rank.b"')
    said = opinion(rule(tmp_path, body), {"rank": [row(YES, YES)], "application": []})
    assert (said.verdict, said.sentence) == (
        Verdict.MOOT,
        "The question does not arise: the program is not one that we know.",
    )


@pytest.mark.parametrize(
    "body, sentence, reason",
    [
        (LOOK, "The question does not arise for any rank of this run.", "it goes by a of a rank"),
        (
            LOOK.replace("when =", "else = 'No rank has more than {run.size}.'\nwhen ="),
            "No rank has more than 8 B.",
            "",
        ),
    ],
    ids=["no words of its own", "words of its own"],
)
def test_a_question_about_no_row_is_said_in_words(tmp_path, body, sentence, reason):
    said = opinion(rule(tmp_path, body), {"rank": [row(NO, YES)], "run": {"size": 8}})
    assert (said.verdict, plain(said.sentence), said.reason) == (Verdict.MOOT, sentence, reason)


def test_the_rule_of_the_design_says_what_the_design_says(tmp_path):
    write(tmp_path, DESIGN_RULE, "threads-share-cores", "placement")
    (loaded,) = load_rules([tmp_path])
    given = {
        "run": {"time": 120, "ceiling_share": 0.9},
        "library": {"name": "openmpi", "version": "4.1.4"},
        "rank": [
            {"id": 0, "node": "n1", "threads": 8, "cores": 1, "compute_share": 0.8},
            {"id": 1, "node": "n1", "threads": 8, "cores": 8},
        ],
    }
    said = opinion(loaded, given, {"rank.id": "count", "rank.compute_share": "share"})
    assert plain(said.subject) == "Rank 0 on n1 runs 8 threads on 1 core."
    assert (said.severity, said.state, said.confidence, said.rows) == (
        "high",
        State.DOABLE,
        "high",
        1,
    )
    assert (said.saving.low, said.saving.high, said.saving.base) == pytest.approx(
        (42.0, 84.0, 120.0)
    )
    (step,) = said.steps
    assert (step.kind, step.text) == ("launch", "mpirun --map-by slot:PE=8 --bind-to core")


WORST = (
    LOOK.replace("[look]", "[look]\nevidence = ['Its time is {rank.time}.', 'And {rank.c}.']")
    + '[gain]\nlow = "0"\nhigh = "rank.time / run.time"\nbasis = "model"\nsource = "s"\n'
)


def test_the_row_with_most_at_stake_comes_first(tmp_path):
    rows = [
        {"id": number, "a": 1, "b": 1, "time": time} for number, time in enumerate([3, 9, 5, 1, 2])
    ]
    said = opinion(rule(tmp_path, WORST), {"run": {"time": 100}, "rank": rows})
    assert (said.subject, said.rows) == ("Rank 1 has 1.", 5)
    assert [plain(each) for each in said.facts] == [
        "Its time is 9.00 s.",
        "Rank 2 has 1.",
        "Rank 0 has 1.",
        "The same holds for 2 ranks more.",
    ]


def test_rows_that_could_not_be_looked_at_are_told(tmp_path):
    said = opinion(rule(tmp_path, LOOK), {"rank": [row(YES, YES), row(YES, UNSEEN)]})
    assert [plain(each) for each in said.facts] == [
        "1 rank of 2 could not be looked at: rank.b: not measured."
    ]


CAVEATS = [
    # when, then, x          confidence, hurts, state
    ("", "doubt", 1, "high", ["It hurts."], State.DOABLE),
    ("run.x > 0", "doubt", 1, "medium", ["It hurts."], State.DOABLE),
    ("run.x > 0", "doubt", 0, "high", [], State.DOABLE),
    (
        "run.x > 0",
        "doubt",
        None,
        "medium",
        ["It hurts. (not known here: run.x: not measured)"],
        State.DOABLE,
    ),
    ("run.x > 0", "withdraw", 1, "medium", ["It hurts."], State.WITHHELD),
    ("run.x > 0", "withdraw", 0, "high", [], State.DOABLE),
    (
        "run.x > 0",
        "withdraw",
        None,
        "medium",
        ["It hurts. (not known here: run.x: not measured)"],
        State.DOABLE,
    ),
]


@pytest.mark.parametrize("when, then, x, confidence, hurts, state", CAVEATS)
def test_caveats(tmp_path, when, then, x, confidence, hurts, state):
    body = (
        f'{LOOK}[[remedy]]\nfor = "any"\ndo = "it"\nsource = "s"\n[[caveat]]\ntext = "It'
        f' hurts."\nwhen = "{when}"\nthen = "{then}"\n'
    )
    body += '[[evidence]]\ntext = "t"\nsource = "s"\n'
    said = opinion(
        rule(tmp_path, body), {"run": {"t": 1} if x is None else {"x": x}, "rank": [row(YES, YES)]}
    )
    assert (said.confidence, list(said.hurts), said.state) == (confidence, hurts, state)
    assert [each.reason for each in said.steps] == (
        ["It hurts."] if state is State.WITHHELD else [""]
    )


QUALITIES = [
    (Quality.MEASURED, "stable", "high"),
    (Quality.DERIVED, "stable", "high"),
    (Quality.ESTIMATED, "stable", "medium"),
    (Quality.ASSUMED, "stable", "low"),
    (Quality.MEASURED, "trial", "medium"),
    (Quality.ASSUMED, "trial", "low"),
]


@pytest.mark.parametrize("quality, status, confidence", QUALITIES)
def test_confidence_is_no_better_than_the_columns(tmp_path, quality, status, confidence):
    loaded = replace(
        rule(tmp_path, LOOK + '[[evidence]]\ntext = "t"\nsource = "s"\n'), status=status
    )
    columns = {
        name: Column(name, "", np.ones(1), quality if name == "b" else Quality.MEASURED)
        for name in ("id", "a", "b")
    }
    advice = judge(
        Measures({"rank": Table("rank", columns)}, Profile(Run("p"), Library(), (), {})), [loaded]
    )
    assert [each.confidence for each in advice.findings] == [confidence]


def test_a_rule_that_fails_does_not_stop_the_others(tmp_path):
    good = rule(tmp_path, LOOK)
    broken = replace(good, id="broken", look=replace(good.look, when="rank.b >"))
    advice = judge(
        given_measures({"rank": [row(YES, YES)]}, {}),
        [broken, good],
        [Mistake("site/io/bad.toml", 3, "wrong")],
    )
    assert [each.rule for each in advice.findings] == ["a-rule"]
    assert [(each.rule, each.verdict) for each in advice.silences] == [
        ("broken", Verdict.UNKNOWN),
        ("bad", Verdict.UNKNOWN),
    ]
    assert (
        "column" in advice.silences[0].reason
        and advice.silences[1].reason == "site/io/bad.toml:3: wrong"
    )
    assert advice.rules == 3


def test_a_muted_rule_is_silent(tmp_path):
    said = opinion(replace(rule(tmp_path, LOOK), status="muted"), {"rank": [row(YES, YES)]})
    assert said.verdict is Verdict.MOOT


def gaining(tmp_path, name, share, extra="", effort=1):
    body = f"""{extra}[look]
each = "run"
when = "run.ranks > 1"
say = "s"
[gain]
low = "{share}"
high = "{share} + {share}"
basis = "model"
source = "s"
[[remedy]]
for = "any"
do = "it"
source = "s"
effort = {effort}
"""
    return rule(tmp_path / name, body, name)


def test_order_is_lower_end_of_gain_times_confidence_by_effort(tmp_path):
    rules = [
        gaining(tmp_path, "small-and-easy", 0.05),
        gaining(tmp_path, "large-and-hard", 0.15, effort=4),
        gaining(tmp_path, "large-and-easy", 0.15),
        gaining(tmp_path, "always-an-error", 0, 'severity = "high"\n'),
    ]
    fixed = replace(rules[3], gain=None)
    advice = judge(given_measures({"run": {"ranks": 2, "time": 100}}, {}), [*rules[:3], fixed])
    assert [(each.rule, each.severity) for each in advice.findings] == [
        ("large-and-easy", "high"),
        ("always-an-error", "high"),
        ("small-and-easy", "high"),
        ("large-and-hard", "high"),
    ]


SAVINGS = {
    "records": {"loses-sometimes": (-1, 13), "loses-often": (-28, 40), "loses-mostly": (-30, 2)},
    "model": {"may-save-all": (0, 50), "may-save-little": (0, 3)},
}


def test_what_saved_time_on_average_comes_before_mere_bounds_and_what_lost_comes_last(tmp_path):
    """One loser among the records does not send advice behind all that can lose nothing, nor does
    effort help what loses."""
    finding = judge(
        given_measures({"run": {"ranks": 2, "time": 100}}, {}),
        [gaining(tmp_path, "any-rule", 0.15)],
    ).findings[0]

    def made(name, basis, low, high, **other):
        return replace(
            finding,
            rule=name,
            saving=replace(finding.saving, low=low, high=high, basis=basis),
            **other,
        )

    findings = [
        made(name, basis, *ends)
        for basis, all_of_it in SAVINGS.items()
        for name, ends in all_of_it.items()
    ]
    findings += [
        made(
            "loses-mostly-and-hard",
            "records",
            -30,
            2,
            steps=tuple(replace(step, effort=5) for step in finding.steps),
        ),
        made("saves", "records", 0.2, 0.4),
    ]
    assert [each.rule for each in sorted(findings, key=lambda each: order(each, False))] == [
        "saves",
        "loses-sometimes",
        "may-save-all",
        "loses-often",
        "may-save-little",
        "loses-mostly",
        "loses-mostly-and-hard",
    ]


def test_a_sure_small_gain_does_not_come_before_what_explains_three_times_as_much(tmp_path):
    finding = judge(
        given_measures({"run": {"ranks": 2, "time": 100}}, {}),
        [gaining(tmp_path, "any-rule", 0.15)],
    ).findings[0]
    sure = replace(finding, rule="sure", saving=replace(finding.saving, low=3, high=13))
    open_ = replace(finding, rule="open", saving=replace(finding.saving, low=0, high=40))
    #  the sure one explains, of what the other does → first
    for part, first in ((0.2, "open"), (0.4, "sure"), (1.0, "sure")):
        keys = {
            "sure": order(sure, False, 0.4 * part, part),
            "open": order(open_, False, 0.4, 1.0),
        }
        assert min(keys, key=keys.__getitem__) == first
    # What a site fixed keeps its place, and what explains nothing is not small.
    assert order(sure, True, 0.08, 0.2) == order(sure, True, 0.4, 1.0)
    assert order(sure, False, 0.0, 0.0)[2] == order(sure, False, 0.4, 1.0)[2]


SEVERITIES = [(0.05, "high"), (0.03, "medium"), (0.02, "low"), (0.005, "note")]


@pytest.mark.parametrize("low, severity", SEVERITIES)
def test_severity_by_what_is_at_stake(tmp_path, low, severity):
    (finding,) = judge(
        given_measures({"run": {"ranks": 2, "time": 100}}, {}), [gaining(tmp_path, "a-rule", low)]
    ).findings
    assert finding.severity == severity


CELL = st.sampled_from([None, 0, 1])


@given(
    st.lists(st.tuples(CELL, CELL), max_size=6), st.sampled_from([0, 1]), st.sampled_from([0, 1])
)
@settings(max_examples=200, deadline=None)
def test_unknown_never_turns_into_found(tmp_path_factory, rows, a, b):
    loaded = _loaded(tmp_path_factory)
    before = verdict(opinion(loaded, {"rank": [row(*each) for each in rows]}))
    filled = [(a if where is None else where, b if when is None else when) for where, when in rows]
    after = verdict(opinion(loaded, {"rank": [row(*each) for each in filled]}))
    assert after != "unknown"
    if before == "found":
        assert after == "found"
    if after == "found" and before != "found":
        assert before == "unknown"


_RULES = {}


def _loaded(factory):
    if "rule" not in _RULES:
        _RULES["rule"] = rule(factory.mktemp("rules"), LOOK)
    return _RULES["rule"]


def test_findings_on_the_same_time_say_so(tmp_path):
    body = (
        '[look]\neach = "operation"\nwhen = "operation.share > 0"\nsay = "s"\n[gain]\nlow ='
        ' "0"\nhigh = "operation.share"\nbasis = "model"\nsource = "s"\n'
    )
    body += '[[remedy]]\nfor = "any"\ndo = "it"\nsource = "s"\n'
    rules = [rule(tmp_path / name, body, name) for name in ("first", "second")]
    advice = judge(
        given_measures({"run": {"time": 100}, "operation": [{"name": "Bcast", "share": 0.2}]}, {}),
        rules,
    )
    assert [list(each.facts) for each in advice.findings] == [
        [],
        ["This is the same time as in “Found it”: the two gains do not add up."],
    ]


def test_changed_limits_are_named_in_the_advice(tmp_path):
    write(
        tmp_path / "site",
        'schema = 1\namends = "a-rule"\nwhy = "w"\nlimit.least = { value = 0, why = "Here." }\n',
        "here",
    )
    rule(
        tmp_path / "ours",
        LOOK.replace("rank.b > 0", "rank.b > limit.least")
        + '[limit]\nleast = { value = 5, why = "w" }\n',
    )
    advice = judge(
        given_measures({"rank": [row(YES, YES)]}, {}),
        load_rules([tmp_path / "ours", tmp_path / "site"]),
    )
    (finding,) = advice.findings
    assert isinstance(finding, Finding) and finding.facts[0].startswith(
        "The limit least is 0 here, set by "
    )
    assert [(each.name, each.text) for each in advice.changed_limits] == [("a-rule: least", "0")]
