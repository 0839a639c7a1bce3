"""Calls that ask: those that found nothing are told from those that found something."""

from __future__ import annotations

import os
import secrets

import pytest

from advisor.analysis.measure import measure
from advisor.intake.read import read
from advisor.launching.run import rank_records
from mpi_builds import BUILDS, find, preloaded, require, run

EACH = 12


def cells(profile):
    """(operation, whether something was found) → calls and seconds of rank 1."""
    calls, found = profile.tables["calls"], {}
    for rank, operation, kind, count, time in zip(
        *(calls[name] for name in ("rank", "operation", "class", "count", "time"))
    ):
        if rank == 1:
            before = found.get((operation, kind != "nothing"), (0, 0.0))
            found[operation, kind != "nothing"] = (before[0] + int(count), before[1] + float(time))
    return found


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_what_was_found_and_what_not(build, collector, program, tmp_path):
    """Against the program's own counts; some calls find what they ask for at once."""
    require(build)
    window = {"OMPI_MCA_osc": "pt2pt"} if build.name == "ompi4" else {}
    done = run(
        build, 2, [*preloaded(collector(build), tmp_path), program(build, "polls.c"), EACH], window
    )
    assert done.returncode == 0, done.stderr
    profile = read(tmp_path / "merged.profile")
    counted = cells(profile)
    said = {
        name: (int(some), int(none))
        for name, some, none in map(str.split, done.stdout.splitlines())
    }
    assert {
        name: tuple(counted.get((name, something), (0, 0))[0] for something in (True, False))
        for name in said
    } == said
    assert [name for name, (some, _) in said.items() if some != EACH] == [] and sum(
        none for _, none in said.values()
    ) > EACH
    in_vain = sum(seconds for (name, something), (_, seconds) in counted.items() if not something)
    assert measure(profile).tables["run"].row(0)["polling_time"] == pytest.approx(in_vain / 2)


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_time_between_polls_that_found_nothing(build, collector, program, tmp_path):
    """Against the program's own clock. What lies between a poll and another call is not in it, nor
    what follows a poll that found something."""
    require(build)
    words = [*preloaded(collector(build), tmp_path), program(build, "between_polls.c")]
    done = run(build, 2, words)
    assert done.returncode == 0, done.stderr
    between, apart = map(float, done.stdout.split())
    found = read(tmp_path / "merged.profile").tables["ranks"]["between_polls"]
    assert between > 0.002 and apart > 0.002
    assert found.tolist() == [0.0, pytest.approx(between, rel=0.05)]


def test_records_that_ranks_leave_tell_it_too(collector, program, tmp_path):
    """As of ranks that are killed: nobody merges them."""
    build, mark = find("mpich4"), secrets.token_hex(8)
    words = [*preloaded(collector(build), tmp_path, f"ADVISOR_RUN={mark}"), "ADVISOR_GATHER=no"]
    done = run(build, 2, [*words, program(build, "between_polls.c")])
    rank_records.moved(list(rank_records.left_behind(mark, os.environ)), tmp_path)
    between = float(done.stdout.split()[0])
    found = read(tmp_path).tables["ranks"]["between_polls"]
    assert found.tolist() == [0.0, pytest.approx(between, rel=0.05)]
