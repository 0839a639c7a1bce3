"""verified.json and the site's memory: what is written is read, what is damaged is one sentence,
what was disproved is not offered again."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace

import pytest

from advisor import advice, analysis, intake
from advisor.__main__ import main
from advisor.advice.judging.site_history import with_history
from advisor.advice.judging.verified_gain import with_verified_gains
from advisor.advice.language.scope import View
from advisor.base import resource_paths
from advisor.cli.verifying_run import conclude
from advisor.model.errors import UserError
from advisor.model.finding import State
from advisor.model.message import message
from advisor.model.verified import Evidence, Verified
from advisor.reports.composing.verified import numbers, sentence
from advisor.reports.languages import catalogue
from advisor.verifying import evidence, record

BETTER = Verified(
    "single-copy",
    ("single-copy",),
    {"A": "1"},
    "better",
    6,
    -0.081,
    -0.0904,
    -0.0731,
    baseline=10.0,
    variant=9.2,
    date="2026-11-21T12:00:00+0000",
)
BREAKS = Verified(
    "x", ("x",), {"--bind-to": "core"}, "breaks", 0, reason="exit code 139, see 002-variant.err"
)


def campaign(began: str, *found: Verified) -> dict:
    return {"began": began, "results": [record.plain(each) for each in found]}


def test_what_is_written_is_read_and_the_newest_counts(tmp_path):
    record.write(tmp_path, campaign("1", BETTER, BREAKS), "advisor test")
    assert record.read(tmp_path) == (BETTER, BREAKS)
    record.write(tmp_path, campaign("2", replace(BETTER, verdict="worse")), "advisor test")
    assert record.read(tmp_path) == (BREAKS, replace(BETTER, verdict="worse"))


@pytest.mark.parametrize(
    "reason, korean",
    [
        (message("the budget is spent"), "정한 시간이 다 되었다"),
        (
            message(
                "{pairs} pairs do not tell: {reason}",
                pairs=24,
                reason=message("about {pairs} would (--pairs)", pairs=40),
            ),
            "24쌍으로는 판단 불가: 약 40쌍이면 된다 (--pairs)",
        ),
        ("a reason of an older record", "a reason of an older record"),
    ],
)
def test_a_reason_that_was_kept_can_be_translated(reason, korean, tmp_path):
    undecided = replace(BETTER, verdict="undecided", reason=reason)
    record.write(tmp_path, campaign("1", undecided), "advisor test")
    (found,) = record.read(tmp_path)
    assert found == undecided
    assert catalogue("ko").text(found.reason) == korean


@pytest.mark.parametrize(
    "made_of", [3, {"template": "x"}, {"template": "{a}{b}", "values": {"a": ""}}]
)
def test_a_reason_made_of_nothing_is_refused(made_of):
    with pytest.raises((KeyError, TypeError)):
        record.from_plain({**record.plain(BETTER), "reason_made_of": made_of})


def test_no_file_is_nothing_verified(tmp_path):
    assert record.read(tmp_path) == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"format": "other"}',
        '{"format": "advisor-verified", "version": [1, 0]}',
        '{"format": "advisor-verified", "version": [1, 0], "campaigns": [1]}',
        (
            '{"format": "advisor-verified", "version": [1, 0], "campaigns": [{"results": [{"name":'
            ' "x", "verdict": "great"}]}]}'
        ),
        (
            '{"format": "advisor-verified", "version": [1, 0], "campaigns": [{"results": [{"name":'
            ' "x", "verdict": "better"}]}]}'
        ),
        (
            '{"format": "advisor-verified", "version": [1, 0], "campaigns": [{"results": [{"name":'
            ' "x", "verdict": "same", "low": NaN}]}]}'
        ),
        "[" * 100_000,
    ],
    ids=[
        "empty",
        "cut",
        "a list",
        "another format",
        "no campaigns",
        "no campaign",
        "no such verdict",
        "no numbers",
        "not a number",
        "deep",
    ],
)
def test_a_damaged_file_is_one_sentence(text, tmp_path):
    (tmp_path / "verified.json").write_text(text)
    with pytest.raises(UserError) as refused:
        record.read(tmp_path)
    assert len(refused.value.lines()) == 1 and "verified.json is damaged" in refused.value.what


def test_a_newer_minor_version_is_read_and_a_newer_major_one_named(tmp_path):
    place = record.write(tmp_path, campaign("1", BETTER), "advisor test")
    content = json.loads(place.read_text())
    content["version"], content["more"], content["campaigns"][0]["results"][0]["more"] = (
        [1, 9],
        1,
        1,
    )
    place.write_text(json.dumps(content))
    assert record.read(tmp_path) == (BETTER,)
    content["version"] = [2, 0]
    place.write_text(json.dumps(content))
    with pytest.raises(UserError, match="written by a newer advisor"):
        record.read(tmp_path)


@pytest.mark.parametrize(
    "given, middle", [({}, "mean"), ({"is_median": True}, "median"), ({"middle": "fast"}, "fast")]
)
def test_what_the_interval_is_of_is_read_from_new_records_and_old_ones(given, middle):
    content = {name: value for name, value in record.plain(BETTER).items() if name != "middle"}
    assert record.from_plain({**content, **given}).middle == middle


def test_an_interval_of_something_unknown_is_refused():
    with pytest.raises(ValueError, match="no interval of 'mode'"):
        record.from_plain({**record.plain(BETTER), "middle": "mode"})


@pytest.mark.parametrize(
    "found, expected",
    [
        (BETTER, "better: −8.1 % [−9.0, −7.3], 6 pairs"),
        (
            replace(
                BETTER,
                verdict="undecided",
                effect=0.2,
                low=-0.1,
                high=0.5,
                reason="6 pairs do not tell",
            ),
            "undecided: +20 % [−10, +50], 6 pairs; 6 pairs do not tell",
        ),
        (
            replace(BETTER, metric="fastest batch: ([0-9.]+)"),
            "better: −8.1 % [−9.0, −7.3], 6 pairs; timed by fastest batch: …",
        ),
        (
            replace(BETTER, metric=r"log:Total\s+time \(s\) = ([^\)]+) s"),
            "better: −8.1 % [−9.0, −7.3], 6 pairs; timed by log:Total time (s) = … s",
        ),
        (
            replace(BETTER, middle="median"),
            "better: −8.1 % [−9.0, −7.3], 6 pairs; the median, since some runs were far off",
        ),
        (
            replace(BETTER, middle="fast"),
            "better: −8.1 % [−9.0, −7.3], 6 pairs; of the faster runs, since many were far off",
        ),
        (
            replace(BETTER, metric="vasp", dropped=True),
            "better: −8.1 % [−9.0, −7.3], 6 pairs; timed by vasp; the first pair was a warm-up",
        ),
        (BREAKS, "breaks: exit code 139, see 002-variant.err"),
    ],
)
def test_verdicts_in_words(found, expected):
    assert sentence(found).replace("\u00a0", " ") == expected
    assert numbers(BREAKS) == ""


def test_evidence_is_appended_and_damaged_lines_are_left_out(tmp_path):
    file = tmp_path / "site" / "evidence.jsonl"
    first, second = (
        Evidence(BETTER, "openmpi", "4.1.4", "app", 64, 2, "EPYC"),
        Evidence(BREAKS, "mpich", facts={"fabric": "efa"}),
    )
    evidence.append(file, [first])
    with open(file, "a") as out:
        out.write('{"verified": 1}\n\n')
    evidence.append(file, [second])
    known, problem = evidence.read(file)
    assert known == (first, second)
    assert problem == f"{file}: line 2 cannot be read and is left out."
    assert evidence.read(tmp_path / "none") == ((), "")


@pytest.fixture
def result(tmp_path, monkeypatch):
    """A result folder under Open MPI, for which a setting is doable; and no memory but the test's
    own."""
    monkeypatch.setenv("ADVISOR_EVIDENCE", str(tmp_path / "evidence.jsonl"))
    folder = tmp_path / "result"
    folder.mkdir()
    (folder / "profile").write_bytes(
        (resource_paths.samples() / "verified" / "profile").read_bytes()
    )
    return folder


@pytest.mark.parametrize(
    "typed, remembered",
    [
        ([], 1),
        (["mpirun", "-n", "2", "./ping_pong", "8"], 1),
        (["mpirun", "-n", "2", "./another"], 0),
    ],
)
def test_what_another_program_did_is_not_remembered_of_this_one(typed, remembered, result, capsys):
    """The recorded command is the program's own, also where a script hides its name."""
    done = {
        "results": [record.plain(BETTER)],
        "command": "mpirun -n 2 ./start.sh",
        "trials": "trials-1",
    }
    conclude(
        done,
        intake.read(result),
        result,
        Namespace(remember=True, json=True, rules=[], words=typed),
    )
    assert len(evidence.read(result.parent / "evidence.jsonl")[0]) == remembered
    assert (
        "Not remembered for other runs: the result is of ping_pong" in capsys.readouterr().err
    ) is not bool(remembered)


