"""Jobs in a control group that leaves them little: processes, memory, shares of the processor."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from mpi_builds import find, run

ROOT = Path("/sys/fs/cgroup")
LIMITS = {
    "processes": ("pids", {"pids.max": "48"}, {"pids.max": "48"}),
    "memory": ("memory", {"memory.limit_in_bytes": "256M"}, {"memory.max": "256M"}),
    "processor": (
        "cpu",
        {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000"},
        {"cpu.max": "50000 100000"},
    ),
}
"""Controller, files of the first version of control groups, and of the second."""


@pytest.fixture
def group(request):
    """The folder of a new group with the limits of `request.param`."""
    controller, first, second = LIMITS[request.param]
    old = (ROOT / controller).is_dir()
    folder = (ROOT / controller if old else ROOT) / f"advisor-test-{os.getpid()}"
    try:
        folder.mkdir()
        for name, value in (first if old else second).items():
            (folder / name).write_text(value)
    except OSError as error:
        if folder.is_dir():
            folder.rmdir()
        pytest.skip(f"no control group can be made here: {error}")
    yield folder
    folder.rmdir()


@pytest.mark.parametrize("group", LIMITS, indirect=True)
@pytest.mark.parametrize("name", ["ompi4", "mpich4"])
def test_a_group_that_leaves_little(name, group, compiled, job):
    """The same output and exit code, and the group is empty afterwards: no process of ours stays
    behind."""
    build = find(name)
    inside = build._replace(
        launcher=("sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh", *build.launcher)
    )
    words, one = [compiled(build, "accident.c"), "nothing", "0"], job(build)
    one.build = inside
    bare, left = run(inside, 2, words), one.run(2, words, time_limit=100)
    assert (left.code, left.out) == (bare.returncode, bare.stdout) == (0, "sum 2\n"), left.err
    assert (left.counts("Allreduce"), left.states, left.gaps()) == (
        {0: 13, 1: 13},
        {0: 2, 1: 2},
        "",
    )
    assert (group / "cgroup.procs").read_text() == ""
