"""MPI libraries that nobody told us of, and the binary interface that the standard fixes since MPI
5."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from counted import counted
from mpi_builds import REPOSITORY, environment, find, require

from advisor import intake
from advisor.launching.collector.compilers import compiler_for, examine
from advisor.launching.target.library_of import library_of

SOURCE = """
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 7; i++) MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
"""


def advisor(build, *words, cwd, **more):
    env = environment(build, {"PYTHONPATH": str(REPOSITORY), **more})
    return subprocess.run(
        [sys.executable, "-m", "advisor", *map(str, words)],
        env=env,
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=300,
    )


def compiled(mpicc, folder):
    (folder / "p.c").write_text(SOURCE)
    subprocess.run([str(mpicc), "-o", str(folder / "p"), str(folder / "p.c")], check=True)
    return folder / "p"


def barriers(result):
    return counted(intake.read(result), "Barrier")


def test_a_program_of_the_standard_interface(tmp_path):
    """MPICH 5 brings libmpi_abi.so and mpicc_abi beside its own; handles and constants of the two
    differ."""
    build = require(find("mpich5"))
    mpicc = Path(build.mpicc).with_name("mpicc_abi")
    if not mpicc.exists():
        pytest.skip("this MPICH has no mpicc_abi")
    program = compiled(mpicc, tmp_path)
    use = library_of(str(program), [], environment(build), None)
    assert (use.how, use.library.family, use.library.soname) == (
        "needs",
        "standard",
        "libmpi_abi.so.1",
    )
    assert compiler_for(use.library, build.launcher[0], environment(build)).path == str(mpicc)
    done = advisor(
        build,
        "run",
        "--no-report",
        "-o",
        "result",
        "--",
        *build.launcher,
        "-n",
        "2",
        program,
        cwd=tmp_path,
    )
    assert done.returncode == 0 and barriers(tmp_path / "result") == {0: 7, 1: 7}, done.stderr


def test_the_own_interface_beside_it_keeps_its_own_compiler(tmp_path):
    build = require(find("mpich5"))
    use = library_of(str(compiled(build.mpicc, tmp_path)), [], environment(build), None)
    assert (
        os.path.basename(compiler_for(use.library, build.launcher[0], environment(build)).path)
        == "mpicc"
    )


@pytest.fixture()
def stranger(tmp_path):
    """An MPI of no known name: MPICH with all that it says of itself taken out. Its mpicc lies
    where no path leads."""
    build = require(find("mpich4"))
    real = examine(shutil.which(build.mpicc), environment(build))
    (tmp_path / "lib").mkdir()
    shutil.copytree(os.path.dirname(os.path.realpath(real.header)), tmp_path / "include")
    header = tmp_path / "include" / "mpi.h"
    header.write_text(
        re.sub(r"#define MPICH_(VERSION|NUMVERSION)", r"#define STRANGER_\1", header.read_text())
    )
    library = tmp_path / "lib" / "libmpich.so.12"
    library.write_bytes(Path(real.library).read_bytes().replace(b"MPICH Version", b"OTHER Version"))
    (tmp_path / "lib" / "libmpich.so").symlink_to(library.name)
    (tmp_path / "hidden").mkdir()
    line = f"cc -I{tmp_path}/include -L{tmp_path}/lib -Wl,-rpath,{tmp_path}/lib"
    mpicc = tmp_path / "hidden" / "mpicc"
    mpicc.write_text(
        f'#!/bin/sh\n[ "$1" = -show ] && {{ echo {line} -lmpich; exit; }}\nexec {line} "$@"'
        " -lmpich\n"
    )
    mpicc.chmod(0o755)
    return build, mpicc


def test_a_library_that_nobody_knows(stranger, tmp_path):
    build, mpicc = stranger
    program, cache = compiled(mpicc, tmp_path), {"ADVISOR_CACHE": str(tmp_path / "cache")}
    line = ["run", "--no-report", "-o", "result", "--", *build.launcher, "-n", "2", program]
    assert library_of(str(program), [], environment(build), None).library.name == "unknown"
    refused = advisor(build, *line, cwd=tmp_path, **cache)
    assert refused.returncode == 0 and not (tmp_path / "result").exists()
    assert (
        refused.stderr.splitlines()[-1]
        == "advisor: Load the module that brings its mpicc, or: advisor build --mpicc"
        " /path/to/mpicc"
    )
    built = advisor(build, "build", "--mpicc", mpicc, cwd=tmp_path, **cache)
    assert built.returncode == 0 and Path(built.stdout.strip()).exists(), built.stderr
    done = advisor(build, *line, cwd=tmp_path, **cache)
    assert done.returncode == 0 and barriers(tmp_path / "result") == {0: 7, 1: 7}, done.stderr
