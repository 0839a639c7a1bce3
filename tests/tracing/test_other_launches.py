"""Traces of programs that use sessions only, and of jobs that own their launch line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from mpi_builds import compile_program, environment, find, require

from advisor.intake import read

from .test_real_traces import HERE, RANKS, printed, totals, traced

LONG = pytest.mark.skipif(
    os.environ.get("ADVISOR_TEST_LONG") != "1",
    reason="another collector has to be built: ADVISOR_TEST_LONG=1",
)
REPOSITORY = HERE.parent.parent


@LONG
@pytest.mark.parametrize("name", ["mpich4", "ompi5", "mpich5"])
def test_a_program_of_sessions_only(name, tmp_path):
    build = require(find(name))
    program = compile_program(build, "c", [HERE / "sessions.c"], tmp_path / "sessions", ["-w"])
    folder, said = traced(build, program, tmp_path / "result")
    anchor = folder / "trace" / "traces.otf2"
    assert anchor.exists(), said
    measured, seen = totals(read(str(folder))), totals(read(str(anchor)))
    assert {key: values[:2] for key, values in seen.items()} == {
        key: values[:2] for key, values in measured.items()
    }
    sent = next(time for kind, *_, time, _ in printed(anchor) if kind == "MPI_SEND")
    received = next(time for kind, *_, time, _ in printed(anchor) if kind == "MPI_RECV")
    assert 0 < received - sent


def test_a_job_that_owns_its_launch_line(tmp_path):
    build = require(find("ompi4"))
    program = compile_program(build, "c", [HERE / "everything.c"], tmp_path / "everything", ["-w"])
    asked = {**environment(build), "ADVISOR_OUTPUT": str(tmp_path / "result")}
    advisor = [sys.executable, "-m", "advisor", "exec"]
    subprocess.run(
        [*build.launcher, "-n", str(RANKS), *advisor, "--trace=size=1M", "--", program],
        env=asked,
        cwd=REPOSITORY,
        capture_output=True,
        timeout=300,
        check=True,
    )
    done = subprocess.run(
        [*advisor, "--finish", "0", "-o", str(tmp_path / "result")],
        env=asked,
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=300,
    )
    anchor = tmp_path / "result" / "trace" / "traces.otf2"
    assert done.returncode == 0 and anchor.exists(), done.stderr
    measured, seen = totals(read(str(tmp_path / "result"))), totals(read(str(anchor)))
    assert {key: values[:2] for key, values in seen.items()} == {
        key: values[:2] for key, values in measured.items()
    }
