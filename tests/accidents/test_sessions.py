"""Programs of sessions only have no world in which ranks could hand on what they counted: each
hands over its own record."""

from __future__ import annotations

import pytest
from mpi_builds import find, run


@pytest.mark.parametrize("name", ["mpich4", "ompi5", "mpich5", "impi"])
def test_sessions_only(name, compiled, job):
    build, one = find(name), job(find(name))
    program = compiled(build, "sessions.c")
    bare = run(build, 2, [program])
    if bare.returncode:
        pytest.skip(
            f"{name} has no sessions that work here: {bare.stderr.strip().splitlines()[-1:]}"
        )
    done = run(build, 2, one.words([program]))
    # Before anybody collects: under `advisor exec` nobody does.
    assert one.stale() == [] and len(list(one.parts.glob("*.record"))) == 2
    left = one.left(done, 2, [program])
    assert (left.code, left.out, left.counts("Allreduce"), left.states) == (
        0,
        "sum 2\n",
        {0: 11, 1: 11},
        {0: 2, 1: 2},
    )


def test_a_session_that_is_left_open(compiled, job):
    build, one = find("mpich4"), job(find("mpich4"))
    done = run(build, 1, one.words([compiled(build, "sessions.c"), "leave"]))
    assert one.stale() == []
    left = one.left(done, 1, ["sessions"])
    assert (left.counts("Allreduce"), left.states) == ({0: 11}, {0: 3}) and "cut off" in left.report
