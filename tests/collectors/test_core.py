"""The parts of the collector that need no MPI, checked in C, with the address sanitizer where there
is one."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from mpi_builds import REPOSITORY, core_sources

HERE = REPOSITORY / "tests" / "collectors"


def test_core(tmp_path):
    compiler = shutil.which("cc") or shutil.which("gcc") or pytest.skip("no C compiler")
    line = [
        compiler,
        "-std=gnu11",
        "-g",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fno-math-errno",
        str(HERE / "core_checks.c"),
        *core_sources(tmp_path),
        "-o",
        str(tmp_path / "checks"),
        "-lpthread",
        "-lm",
    ]
    made = subprocess.run([*line, "-fsanitize=address,undefined"], capture_output=True, text=True)
    if made.returncode and "sanitize" in made.stderr:
        made = subprocess.run(line, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    done = subprocess.run(
        [str(tmp_path / "checks")],
        env={**os.environ, "MV2_THERE_AT_START": "1"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_core_never_includes_mpi():
    for path in (REPOSITORY / "collectors").glob("core/*/*.[ch]"):
        assert "mpi.h" not in path.read_text(), path.name
