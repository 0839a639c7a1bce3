"""`advisor run` where the user may not write: the job runs as it would, one sentence says where the
result went instead, and the report is made from there."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from mpi_builds import advisor_run, compile_program, environment, find, require

from advisor.launching.run import result_folder

PROGRAM = """#include <mpi.h>
#include <stdio.h>
int main(int c, char **v) { MPI_Init(&c, &v); puts("ran"); MPI_Finalize(); return 3; }
"""


def as_plain_user(words):
    """Root writes everywhere, by a capability that is given up here."""
    if os.geteuid():
        return words
    setpriv = shutil.which("setpriv") or pytest.skip("root may write everywhere, and no setpriv")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search", *words]


def said(done):
    """What advisor said, but that it built a collector."""
    own = (text for text in done.stderr.splitlines() if text.startswith("advisor: "))
    return [text for text in own if "building the collector" not in text]


@pytest.mark.parametrize(
    "options, refused, result",
    [
        ([], "m.1r.17.advisor", "m.1r.17.advisor"),
        (["--quiet", "--no-report", "-o", "own"], "own", "own"),
    ],
    ids=["the working directory", "the folder of -o, quietly"],
)
def test_a_job_in_a_folder_that_cannot_be_written(options, refused, result, tmp_path):
    build = require(find("mpich4"))
    (tmp_path / "m.c").write_text(PROGRAM)
    here, spare = tmp_path / "here", tmp_path / "spare"
    here.mkdir()
    spare.mkdir()
    compile_program(build, "c", [tmp_path / "m.c"], here / "m")
    here.chmod(0o555)
    line = advisor_run(build, 1, ["./m"], *options)
    reported = {
        "PBS_JOBID": "17",
        "TMPDIR": str(spare),
        "PYTHONPATH": str(Path(__file__).parents[2]),
    }
    done = subprocess.run(
        as_plain_user(line),
        cwd=here,
        env=environment(build, reported),
        capture_output=True,
        text=True,
    )
    where = refused if options else f"{here}/{refused}"
    assert (done.returncode, done.stdout) == (3, "ran\n")
    assert said(done) == [
        f"advisor: The result folder cannot be written ({where}: Permission denied). The result"
        f" goes to {spare}/{result}"
    ]
    assert (spare / result / "profile").exists()
    assert ("1 rank" in done.stderr) is not bool(options)


def test_in_job_mode_says_what_to_choose(tmp_path):
    build = require(find("mpich4"))
    (tmp_path / "m.c").write_text(PROGRAM)
    here = tmp_path / "here"
    here.mkdir()
    compile_program(build, "c", [tmp_path / "m.c"], here / "m")
    here.chmod(0o555)
    reported = {"PBS_JOBID": "17", "PYTHONPATH": str(Path(__file__).parents[2])}
    inside = [sys.executable, "-m", "advisor", "exec", "--", "./m"]
    done = subprocess.run(
        as_plain_user([*build.launcher, "-n", "1", *inside]),
        cwd=here,
        env=environment(build, reported),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout, said(done)) == (
        3,
        "ran\n",
        [
            f"advisor: The result folder {here}/advisor-17 cannot be written: Permission denied.",
            "advisor: The program runs without being measured.",
            "advisor: Choose a folder that all nodes see: export ADVISOR_OUTPUT=DIR",
        ],
    )


@pytest.mark.parametrize(
    "wanted, variables, expected",
    [
        (None, {}, ["{here}/p", "/tmp/p", "/dev/shm/p"]),
        (None, {"TMPDIR": "/scratch"}, ["{here}/p", "/scratch/p", "/tmp/p", "/dev/shm/p"]),
        ("sub/own", {}, ["sub/own", "{here}/own", "/tmp/own", "/dev/shm/own"]),
        ("own", {}, ["own", "/tmp/own", "/dev/shm/own"]),
    ],
)
def test_places_for_a_result(wanted, variables, expected, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    places = result_folder._choices(Path(wanted) if wanted else None, "p", variables)
    assert [str(place) for place in places] == [each.format(here=tmp_path) for each in expected]


def test_a_working_directory_that_was_removed_is_no_place(tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    places = result_folder._choices(None, "p", {})
    assert [str(place) for place in places] == ["/tmp/p", "/dev/shm/p"]