RULE = "eager-limit-in-host"
SETTINGS = {"OMPI_MCA_btl_vader_eager_limit": "65536", "OMPI_MCA_btl_vader_max_send_size": "65536"}
HERE = Verified(
    RULE, (RULE,), SETTINGS, "worse", 6, 0.05, 0.04, 0.06, date="2026-11-20T12:00:00+0000"
)
SITE = Evidence(HERE, "openmpi", "4.1.4", "ping_pong", 2)


def report(result, capsysbinary, format="json", *more):
    assert main(["report", str(result), "--format", format, *more]) == 0
    return capsysbinary.readouterr().out.decode()


def of_rule(result, capsysbinary):
    """(state, reasons of its actions, what was verified) of the finding, and whether the launch
    line has its setting."""
    content = json.loads(report(result, capsysbinary))
    finding = next(each for each in content["findings"] if each["rule"] == RULE)
    in_line = any(
        name in SETTINGS for name in (content["launch_line"] or {"settings": {}})["settings"]
    )
    return (
        finding["state"],
        " ".join(action["reason"] for action in finding["actions"]),
        finding["verified"].replace("\u00a0", " "),
        in_line,
    )


def test_nothing_remembered_leaves_advice_doable(result, capsysbinary):
    assert of_rule(result, capsysbinary) == ("you can do this", "", "", True)


