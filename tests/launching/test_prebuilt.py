"""A wheel that brings a collector for each binary interface of MPI: on a machine without a compiler
a job is measured with it, if the MPI library is shown to have that interface."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from mpi_builds import compile_program, environment, find, require

from advisor.launching.collector import prebuilt
from advisor.launching.target.library_file import MpiLibrary, examine
from advisor.launching.target.library_of import with_version

ROOT = Path(__file__).resolve().parents[2]
TOOLS = (
    "sh env ls cat sed grep uname hostname mkdir rm dirname basename true readlink expr tr".split()
)
FAMILY = ("mpich5", "mpich4", "impi")
PROGRAM = """
#include <mpi.h>
int main(int argc, char **argv)
{
    double one = 1, sum;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 7; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum != 2;
}
"""


def library_of(name: str) -> MpiLibrary:
    """The MPI library of a build."""
    build = require(find(name))
    folders = (Path(build.mpicc).parent.parent / "lib", Path("/usr/lib/x86_64-linux-gnu"))
    names = {"ompi4": "libmpi.so.40", "ompi5": "libmpi.so.40", "mpich4": "libmpich.so.12"}
    wanted = names.get(name, "libmpi.so.12")
    path = next((folder / wanted for folder in folders if (folder / wanted).exists()), None)
    if path is None:
        pytest.skip(f"{wanted} of {name} is not where this test looks for it")
    return with_version(examine(str(path.resolve()), wanted), environment(build))


@pytest.mark.parametrize(
    "name, interface",
    [("ompi4", "openmpi-4"), ("ompi5", "openmpi-5"), *((name, "mpich") for name in FAMILY)],
)
def test_each_library_has_the_interface_of_its_kind(name, interface):
    library = library_of(name)
    found = prebuilt.interface_of(library)
    assert (found.name, prebuilt.deviation(found, library, {})) == (interface, "")


@pytest.mark.parametrize(
    "name, version", [("mvapich2", "2.3.7"), ("openmpi", "6.0.0"), ("unknown", "")]
)
def test_a_library_that_agreed_on_no_interface_gets_none(name, version):
    library = dataclasses.replace(library_of("mpich5"), name=name, version=version)
    answer = prebuilt.collector_for(library, "")
    assert (answer.path, "no prebuilt collector is for" in answer.reason) == (None, True)


@pytest.mark.parametrize(
    "objects, constants, reason",
    [
        (
            {"MPIR_F08_MPI_STATUS_IGNORE_OBJ": 24},
            {},
            "MPIR_F08_MPI_STATUS_IGNORE_OBJ has 20 bytes instead of 24",
        ),
        ({"PMPI_Of_the_future": 0}, {}, "it does not export PMPI_Of_the_future"),
        ({}, {"MPI_ANY_SOURCE": "-1"}, "MPI_ANY_SOURCE is -2 instead of -1"),
        ({}, {"MPI_ANY_SOURCE": "-2", "MPI_COMM_WORLD": "1140850688"}, ""),
    ],
)
def test_a_library_that_deviates_is_refused(objects, constants, reason):
    library = library_of("mpich5")
    interface = dataclasses.replace(prebuilt.interface_of(library), objects=objects)
    found = prebuilt.deviation(interface, library, constants)
    assert found.startswith(reason) and bool(found) == bool(reason)


@pytest.fixture(scope="module")
def installed(tmp_path_factory, collector):
    """The Python of a new environment into which a wheel with a collector for MPICH was put."""
    build = require(find("mpich5"))
    collector(build)
    folder = tmp_path_factory.mktemp("prebuilt")
    words = [ROOT / "packaging" / "wheel", folder / "dist", "--only", "mpich"]
    # Where only the README's commands have run, nothing but this leads to its MPICH.
    path = f"{Path(build.mpicc).parent}:{os.environ['PATH']}"
    plain = {**os.environ, "PATH": path}
    made = subprocess.run([sys.executable, *words], env=plain, capture_output=True, text=True)
    assert made.returncode == 0, made.stdout + made.stderr
    (wheel,) = (folder / "dist").glob("mpi_advisor-*-manylinux_*.whl")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    python = folder / "venv" / "bin" / "python"
    options = ["-q", "--no-deps", "--no-index", "--disable-pip-version-check"]
    install = [sys.executable, "-m", "pip", "--python", python, "install", *options, wheel]
    subprocess.run(install, check=True)
    # What it requires is taken from the environment of the tests; this path adds no other advisor.
    packages = next((folder / "venv" / "lib").glob("python*/site-packages"))
    (packages / "requirements.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def without_compiler(build, folder: Path):
    """An environment whose PATH has no compiler."""
    tools = folder / "tools"
    tools.mkdir()
    for name in TOOLS:
        (tools / name).symlink_to(shutil.which(name))
    own = environment(build)
    # Intel's own folder has no compiler in it, and its mpirun starts what lies beside it.
    path = f"{tools}:{build.prefix}/bin" if build.name == "impi" else str(tools)
    return {**own, "PATH": path, "HOME": str(folder), "ADVISOR_CACHE": str(folder / "cache")}


@pytest.mark.parametrize("name", ("mpich5", "impi"))
def test_a_job_is_measured_without_a_compiler(name, installed, tmp_path):
    build = require(find(name))
    (tmp_path / "p.c").write_text(PROGRAM)
    program = compile_program(build, "c", [tmp_path / "p.c"], tmp_path / "p")
    run = [installed, "-m", "advisor", "run", "-o", "result", "--"]
    done = subprocess.run(
        [*run, shutil.which(build.launcher[0]), "-n", "2", program],
        cwd=tmp_path,
        env=without_compiler(build, tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "it is prebuilt for the MPICH ABI, build " in done.stderr
    report = (tmp_path / "result" / "report.txt").read_text(encoding="utf-8")
    assert "prebuilt for the MPICH ABI" in " ".join(report.split())
    code = (
        "import advisor, json; result = advisor.read('result'); table = result.tables['calls'];"
        " print(json.dumps([list(each) for each in zip(table['operation'],"
        " table['count'].tolist()) if each[0] == 'Allreduce']))"
    )
    said = subprocess.run(
        [installed, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert json.loads(said.stdout) == [["Allreduce", 7], ["Allreduce", 7]]
    assert not list(tmp_path.glob("cache/*.so"))
