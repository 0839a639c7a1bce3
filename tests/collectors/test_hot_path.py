"""Counting a call allocates nothing, locks nothing, and makes no system call (but two in 2 ms,
until the program restricts itself: run_delay.c); its instructions are bounded."""

from __future__ import annotations

import os
import re
import shutil
import sys

import pytest

from advisor.launching.run import rank_records
from mpi_builds import BUILDS, REPOSITORY, compile_program, environment, find, preloaded, run

sys.path.insert(0, str(REPOSITORY / "benchmarks"))
from callgrind import own_instructions_per_call  # noqa: E402

MOST_INSTRUCTIONS = 180
"""Among them the 3 or 4 that ask whether the data has gaps or the operator is the program's."""
MOST_OF_A_LOCK = 300
"""Under callgrind, where a call takes so long that every fifth epoch begins a slice of time, and of
those that touch two all is looked at."""
MOST_OF_A_COPY = 300
"""Of MPI_Comm_dup and MPI_Comm_free, each; callcost.c has 50 times fewer rounds of these. With
members and groups asked anew they took more than 400 of our own."""
FEW, MANY = 30000, 40000
"""The first some thousand calls of a communicator are all sampled, and cost more."""


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_no_allocation_and_no_lock(build, program, collector, tmp_path):
    bare = run(build, 1, [program(build, "hot_path.c"), "count"])
    front = preloaded(collector(build), tmp_path, "ADVISOR_RUN=hot")
    done = run(build, 1, [*front, program(build, "hot_path.c"), "count"])
    assert done.stdout == bare.stdout and re.fullmatch(r"\d+ \d+\n", done.stdout)


@pytest.mark.parametrize(
    "build", [find("mpich4"), find("mpich5"), find("ompi4"), find("ompi5")], ids=str
)
def test_no_system_call(build, program, collector, tmp_path):
    bare = run(build, 1, [program(build, "hot_path.c"), "forbid"])
    if "quiet" not in bare.stdout:
        pytest.skip("the library itself makes system calls here, or they cannot be forbidden")
    front = preloaded(collector(build), tmp_path, "ADVISOR_RUN=hot")
    done = run(build, 1, [*front, program(build, "hot_path.c"), "forbid"])
    for left in rank_records.left_behind("hot", os.environ):  # it ends by _exit
        left.unlink()
    assert (done.stdout, done.returncode) == ("quiet\n", bare.returncode)


@pytest.mark.parametrize(
    "operation, calls, few, many, most",
    (
        *(
            (operation, calls, FEW, MANY, MOST_INSTRUCTIONS)
            for operation, calls in (("bcast", 1), ("isir", 3), ("testnull", 1), ("sendrecv", 1))
        ),
        ("lock", 2, 2 * FEW, 3 * FEW, MOST_OF_A_LOCK),
        ("flush", 1, 2 * FEW, 3 * FEW, MOST_OF_A_LOCK),
        ("dup", 0.04, FEW, MANY, MOST_OF_A_COPY),
    ),
)
def test_instructions_added_to_a_call(operation, calls, few, many, most, collector, tmp_path):
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    build = find("mpich4")
    path = collector(build)
    program = compile_program(
        build, "c", [REPOSITORY / "benchmarks" / "callcost.c"], tmp_path / "callcost", ["-O2"]
    )
    words = [str(program), "-o", operation, "-k", "1"]
    least = float("inf")
    # Slices of time end by the clock: the more of them fall into the calls that are counted, the
    # slower the machine is.
    for attempt in range(6):
        added = own_instructions_per_call(
            words,
            {**environment(build), "LD_PRELOAD": str(path)},
            str(path),
            few,
            many,
            tmp_path / f"counted-{attempt}",
        )
        # Of two runs the shorter one may have had more of them: then there is nothing to learn.
        if added / calls > 10:
            least = min(least, added / calls)
        if least <= most:
            break
    assert least <= most
