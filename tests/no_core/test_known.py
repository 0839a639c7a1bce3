"""Time without a core is what the program itself reads, inside MPI and outside, and is not mixed up
with sleep."""

from __future__ import annotations

import os
import pathlib

import numpy as np
import pytest

from mpi_builds import find

BUILDS = [find("ompi4"), find("mpich5")]
WITHIN, OF_TIME, READINGS = 0.05, 0.01, 0.02
"""Of the truth; of the rank's time, for what happened within 2 ms of a reading; seconds, for the
program's own readings."""
PARTS = ("no_core_inside", "no_core_outside", "asleep_inside", "asleep_outside")


def assert_known(truth, profile):
    ranks = profile.tables["ranks"]
    for place, rank in enumerate(ranks["rank"]):
        true = truth[int(rank)]
        # Where a rank lost its core between two readings of the program's own, that shows as sleep
        # of less than nothing.
        misread = max(0.0, -true.asleep_inside) + max(0.0, -true.asleep_outside)
        for part in PARTS:
            expected = getattr(true, part)
            assert float(ranks[part][place]) == pytest.approx(
                expected, abs=WITHIN * abs(expected) + OF_TIME * true.time + READINGS + misread
            ), (rank, part)


@pytest.mark.parametrize("build", BUILDS, ids=str)
@pytest.mark.parametrize(
    "how, rivals", (("compute", "0:1"), ("compute", "0:2,1:1"), ("wait", "1:1"))
)
def test_beside_a_competitor_on_the_same_core(build, how, rivals, known):
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two ranks on cores of their own need two cores")
    truth, profile = known(build, how, 40, rivals=rivals)
    assert max(rank.no_core_inside + rank.no_core_outside for rank in truth.values()) > 0.1
    assert_known(truth, profile)


@pytest.mark.parametrize("build", BUILDS, ids=str)
@pytest.mark.parametrize("how", ("sleep", "stopped"))
def test_who_sleeps_or_is_stopped_asks_for_no_core(build, how, known):
    truth, profile = known(build, how, 40)
    assert truth[0].asleep_inside + truth[0].asleep_outside > 0.3
    assert_known(truth, profile)


def test_slices_of_time_add_up_to_the_whole(known):
    _, profile = known(BUILDS[0], "compute", 40, rivals="0:1")
    for part in ("no_core_inside", "no_core_outside"):
        of_ranks = [
            float(profile.tables["ranks"][part][profile.tables["ranks"]["rank"] == rank][0])
            for rank in (0, 1)
        ]
        of_slices = [
            float(profile.tables["phases"][part][profile.tables["phases"]["rank"] == rank].sum())
            for rank in (0, 1)
        ]
        assert of_slices == pytest.approx(of_ranks, rel=1e-3, abs=1e-3)


@pytest.fixture
def quota():
    """A control group of its own that grants a tenth of a core; the command that starts a program
    in it."""
    root = next(
        (
            root
            for root in (pathlib.Path("/sys/fs/cgroup/cpu"), pathlib.Path("/sys/fs/cgroup"))
            if (root / "cgroup.procs").exists()
        ),
        None,
    )
    if root is None or not os.access(root, os.W_OK):
        pytest.skip("control groups for processor time are not there, or cannot be written")
    group = root / f"advisor-test-{os.getpid()}"
    try:
        group.mkdir()
        first = (group / "cpu.cfs_quota_us").exists()
        (group / ("cpu.cfs_quota_us" if first else "cpu.max")).write_text(
            "10000" if first else "10000 100000"
        )
    except OSError as problem:
        pytest.skip(f"no quota of processor time can be set: {problem}")
    yield ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    group.rmdir()


def test_a_quota_of_the_control_group_is_no_sleep_of_the_program(quota, known):
    """The kernel counts a throttled thread as one that is ready to run; and the host's facts tell
    how long that was."""
    truth, profile = known(find("ompi4"), "compute", 10, *quota, ranks=1)
    assert_known(truth, profile)
    assert truth[0].no_core_outside > 0.5 * truth[0].time
    facts = profile.nodes[0].facts
    assert (
        facts["cgroup_cpus"].value == pytest.approx(0.1)
        and 0 < facts["throttled_time"].value <= 2 * truth[0].time
    )


def test_what_else_ran_on_the_host(known):
    _, profile = known(find("ompi4"), "compute", 10, rivals="0:2")
    facts = {name: fact.value for name, fact in profile.nodes[0].facts.items()}
    assert (
        facts["tasks_ready"] >= 1
        and facts["tasks_ready_end"] >= 3
        and facts["loadavg_end"] > 0
        and facts["steal_time"] >= 0
    )
    assert not np.isnan(float(facts["steal_time"]))


@pytest.mark.parametrize("percent, threads", (("5", 1), ("100", 2)))
def test_threads_count_by_their_processor_time(percent, threads, known):
    """A helper thread of a library is no second user of cores, and one that computes all the time
    is, whatever OMP_NUM_THREADS says."""
    _, profile = known(find("ompi4"), "compute", 40, helper=percent)
    assert profile.tables["ranks"]["threads"].tolist() == [threads] * 2
    assert float(profile.tables["ranks"]["no_core_helpers"].min()) >= 0


def test_without_the_kernels_word_there_is_an_upper_bound(known):
    """The program has put another file in the place of the one that is read: nothing of it is
    believed, and elapsed without CPU time stands for what is not known."""
    truth, profile = known(find("ompi4"), "sleep", 20, rivals="0:1", forget="1")
    ranks = profile.tables["ranks"]
    assert ranks["run_delay_reported"].tolist() == [0, 0]
    for place, rank in enumerate(ranks["rank"]):
        true = truth[int(rank)]
        assert float(ranks["no_core_outside"][place]) == pytest.approx(
            true.no_core_outside + true.asleep_outside,
            rel=WITHIN,
            abs=OF_TIME * true.time + READINGS,
        )