@pytest.mark.parametrize(
    "known, offered",
    [
        (SITE, False),
        (replace(SITE, ranks=4), False),
        (replace(SITE, verified=replace(HERE, verdict="same")), False),
        (replace(SITE, verified=replace(HERE, verdict="breaks")), False),
        (replace(SITE, verified=replace(HERE, verdict="better")), True),
        (replace(SITE, verified=replace(HERE, verdict="undecided")), True),
        (replace(SITE, ranks=5), True),
        (replace(SITE, program="other"), True),
        (replace(SITE, version="5.0.11"), True),
        (replace(SITE, library="mpich"), True),
        (
            replace(
                SITE, verified=replace(HERE, settings={"OMPI_MCA_btl_vader_eager_limit": "8192"})
            ),
            True,
        ),
    ],
    ids=[
        "worse",
        "twice the ranks",
        "same",
        "breaks",
        "better",
        "undecided",
        "more ranks",
        "another program",
        "another version",
        "another library",
        "another value",
    ],
)
def test_what_was_disproved_in_a_run_like_this_is_not_offered_again(known, offered, judged):
    finding = remembering(judged, known)
    assert (finding.state is State.DOABLE) is offered
    assert ("it was tried here on 2026-11-20" in finding.steps[0].reason) is not offered


@pytest.fixture(scope="module")
def judged():
    """What all rules say of the sample, remembering nothing."""
    measures = analysis.measure(intake.read(resource_paths.samples() / "verified" / "profile"))
    return advice.judge(measures, advice.read_rules([resource_paths.rules()]).rules)


def remembering(judged, *known):
    (finding,) = [
        each
        for each in with_history(judged.findings, known, View(judged.measures))
        if each.rule == RULE
    ]
    return finding


def test_the_newest_verdict_counts(judged):
    good = replace(SITE, verified=replace(HERE, verdict="better", effect=-0.1))
    assert remembering(judged, SITE, good).state is State.DOABLE
    assert remembering(judged, good, SITE).state is State.WITHHELD


def test_the_memory_of_the_site_takes_advice_from_the_launch_line_and_says_why(
    result, capsysbinary
):
    evidence.append(result.parent / "evidence.jsonl", [SITE])
    state, reason, _, in_line = of_rule(result, capsysbinary)
    assert (state, in_line) == ("withheld", False)
    assert (
        reason.replace("\u00a0", " ")
        == "it was tried here on 2026-11-20 and made it slower (+5.0 % of the time, 6 pairs)"
    )


def tried(effect, low, high, **other):
    return replace(
        SITE, verified=replace(HERE, verdict="better", effect=effect, low=low, high=high), **other
    )


