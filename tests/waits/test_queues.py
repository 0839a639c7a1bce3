"""What the library says of itself, by performance variables: how many messages wait for their
receive."""

from __future__ import annotations

import pytest

from advisor.advice import judge, load_rules
from advisor.analysis.measure import measure
from advisor.base import resource_paths
from advisor.intake.read import read
from mpi_builds import find, preloaded, require, run

RULES = ("receives-posted-late", "messages-never-received")


def measured(build, collector, program, folder, many, late, without, own, *asked):
    """The table `run` of a run of queues.c, and the profile."""
    folder.mkdir()
    line = [
        *preloaded(collector(build), folder, *asked),
        program(build, "queues.c"),
        many,
        late,
        without,
        own,
    ]
    done = run(build, 2, line)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    profile = read(folder / "merged.profile")
    return measure(profile).tables["run"].row(0), profile


def verdicts(profile):
    """Of the rules on such queues: found, clear or unknown."""
    rules = [rule for rule in load_rules([resource_paths.rules()]) if rule.id in RULES]
    advice = judge(measure(profile), rules)
    known = {
        **{silence.rule: silence.verdict.value for silence in advice.silences},
        **{finding.rule: "found" for finding in advice.findings},
    }
    return tuple(known[name] for name in RULES)


def expected(profile, *verdicts):
    """`verdicts`, the first of them "moot" where other tests had the cores: receives may be late
    for that."""
    if measure(profile).tables["run"].row(0)["no_core_share"] >= 0.05:
        return "moot", *verdicts[1:]
    return verdicts


@pytest.mark.parametrize("late, without", ((1, 7), (0, 0)))
def test_messages_that_wait_for_their_receive(late, without, collector, program, tmp_path):
    """A hundred messages come; their receives are posted when all are there, or before. The program
    uses the tool interface as well."""
    found, profile = measured(
        require(find("ompi4")),
        collector,
        program,
        tmp_path / "out",
        100,
        late,
        without,
        1,
        "ADVISOR_COUNTERS=page_faults",
    )
    lengths = profile.tables["variables"]
    assert (
        set(lengths["variable"])
        == {"pml_ob1_unexpected_msgq_length", "pml_ob1_posted_recvq_length"}
        and (lengths["reads"] >= 2).all()
    )
    assert (found["unexpected_peak"] >= 100, found["unexpected_length"] > 10) == (
        (True, True) if late else (False, False)
    )
    assert found["never_received"] == without
    assert verdicts(profile) == expected(
        profile, *(("found", "found") if late else ("clear", "clear"))
    )


def test_open_mpi_is_not_asked_unless_counters_are(collector, program, tmp_path):
    """It opens half a hundred files once more for that, on each rank."""
    found, profile = measured(
        require(find("ompi4")), collector, program, tmp_path / "out", 100, 1, 7, 0
    )
    cell = measure(profile).tables["run"].columns["never_received"]
    assert (
        "variables" not in profile.tables
        and found.get("never_received") is None
        and "--counters" in str(cell.collect)
    )
    assert verdicts(profile) == expected(profile, "unknown", "unknown")


def test_a_library_without_such_variables(collector, program, tmp_path):
    found, profile = measured(
        require(find("mpich4")), collector, program, tmp_path / "out", 100, 1, 0, 0
    )
    assert found.get("unexpected_length") is None and "variables" not in profile.tables
    assert verdicts(profile) == expected(profile, "unknown", "unknown")
    assert "exports none" in next(gap.reason for gap in profile.gaps if gap.subject == "variables")
