"""One-sided calls that wait until their target, which computes, calls MPI."""

from __future__ import annotations

import pytest

from advisor.analysis.derived.progress_waits import LONGEST_CALL
from advisor.analysis.measure import measure
from advisor.base import resource_paths
from advisor.intake.read import read
from mpi_builds import BUILDS, compile_program, preloaded, require, run

TASKS = 101


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_against_the_clock_of_the_program(build, collector, tmp_path):
    """Never more than the last rank was in these calls; and less by what calls may take at most
    while their target answers."""
    require(build)
    program = tmp_path / "program"
    compile_program(build, "c", [resource_paths.samples() / "task_counter.c"], program)
    words = [*preloaded(collector(build), tmp_path), program, str(TASKS), "clock"]
    done = run(build, 2, words)
    assert done.returncode == 0, done.stderr
    (clock,) = (float(line) for line in done.stdout.splitlines() if "tasks" not in line)
    run_row = measure(read(tmp_path / "merged.profile")).tables["run"].row(0)
    waited = 2 * run_row["progress_wait_share"] * run_row["time"]
    calls = 2 * (TASKS + 2)
    # A rank may lose its core inside a call.
    slack = 2 * run_row["no_core_inside"] + 0.002
    assert clock - calls * LONGEST_CALL - slack <= waited <= clock + slack