@pytest.mark.parametrize(
    "known, shares",
    [
        ([tried(-0.10, -0.12, -0.08)], (0.08, 0.12)),
        ([tried(-0.10, -0.12, -0.08), tried(-0.2, -0.25, -0.15)], (0.08, 0.25)),
        (
            [tried(-0.10, -0.12, -0.08), tried(-0.2, -0.25, -0.15), tried(-0.3, -0.35, -0.25)],
            (-0.0465, 0.3948),
        ),
        ([tried(-0.10, -0.12, -0.08, ranks=4)], (0.08, 0.12)),
        ([tried(-0.02, -0.05, 0.01)], (-0.01, 0.05)),
        ([tried(-0.10, -0.12, -0.08), tried(0.03, 0.02, 0.04)], (-0.04, 0.12)),
        (
            [tried(-0.10, -0.12, -0.08), tried(-0.2, -0.25, -0.15), tried(0.05, 0.02, 0.08)],
            (-0.226, 0.3231),
        ),
        ([tried(-0.10, -0.12, -0.08, program="other")], None),
        ([tried(-0.10, -0.12, -0.08, library="mpich")], None),
        ([tried(-0.10, -0.12, -0.08, ranks=8)], None),
        ([tried(-0.10, -0.12, -0.08, own=True)], None),
    ],
    ids=[
        "one",
        "two cover both",
        "three: where a fourth may lie",
        "twice the ranks",
        "perhaps a loss",
        "one of two lost",
        "one of three lost",
        "another program",
        "another library",
        "four times the ranks",
        "this very result",
    ],
)
def test_gains_that_were_verified_here_come_before_those_of_the_rule(known, shares, judged):
    """The rule of the sample predicts 0 to 9 % from one published measurement."""
    predicted = next(each for each in judged.findings if each.rule == RULE).saving
    (found,) = [
        each
        for each in with_verified_gains(judged.findings, known, View(judged.measures))
        if each.rule == RULE
    ]
    if shares is None:
        assert found.saving == predicted
    else:
        assert (
            found.saving.low / found.saving.base,
            found.saving.high / found.saving.base,
        ) == pytest.approx(shares, abs=1e-4)
        assert (
            found.saving.basis,
            f"here: {len(known)}, " in found.saving.source,
            "2026-11-20" in found.saving.source,
        ) == ("verified", True, True)


def test_where_all_verified_runs_lost_no_gain_is_predicted(judged):
    (found,) = [
        each
        for each in with_verified_gains(
            judged.findings, [tried(0.02, 0.01, 0.03)], View(judged.measures)
        )
        if each.rule == RULE
    ]
    assert (found.saving, found.no_saving_reason) == (
        None,
        "no number: verified runs of this program here: 1, the last on 2026-11-20; none was faster",
    )


def test_a_gain_of_this_site_is_in_the_report_and_one_of_this_result_is_not(result, capsysbinary):
    def gain_and_basis():
        gain = next(
            each
            for each in json.loads(report(result, capsysbinary))["findings"]
            if each["rule"] == RULE
        )["gain"]
        return round(gain["high"], 3), gain["basis"].partition(" (")[0]

    before = gain_and_basis()
    evidence.append(result.parent / "evidence.jsonl", [tried(-0.10, -0.12, -0.08)])
    assert gain_and_basis() == (
        round(0.12 * json.loads(report(result, capsysbinary))["run"]["elapsed"], 3),
        "verified before",
    )
    record.write(result, campaign("1", tried(-0.10, -0.12, -0.08).verified), "advisor test")
    assert gain_and_basis() == before


@pytest.mark.parametrize("format", ["terminal", "markdown", "html", "json"])
def test_reports_of_a_result_say_what_was_verified(format, result, capsysbinary):
    good = replace(HERE, verdict="better", effect=-0.081, low=-0.09, high=-0.073)
    record.write(
        result,
        campaign(
            "1",
            good,
            replace(good, name="OMPI_MCA_pml=ucx", rules=(), effect=-0.2, low=-0.24, high=-0.16),
        ),
        "advisor test",
    )
    text = report(result, capsysbinary, format, "--full").replace("\u00a0", " ").replace("\\", "")
    assert "better: −8.1 % [−9.0, −7.3], 6 pairs" in text
    assert "better: −20.0 % [−24.0, −16.0], 6 pairs" in text and "OMPI_MCA_pml=ucx" in text


def test_the_recorded_campaigns_are_shown(tmp_path, monkeypatch, capsysbinary):
    monkeypatch.setenv("ADVISOR_EVIDENCE", str(tmp_path / "none"))
    text = (
        report(resource_paths.samples() / "verified", capsysbinary, "markdown", "--full")
        .replace("\u00a0", " ")
        .replace("\\", "")
    )
    assert "- verified: better: −56 % [−76, −21], 12 pairs" in text
    assert "OMPI_MCA_btl=self,tcp: worse: +97 % [+16, +234], 6 pairs" in text
    assert "OMPI_MCA_coll_tuned_use_dynamic_rules=1: same: −1 % [−9, +7], 4 pairs" in text


def test_a_damaged_record_does_not_hide_the_report(result, capsysbinary):
    (result / "verified.json").write_text("{")
    assert main(["report", str(result)]) == 0
    out = capsysbinary.readouterr()
    assert "verified.json is damaged" in out.err.decode() and "eager limit" in out.out.decode()
