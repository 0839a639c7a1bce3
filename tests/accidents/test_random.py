"""Jobs that are killed anywhere, at any moment, by any signal, one after the other: each result can
be read, and nothing is left."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from mpi_builds import REPOSITORY, find

from advisor.model.errors import UserError

KILLS = int(os.environ.get("ADVISOR_TEST_KILLS", "6"))
"""For each build. Open MPI 4 on demand only: once, on a loaded machine, a job had not ended a
minute after the signal."""
SIGNALS = (
    signal.SIGKILL,
    signal.SIGTERM,
    signal.SIGSEGV,
    signal.SIGINT,
    signal.SIGABRT,
    signal.SIGBUS,
    signal.SIGHUP,
)
RANKS = 3
WATCHED = (Path("/dev/shm"), Path("/tmp"), REPOSITORY / ".cache")


def descendants(pid):
    """Processes that come from `pid`."""
    children = {}
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, IndexError):
            continue
        children.setdefault(parent, []).append(int(entry.name))
    found, queue = [], [pid]
    while queue:
        more = children.get(queue.pop(), [])
        found += more
        queue += more
    return found


def ranks_of(process, program):
    """Process ids of the ranks that are there now."""
    found = []
    for pid in descendants(process.pid):
        try:
            found += [pid] if os.readlink(f"/proc/{pid}/exe") == program else []
        except OSError:
            continue
    return sorted(found)


def strike(process, program, chance):
    """Wait for the ranks, then some time, then send a signal to one of them, or to the launcher.
    What was done, in words.

    Two of three are struck between MPI_Init and the end, the others while they start.
    """
    end = time.monotonic() + 60
    while (
        len(ranks_of(process, program)) < RANKS
        and process.poll() is None
        and time.monotonic() < end
    ):
        time.sleep(0.02)
    if chance.random() < 0.67:
        process.stdout.readline()  # "sum 3"
        time.sleep(chance.random() * 1.3)
    else:
        time.sleep(chance.random() * 0.3)
    ranks, number = ranks_of(process, program), chance.choice(SIGNALS)
    target = process.pid if chance.random() < 0.2 or not ranks else chance.choice(ranks)
    try:
        os.kill(target, number)
    except ProcessLookupError:
        pass
    return f"signal {number} to {'launcher' if target == process.pid else 'rank'}"


def killed(one, program, chance):
    """One job, killed: what was done, and the CompletedProcess."""
    process = one.start(RANKS, [program, "busy", "-1"])
    try:
        what = strike(process, program, chance)
        out, err = process.communicate(timeout=60)
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    return what, subprocess.CompletedProcess(process.args, process.returncode, out, err)


@pytest.mark.parametrize(
    "name", ["ompi4", "mpich4"] if "ADVISOR_TEST_KILLS" in os.environ else ["mpich4"]
)
def test_random_kills(name, compiled, job):
    seed = int(os.environ.get("ADVISOR_TEST_SEED", str(random.SystemRandom().randrange(10**6))))
    chance, program = random.Random(seed), compiled(find(name), "accident.c")
    read = 0
    for index in range(KILLS):
        one = job(find(name), f"kill-{index}")
        what, done = killed(one, program, chance)
        try:
            left = one.left(done, RANKS, [program])
            read += 1
        except UserError as error:  # no rank had come as far as MPI_Init
            assert "No rank reported" in str(error), f"seed {seed}, kill {index}: {what}"
            continue
        assert set(left.states) <= set(range(RANKS)) and set(left.states.values()) <= {
            1,
            2,
            3,
        }, f"seed {seed}, kill {index}: {what}"
        assert (
            all(7 <= count <= 213 for count in left.counts("Allreduce").values())
            or "cut off" in left.report
        )
        mine = [
            str(path)
            for place in WATCHED
            for pattern in ("", "advisor-*/")
            for path in place.glob(f"{pattern}*{one.name}*")
        ]
        assert mine == [], f"seed {seed}, kill {index}: {what}"
    assert read >= KILLS // 3
