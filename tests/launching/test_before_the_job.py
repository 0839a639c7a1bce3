"""What a job waits for before it starts: on later runs no module that is only needed where
something is not remembered, or after the job."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mpi_builds import BUILDS, compile_program, environment, require

LATER = {"elftools", "jinja2", "rich", "numpy", "tomllib", "tomli", "difflib"}
"""Readers of ELF files, template engine, terminal, arrays, rules."""
STARTED = """
import sys
from advisor import __main__
from advisor.cli import readying
readying._read = lambda: None
sys.exit(__main__.main())
"""
"""Without what is read while the job runs: it may come before the first word of the job."""
PROGRAM = """
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    puts("the job runs");
    fflush(stdout);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
"""


def imported(text):
    """The packages and modules that Python says it imports."""
    return {
        name
        for whole in re.findall(r"^import time: .*\| +(\S+)$", text, re.MULTILINE)
        for name in (whole, whole.partition(".")[0])
    }


@pytest.mark.parametrize("build", BUILDS[:2], ids=str)
def test_later_runs_wait_for_few_modules(build, collector, tmp_path):
    require(build)
    collector(build)
    (tmp_path / "p.c").write_text(PROGRAM)
    program = compile_program(build, "c", [tmp_path / "p.c"], tmp_path / "p")
    # Answers that rest on a file of this second are not kept.
    time.sleep(max(0.0, os.stat(program).st_ctime + 2.5 - time.time()))
    own = {
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
        "ADVISOR_CACHE": str(tmp_path / "cache"),
    }
    line = [
        sys.executable,
        "-X",
        "importtime",
        "-c",
        STARTED,
        "run",
        "--quiet",
        "-o",
        tmp_path / "r",
        "--",
        *build.launcher,
        "-n",
        "1",
        program,
    ]
    # What rests on a file of the same second, as a collector that another test has just built, is
    # kept one run later.
    for run in range(4):
        done = subprocess.run(
            line,
            env=environment(build, own),
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        before, _, after = done.stdout.partition("the job runs")
        if run and not LATER & imported(before):
            break
    assert "advisor.launching.run.session" in imported(before), done.stdout[-2000:]
    assert not LATER & imported(before)
    assert {"jinja2", "rich", "numpy"} <= imported(after)
    assert "elftools" not in imported(after)
