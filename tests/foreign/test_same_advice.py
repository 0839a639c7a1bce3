"""One program measured by several tools: where two know enough to judge, they say the same."""

from __future__ import annotations

import re

import pytest

from advisor import advice, analysis
from advisor.cli.report import folders
from advisor.intake import read
from advisor.intake.foreign.recognise import foreign
from advisor.model.finding import Verdict

from .files import recorded

SHORT = (
    "mpip-waits-2r.mpiP",
    "mpip-waits-2r-noaslr.mpiP",
    "ipm-waits-2r-full.xml",
    "caliper-waits-2r-profile.cali",
    "caliper-waits-2r-profile-query.json",
    "talp-waits-2r.json",
    "scorep-waits-2r-profile.cubex",
)
LONG = (
    "mpip-waits-2r-vpyk3.mpiP",
    "mpip-waits-2r-vpyk3-concise.mpiP",
    "ipm-waits-2r-terse.xml",
    "ipm-waits-2r-banner.txt",
)
"""More than 10 s, since the machine was busy: sleeping ranks took so long to come back."""


AT_THE_LIMIT = {("uneven-compute", "mpip-waits-2r-noaslr.mpiP")}
"""Its limit is 5 %, and imbalance is 0.1 to 5.0 % in these runs, in that of mpiP without address
randomisation 5.6 %: they are runs of one program, not one run."""


@pytest.fixture(scope="module")
def verdicts():
    book = advice.read_rules(folders([]))

    def of(name):
        result = advice.judge(analysis.measure(read(recorded(name))), book.rules, book.mistakes)
        found = {
            silence.rule: silence.verdict
            for silence in result.silences
            if silence.verdict in (Verdict.CLEAR, Verdict.MOOT)
        }
        return {**found, **{finding.rule: Verdict.FOUND for finding in result.findings}}

    return {name: of(name) for name in SHORT + LONG}


@pytest.mark.parametrize("names", [SHORT, LONG], ids=["short", "long"])
def test_no_rule_is_both_found_and_clear(verdicts, names):
    said = {}
    for name in names:
        for rule, verdict in verdicts[name].items():
            if (rule, name) in AT_THE_LIMIT:
                assert verdict is Verdict.FOUND
                continue
            said.setdefault(rule, {}).setdefault(verdict, []).append(name)
    assert {
        rule: by for rule, by in said.items() if {Verdict.FOUND, Verdict.CLEAR} <= set(by)
    } == {}


def test_two_reports_of_one_run_judge_alike(verdicts):
    whole, concise = (
        verdicts["mpip-waits-2r-vpyk3.mpiP"],
        verdicts["mpip-waits-2r-vpyk3-concise.mpiP"],
    )
    both = whole.keys() & concise.keys()
    # Who knows less may have to ask before it can say that a question does not arise: clear and
    # moot are both silence.
    assert (
        len(both) >= 5
        and {
            rule
            for rule in both
            if (whole[rule] is Verdict.FOUND) != (concise[rule] is Verdict.FOUND)
        }
        == set()
    )


def test_two_forms_of_one_profile_judge_alike(verdicts):
    assert (
        verdicts["caliper-waits-2r-profile.cali"] == verdicts["caliper-waits-2r-profile-query.json"]
    )


def test_doubt_is_said_where_a_tool_does_not_record_cores():
    # 2000 barriers a rank in a tenth of the run: our rule speaks, mpiP does not know whether ranks
    # had cores.
    raw = recorded("mpip-waits-2r-vpyk3.mpiP").read_text()
    raw = re.sub(r"(Barrier +[37] +[01]) +1 +\S+ +\S+ +\S+", r"\1 20000 1.0 0.5 0.1", raw)
    book = advice.read_rules(folders([]))
    result = advice.judge(
        analysis.measure(foreign(raw.encode())),
        [rule for rule in book.rules if rule.id == "many-barriers"],
    )
    (finding,) = result.findings
    assert finding.confidence == "low" and finding.hurts[0].startswith(
        "Whether ranks had cores of their own is not known: mpiP records"
    )


def test_who_does_not_split_by_operation_judges_no_operation(verdicts):
    rule = "small-file-requests"
    assert (
        verdicts["talp-waits-2r.json"].get(rule),
        verdicts["mpip-waits-2r-vpyk3.mpiP"].get(rule),
    ) == (None, Verdict.MOOT)
