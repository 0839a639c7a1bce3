"""Waiting that durations prove: one-sided calls whose target computes, and messages between groups
of ranks, which are not sampled."""

from __future__ import annotations

import pytest

from advisor.analysis.derived.proven_waits import LONGEST_CALL
from advisor.analysis.measure import measure
from advisor.base import resource_paths
from advisor.intake.read import read
from mpi_builds import BUILDS, compile_program, preloaded, require, run

TASKS = 101


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_against_the_clock_of_the_program(build, collector, tmp_path):
    """Never more than the ranks were in these calls; and less by what calls may take at most while
    their target answers."""
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
    # A rank may lose its core inside a call; and, of the program's clock, just before or after one.
    slack = 2.2 * run_row["no_core_inside"] + 0.002
    assert clock - calls * LONGEST_CALL - slack <= waited <= clock + slack


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_messages_between_groups(build, collector, program, tmp_path):
    """Never more than rank 0 was in its receives, and nearly all of that."""
    require(build)
    done = run(build, 2, [*preloaded(collector(build), tmp_path), program(build, "groups.c")])
    assert done.returncode == 0, done.stderr
    clock = float(done.stdout)
    measures = measure(read(tmp_path / "merged.profile"))
    table = measures.tables["operation"]
    (waited,) = (
        2 * row["wait"] for row in map(table.row, range(len(table))) if row["name"] == "Recv"
    )
    slack = 2 * measures.tables["run"].row(0)["no_core_inside"] + 0.002
    assert clock - 50 * LONGEST_CALL - slack <= waited <= clock + slack
