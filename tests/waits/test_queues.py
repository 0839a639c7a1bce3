"""What the library says of itself, by performance variables: how many messages wait for their receive."""

from __future__ import annotations

import pytest

from advisor.analysis.measure import measure
from advisor.intake.read import read
from mpi_builds import find, require, run


def measured(build, collector, program, folder, many, late, without, own):
    """The table `run` of a run of queues.c, and the profile."""
    folder.mkdir()
    line = ["env", f"LD_PRELOAD={collector(build)}", f"ADVISOR_OUTPUT={folder}", program(build, "queues.c"), many, late, without, own]
    done = run(build, 2, line)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    profile = read(folder / "merged.profile")
    return measure(profile).tables["run"].row(0), profile


@pytest.mark.parametrize("late, without", ((1, 7), (0, 0)))
def test_messages_that_wait_for_their_receive(late, without, collector, program, tmp_path):
    """A hundred messages come; their receives are posted when all are there, or before. The program uses the tool interface as well."""
    found, profile = measured(require(find("ompi4")), collector, program, tmp_path / "out", 100, late, without, 1)
    lengths = profile.tables["variables"]
    assert set(lengths["variable"]) == {"pml_ob1_unexpected_msgq_length", "pml_ob1_posted_recvq_length"} and (lengths["reads"] >= 2).all()
    assert (found["unexpected_peak"] >= 100, found["unexpected_length"] > 1) == ((True, True) if late else (False, False))
    assert found["never_received"] == without


def test_a_library_without_such_variables(collector, program, tmp_path):
    found, profile = measured(require(find("mpich4")), collector, program, tmp_path / "out", 100, 1, 0, 0)
    assert found.get("unexpected_length") is None and "variables" not in profile.tables
    assert "exports none" in next(gap.reason for gap in profile.gaps if gap.subject == "variables")
