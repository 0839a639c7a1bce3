"""However a rank ends, the run is as it was without us, and what was counted can still be read."""

from __future__ import annotations

import os
import secrets

import pytest

from advisor import intake
from advisor.launching.run import rank_records
from mpi_builds import BUILDS, find, preloaded, run

ENDS_EARLY = ("kill", "fault", "exit", "abort")


def launch(build, program, collector, parts, how, ranks=1):
    """(CompletedProcess, mark of its records)."""
    mark = secrets.token_hex(8)
    words = [*preloaded(collector, parts, f"ADVISOR_RUN={mark}"), program, how]
    return run(build, ranks, words), mark


def collect(mark, parts):
    """What the launcher's side does: move the records that were left. All that there are now."""
    rank_records.moved(list(rank_records.left_behind(mark, os.environ)), parts)
    return list(parts.glob("*.record")) if parts.is_dir() else []


def counted(profile, operation):
    calls = profile.tables["calls"]
    return int(calls["count"][calls["operation"] == operation].sum())


@pytest.mark.parametrize("how", ("finalize", "system", "fork"))
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_run_that_finalizes_leaves_one_profile_and_no_record(
    build, how, program, collector, tmp_path
):
    bare = run(build, 2, [program(build, "ending.c"), how])
    done, mark = launch(build, program(build, "ending.c"), collector(build), tmp_path, how, ranks=2)
    assert done.stdout == bare.stdout == "sum 2\n"
    assert done.returncode == bare.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["merged.profile"]
    assert collect(mark, tmp_path) == []
    profile = intake.read(tmp_path)
    assert counted(profile, "Allreduce") == 2 * 13
    assert profile.tables["ranks"]["state"].tolist() == [2, 2]


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_an_environment_that_all_ranks_have_does_not_differ(
    build, program, collector, tmp_path, monkeypatch
):
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    launch(build, program(build, "ending.c"), collector(build), tmp_path, "finalize", ranks=2)
    settings = {
        setting.name: (setting.value, setting.differs) for setting in intake.read(tmp_path).settings
    }
    assert settings["OMP_NUM_THREADS"] == ("1", False)
    assert [name for name, (_, differs) in settings.items() if differs] == []


@pytest.mark.parametrize("how", ENDS_EARLY)
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_rank_that_ends_early_leaves_its_counts(build, how, program, collector, tmp_path):
    done, mark = launch(build, program(build, "ending.c"), collector(build), tmp_path, how)
    # MPICH 4.0's mpirun ends an aborted job now and then with 1 in place of the program's code,
    # also without us.
    bare = (run(build, 1, [program(build, "ending.c"), how]).returncode for _ in range(5))
    assert done.returncode in bare
    assert len(collect(mark, tmp_path)) == 1
    profile = intake.read(tmp_path)
    assert (counted(profile, "Allreduce"), counted(profile, "Bcast")) == (13, 7)
    state = profile.tables["ranks"]["state"].tolist()
    assert state == ([1] if how in ("kill", "fault") else [3])
    # What no table of the record holds: a wrong place of these made every call of a killed rank one
    # that found no room.
    assert (
        profile.tables["ranks"]["overflowed"].tolist(),
        profile.tables["ranks"]["clock_faults"].tolist(),
        profile.tables["ranks"]["between_polls"].tolist(),
    ) == ([0], [0], [0])


def test_an_output_folder_that_is_not_there_costs_one_line(program, collector, tmp_path):
    build = find("mpich4")
    done, mark = launch(
        build, program(build, "ending.c"), collector(build), tmp_path / "missing", "code", ranks=3
    )
    assert len(collect(mark, tmp_path)) == 3
    assert (done.returncode, done.stdout) == (5, "sum 3\n")
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("advisor: the profile could not be written")


def test_ranks_that_must_not_talk_leave_their_records(program, collector, tmp_path):
    build = find("mpich4")
    mark = secrets.token_hex(8)
    words = [
        *preloaded(collector(build), tmp_path, f"ADVISOR_RUN={mark}"),
        "ADVISOR_GATHER=no",
        program(build, "ending.c"),
    ]
    done = run(build, 2, words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "sum 2\n", "")
    assert len(collect(mark, tmp_path)) == 2
    assert counted(intake.read(tmp_path), "Allreduce") == 2 * 13
