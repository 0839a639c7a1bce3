"""The launcher is told to end: time limits, Ctrl-C, a rank that hangs, a rank that never
finalizes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time

import pytest
from mpi_builds import find

RANKS = 3


def wait_for(process, mark, limit=30):
    """Lines of stderr until one has `mark`; the match."""
    end = time.monotonic() + limit
    while time.monotonic() < end:
        line = process.stderr.readline()
        found = re.search(mark, line)
        if found or not line:
            return found
    return None


def end(process, *numbers, whole=False):
    """Signals to the launcher, or to its whole group, a second apart, until it ends."""
    for number in numbers:
        try:
            os.killpg(process.pid, number) if whole else os.kill(process.pid, number)
            out, err = process.communicate(timeout=8)
            break
        except subprocess.TimeoutExpired:
            continue
    else:
        out, err = process.communicate(timeout=20)
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def check(left):
    assert left.counts("Allreduce") == {0: 13, 1: 13, 2: 13}
    assert left.states and set(left.states) == {0, 1, 2}
    assert "cut off: numbers reach until" in left.report


CASES = {
    "time limit": ((signal.SIGTERM, signal.SIGKILL), False),
    "Ctrl-C": ((signal.SIGINT, signal.SIGINT, signal.SIGKILL), True),
    "all killed": ((signal.SIGKILL,), True),
}


@pytest.mark.parametrize(
    "how, case", [*(("hang", case) for case in CASES), ("never", "time limit")]
)
@pytest.mark.parametrize("name", ["ompi4", "mpich4"])
def test_the_job_is_ended_from_outside(name, how, case, compiled, job):
    """Rank 1 hangs: in the middle, or while all others are in MPI_Finalize already."""
    one, numbers_whole = job(find(name)), CASES[case]
    process = one.start(RANKS, [compiled(find(name), "accident.c"), how])
    try:
        assert wait_for(process, r"waiting \d+")
        time.sleep(0.3)
        done = end(process, *numbers_whole[0], whole=numbers_whole[1])
    finally:
        process.kill()
    check(one.left(done, RANKS, ["accident"]))


@pytest.mark.parametrize("name", ["ompi4", "mpich4"])
def test_a_rank_that_hangs_is_killed(name, compiled, job):
    one = job(find(name))
    process = one.start(RANKS, [compiled(find(name), "accident.c"), "hang"])
    try:
        os.kill(int(wait_for(process, r"waiting (\d+)").group(1)), signal.SIGKILL)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    left = one.left(
        subprocess.CompletedProcess(process.args, process.returncode, out, err), RANKS, ["accident"]
    )
    check(left)
    assert left.states[1] == 1
