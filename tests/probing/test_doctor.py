"""`advisor doctor` as users start it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import pytest

from mpi_builds import BUILDS, require


def doctor(path, *words, **environment):
    """A finished `advisor doctor` with this PATH; the system's compiler and loader stay within
    reach."""
    settings = {
        **os.environ,
        "PATH": os.pathsep.join(map(str, path)),
        "PYTHONIOENCODING": "utf-8",
        **environment,
    }
    command = [sys.executable, "-m", "advisor", "doctor", *words]
    return subprocess.run(
        command,
        env=settings,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        encoding="utf-8",
    )


def checks(done, title):
    return {check["subject"]: check for check in json.loads(done.stdout)["sections"][title]}


@pytest.fixture
def tools(tmp_path):
    """A folder with a C compiler and its helpers, and no MPI."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in (
        "cc",
        "gcc",
        "as",
        "ld",
        "ldd",
        "sh",
        "bash",
        "env",
        "sed",
        "basename",
        "dirname",
        "uname",
        "grep",
        "cat",
    ):
        if shutil.which(name):
            (folder / name).symlink_to(shutil.which(name))
    return folder


def test_without_mpi_nothing_can_be_measured(tools):
    if any(name.startswith("mpi") for name in os.listdir(os.path.dirname(sys.executable))):
        pytest.skip("there is an MPI beside this Python")
    done = doctor([tools])
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "No job can be measured here: MPI library."
    assert "load the module of one" in done.stdout


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_each_library(build, tools):
    require(build)
    launcher = shutil.which(build.launcher[0])
    done = doctor([os.path.dirname(launcher), tools], "--json")
    versions = {
        "ompi4": "Open MPI 4",
        "mpich4": "MPICH 4",
        "ompi5": "Open MPI 5",
        "mpich5": "MPICH 5",
        "impi": "Intel MPI 20",
    }
    found = [
        check
        for name, check in checks(done, "To measure a job").items()
        if name.startswith(versions[build.name])
    ]
    assert [check["good"] for check in found] == [True]
    assert (
        os.path.basename(os.path.dirname(launcher)) in found[0]["found"]
        and "collector" in found[0]["found"]
    )
    assert (done.returncode, json.loads(done.stdout)["measurable"]) == (0, True)
    assert done.stderr == ""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is refused")
@pytest.mark.parametrize("allowed, said", [("1", False), ("0", True)])
def test_open_mpi_refuses_root(tools, allowed, said):
    require(BUILDS[0])
    done = doctor(
        [os.path.dirname(shutil.which(BUILDS[0].launcher[0])), tools],
        OMPI_ALLOW_RUN_AS_ROOT=allowed,
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=allowed,
    )
    assert ("you are root" in done.stdout) is said


def test_a_compiler_that_does_not_work(tools):
    os.remove(tools / "cc"), os.remove(tools / "gcc")
    for name in ("cc", "gcc"):
        (tools / name).write_text("#!/bin/sh\nexit 1\n")
        (tools / name).chmod(0o755)
    compiler = checks(doctor([tools], "--json"), "To measure a job")["C compiler"]
    assert compiler["good"] is False and "builds no shared library" in compiler["get"]


@pytest.mark.parametrize("encoding, mark", [("utf-8", "✓"), ("ascii", "+")])
def test_plain_lines_of_eighty_columns(tools, encoding, mark):
    done = doctor([tools], PYTHONIOENCODING=encoding)
    lines = done.stdout.splitlines()
    assert f" {mark} Python" in done.stdout
    assert [
        line for line in lines if len(line) > 80 or line != line.rstrip() or "\x1b" in line
    ] == []


def test_a_rule_that_cannot_be_read_is_named(tools, tmp_path):
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "wrong.toml").write_text("schema = = 1\n")
    done = doctor([tools], "--json", "--rules", str(tmp_path))
    rules = checks(done, "To advise")["Rules"]
    assert rules["good"] is False and "wrong.toml" in rules["found"]
