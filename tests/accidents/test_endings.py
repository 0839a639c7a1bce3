"""One rank ends as no program should. The job ends as it would without us, and the report has what
was counted until then."""

from __future__ import annotations

import pytest
from mpi_builds import BUILDS, find, run

RANKS = 3
MANY = [
    (find(name), how)
    for name in ("ompi4", "mpich4")
    for how in ("kill", "fault", "abort", "exit", "_exit")
]
FEW = [
    (build, how) for build in BUILDS if build.name not in ("ompi4", "mpich4") for how in ("kill",)
]


def first_that_printed(attempts, output):
    """The first of three jobs that printed something: MPICH's mpirun sometimes loses all that a job
    printed before it ended itself, bare as well."""
    for attempt in attempts:
        done = attempt()
        if output(done):
            break
    return done


@pytest.mark.parametrize("build, how", MANY + FEW, ids=lambda value: str(value))
def test_one_rank_ends_early(build, how, compiled, job):
    program = compiled(build, "accident.c")
    bare = first_that_printed(
        [lambda: run(build, RANKS, [program, how], time_limit=60)] * 3, lambda done: done.stdout
    )
    left = first_that_printed(
        [
            lambda name=name: job(build, name).run(RANKS, [program, how])
            for name in ("parts", "parts-2", "parts-3")
        ],
        lambda left: left.out,
    )
    # MPICH's mpirun ends such a job with 0, 9 or 15, by chance, with and without us.
    assert left.code == bare.returncode or build.name.startswith("mpich")
    # besides, launchers name processes
    assert "sum 3" in left.out.splitlines() and "sum 3" in bare.stdout.splitlines()
    assert left.counts("Allreduce") == {0: 13, 1: 13, 2: 13}
    assert left.counts("Bcast") == {0: 7, 1: 7, 2: 7}
    assert set(left.states) == {0, 1, 2} and left.states[1] == (
        3 if how in ("exit", "abort") else 1
    )
    assert "The run was cut off" in left.report
    assert ("The program ended itself" in left.report) is (how in ("exit", "abort"))


@pytest.mark.parametrize("name", ["ompi4", "mpich4"])
def test_others_wait_in_finalize_as_the_library_does(name, compiled, job):
    """All five libraries keep every rank in MPI_Finalize until the last has come: we ask for no
    more."""
    build = find(name)
    left = job(build).run(RANKS, [compiled(build, "accident.c"), "late"])
    assert (left.code, left.out, set(left.states.values())) == (0, "sum 3\n", {2})
    ranks = left.profile.tables["ranks"]
    assert max(ranks["finalize_begin"]) - min(ranks["finalize_begin"]) > 1.5
    assert left.gaps() == ""
