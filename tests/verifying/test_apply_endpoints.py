"""Reductions in pieces, applied to a job script, run, recorded and taken back: with a real MPI
program from the first run to the last."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_builds import compile_program, environment, find, require

ROOT = Path(__file__).resolve().parents[2]
LONG = pytest.mark.skipif(
    not os.environ.get("ADVISOR_TEST_LONG"), reason="several runs: runs with ADVISOR_TEST_LONG=1"
)
RULE = """schema = 1
id     = "pieces-here"
found  = "This site wants reductions in pieces"
clear  = "Never"
kind   = "policy"
severity = "low"
why    = "A test."
[look]
each = "run"
when = "run.ranks > 1"
say  = "There are {run.ranks:rank}."
[[remedy]]
for    = "any"
set    = "ADVISOR_ENDPOINTS=2"
source = "A test."
check  = "ADVISOR_ENDPOINTS_SAY=1 says it."
undo   = "unset ADVISOR_ENDPOINTS"
effort = 1
[[case]]
name   = "two ranks"
given.run = { ranks = 2 }
expect = "found"
[[case]]
name   = "one rank"
given.run = { ranks = 1 }
expect = "clear"
"""
PIECES = "MPI_Allreduce from 262144 bytes on in 2 pieces"


def call(words, cwd, env, code=0):
    """Standard output and error of a command that ends with `code`."""
    done = subprocess.run(
        list(map(str, words)), cwd=cwd, env=env, capture_output=True, text=True, timeout=200
    )
    assert done.returncode == code, done.stderr
    return done.stdout + done.stderr


@LONG
@pytest.mark.parametrize("name", ["mpich4", "ompi4"])
def test_pieces_are_applied_to_a_script_seen_in_its_run_and_undone(name, tmp_path):
    build = require(find(name))
    env = environment(
        build,
        {
            "PYTHONPATH": str(ROOT),
            "ADVISOR_ENDPOINTS_SAY": "1",
            "XDG_DATA_HOME": str(tmp_path / "data"),
        },
    )
    advisor = [sys.executable, "-m", "advisor"]
    (tmp_path / "site" / "collectives").mkdir(parents=True)
    (tmp_path / "site" / "collectives" / "pieces-here.toml").write_text(RULE)
    compile_program(build, "c", [ROOT / "benchmarks" / "knobs.c"], tmp_path / "knobs")
    line = [*build.launcher, "-n", "2", "./knobs", "allreduce", "1048576", "2", "0.1"]
    before = (
        f"#!/bin/sh\n{sys.executable} -m advisor run -o after --no-report -- {' '.join(line)}\n"
    )
    (tmp_path / "job.sh").write_text(before)

    assert PIECES not in call(
        [*advisor, "run", "-o", "before", "--no-report", "--", *line], tmp_path, env
    )
    diff = call(
        [
            *advisor,
            "apply",
            "before",
            "--rules",
            "site",
            "--advice",
            "pieces-here",
            "--to",
            "job.sh",
        ],
        tmp_path,
        env,
    )
    assert (
        "ADVISOR_ENDPOINTS" in diff
        and "LD_PRELOAD" in diff
        and (tmp_path / "job.sh").read_text() == before
    )
    assert PIECES in call(["sh", "job.advisor.sh"], tmp_path, env)
    assert "pieces-here of before" in call([*advisor, "report", "after", "--full"], tmp_path, env)
    call([*advisor, "undo", "before"], tmp_path, env)
    assert (
        not (tmp_path / "job.advisor.sh").exists()
        and not (tmp_path / "before" / "overlay").exists()
    )
