"""Ranks that start other processes: plain ones, and MPI programs of their own (a parameter
sweep)."""

from __future__ import annotations

import os

import pytest
from mpi_builds import ENVIRONMENT, find, run

# What sh in a rank starts. {mpirun}: without the variables by which the outer launcher would take
# it for a rank of its own.
CLEAN = " ".join(
    [
        "env -i",
        *(f"{name}={value}" for name, value in ENVIRONMENT.items()),
        "PATH=$PATH LD_PRELOAD=$LD_PRELOAD",
        "ADVISOR_OUTPUT=$ADVISOR_OUTPUT ADVISOR_RUN=$ADVISOR_RUN",
    ]
)
SWEEPS = {
    "mpirun": ("for i in 1 2; do {clean} {mpirun} -n 2 {program} nothing; done", 4, ["sum 2"] * 2),
    "singleton": ("{clean} {program} nothing 0", 1, ["sum 1"]),
}


@pytest.mark.parametrize("sweep", SWEEPS)
@pytest.mark.parametrize("name", ["ompi4", "mpich4"])
def test_mpi_programs_started_by_a_rank_are_left_alone(name, sweep, compiled, job):
    """They run as without us, the job's own numbers are not mixed with theirs, and the report says
    that they are missing."""
    build = find(name)
    program = compiled(build, "accident.c")
    command, processes, lines = SWEEPS[sweep]
    words = [
        program,
        "system",
        "0",
        command.format(clean=CLEAN, mpirun=build.launcher[0], program=program),
    ]
    bare = run(build, 2, words)
    assert (bare.returncode, sorted(bare.stdout.split("\n"))) == (
        0,
        sorted(["sum 2", *lines, ""]),
    ), bare.stderr
    left = job(build).run(2, words)
    assert (left.code, sorted(left.out.split("\n"))) == (0, sorted(["sum 2", *lines, ""])), left.err
    assert (left.counts("Allreduce"), left.states) == ({0: 13, 1: 13}, {0: 2, 1: 2})
    assert f"{processes} MPI process" in left.gaps() and "started by themselves" in left.gaps()
    assert left.profile.tables["ranks"]["children"].tolist() == [processes, 0]


@pytest.mark.parametrize("name", ["ompi4", "mpich4"])
def test_an_inner_program_outlives_nothing_of_a_job_that_is_killed(name, compiled, job):
    """The inner program has finalized; then all ranks of the job are killed: their records are the
    result, not its profile."""
    build = find(name)
    program = compiled(build, "accident.c")
    inner = SWEEPS["mpirun"][0].format(clean=CLEAN, mpirun=build.launcher[0], program=program)
    left = job(build).run(2, [program, "system", "0", inner + "; kill -9 $PPID; exit 0"])
    assert left.code != 0 and left.counts("Allreduce") == {0: 13, 1: 13} and left.states[0] == 1


@pytest.mark.parametrize("name", ["ompi4", "mpich4"])
def test_fork_system_and_popen(name, compiled, job):
    build = find(name)
    words = [compiled(build, "accident.c"), "children", "0"]
    bare, left = run(build, 2, words), job(build).run(2, words)
    assert (
        sorted(left.out.splitlines()) == sorted(bare.stdout.splitlines())
        and "6 0 from a child" in left.out
    )
    assert (left.code, left.counts("Allreduce"), left.states, left.gaps()) == (
        0,
        {0: 13, 1: 13},
        {0: 2, 1: 2},
        "",
    )


def test_the_environment_of_children_is_the_ranks_own(compiled, job):
    build = find("mpich4")
    left = job(build).run(
        1,
        [compiled(build, "accident.c"), "system", "0", "env | grep -c ^LD_PRELOAD="],
        {"HOME": os.getcwd()},
    )
    assert left.out.splitlines() == ["sum 1", "1"]
