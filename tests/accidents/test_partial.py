"""Not all ranks have the collector: a script between launcher and program clears LD_PRELOAD. Nobody
waits for them."""

from __future__ import annotations

import pytest
from mpi_builds import BUILDS, find

RANK = "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}"
CLEAR = f'[ {RANK} = 1 ] && unset LD_PRELOAD; exec "$@"'


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_rank_1_has_no_collector(build, compiled, job):
    left = job(build).run(
        3, ["sh", "-c", CLEAR, "sh", compiled(build, "accident.c")], time_limit=30
    )
    assert (left.code, left.out, left.err) == (0, "sum 3\n", "")
    assert (left.counts("Allreduce"), left.states) == ({0: 13, 2: 13}, {0: 2, 2: 2})
    assert "1 of 3 ranks did not report: 1." in left.report
    # All ranks are on this host, as the launcher says: the ways of messages are known all the same.
    calls = left.profile.tables["calls"]
    assert {
        str(kind)
        for kind, name in zip(calls["class"], calls["operation"])
        if name in ("Send", "Allreduce")
    } == {"intra_node"}


def test_only_one_rank_has_it(compiled, job):
    build = find("mpich4")
    script = f'[ {RANK} = 2 ] || unset LD_PRELOAD; exec "$@"'
    left = job(build).run(
        3, ["sh", "-c", script, "sh", compiled(build, "accident.c")], time_limit=30
    )
    assert (left.code, left.out, left.counts("Allreduce")) == (0, "sum 3\n", {2: 13})
    assert "2 of 3 ranks did not report: 0-1." in left.report


@pytest.mark.parametrize("wish, states", [("no", {0: 2, 1: 2}), ("yes", {0: 2, 1: 2})])
def test_the_user_may_say_it(wish, states, compiled, job):
    one = job(find("mpich4"))
    left = one.run(2, [compiled(find("mpich4"), "accident.c")], {"ADVISOR_GATHER": wish})
    assert (left.code, left.states, left.counts("Allreduce")) == (0, states, {0: 13, 1: 13})
    assert (one.parts / "merged.profile").exists() == (wish == "yes")


def test_two_jobs_of_one_name_at_once(compiled, job):
    """As a job script makes them that exports our variables: no rank waits for one of the other
    job."""
    build = find("mpich4")
    one = job(build)
    first = one.start(2, ["sh", "-c", CLEAR, "sh", compiled(build, "accident.c")])
    second = one.start(2, ["sh", "-c", CLEAR, "sh", compiled(build, "accident.c")])
    ended = [process.communicate(timeout=30) for process in (first, second)]
    one.collect()
    assert [out for out, _ in ended] == ["sum 2\n"] * 2 and (
        first.returncode,
        second.returncode,
    ) == (0, 0)
