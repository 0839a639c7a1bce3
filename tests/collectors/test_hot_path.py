"""Counting a call allocates nothing, locks nothing, and makes no system call; its instructions are bounded."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess

import pytest

from mpi_builds import BUILDS, REPOSITORY, compile_program, environment, find, run

MOST_INSTRUCTIONS = 170


def preloaded(collector, folder):
    return ["env", f"LD_PRELOAD={collector}", f"ADVISOR_OUTPUT={folder}", "ADVISOR_RUN=hot"]


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_no_allocation_and_no_lock(build, program, collector, tmp_path):
    bare = run(build, 1, [program(build, "hot_path.c"), "count"])
    done = run(build, 1, [*preloaded(collector(build), tmp_path), program(build, "hot_path.c"), "count"])
    assert done.stdout == bare.stdout and re.fullmatch(r"\d+ \d+\n", done.stdout)


@pytest.mark.parametrize("build", [find("mpich4"), find("mpich5"), find("ompi4"), find("ompi5")], ids=str)
def test_no_system_call(build, program, collector, tmp_path):
    bare = run(build, 1, [program(build, "hot_path.c"), "forbid"])
    if "quiet" not in bare.stdout:
        pytest.skip("the library itself makes system calls here, or they cannot be forbidden")
    done = run(build, 1, [*preloaded(collector(build), tmp_path), program(build, "hot_path.c"), "forbid"])
    for left in pathlib.Path("/dev/shm").glob("advisor-hot-*"):   # it ends by _exit
        left.unlink()
    assert (done.stdout, done.returncode) == ("quiet\n", bare.returncode)


def instructions(build, program, operation, collector):
    """Instructions of one call."""
    totals = []
    for calls in (500, 2500):
        words = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, "-o", operation, "-n", str(calls), "-k", "1"]
        extra = {"LD_PRELOAD": collector} if collector else {}
        done = subprocess.run(words, env={**environment(build), **extra}, capture_output=True, text=True, timeout=300)
        totals.append(int(re.search(r"Collected : (\d+)", done.stderr).group(1)))
    return (totals[1] - totals[0]) / 2000


@pytest.mark.parametrize("operation, calls", (("bcast", 1), ("isir", 3), ("testnull", 1)))
def test_instructions_added_to_a_call(operation, calls, collector, tmp_path):
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    build = find("mpich4")
    path = collector(build)
    program = compile_program(build, "c", [REPOSITORY / "benchmarks" / "callcost.c"], tmp_path / "callcost", ["-O2"])
    added = (instructions(build, program, operation, path) - instructions(build, program, operation, "")) / calls
    assert 10 < added <= MOST_INSTRUCTIONS
