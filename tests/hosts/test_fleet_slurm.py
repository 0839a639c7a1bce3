"""The three ways in which a centre's jobs are measured, on a real Slurm with ranks on two hosts:
TaskProlog, module, launch wrapper. Each leaves one profile in the spool."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path

import pytest
from fake_hosts import Hosts, why_impossible
from mpi_builds import (
    REPOSITORY,
    compile_program,
    environment,
    find,
    python_environment,
    require,
    require_python,
    why_missing as why,
)
from slurm import Slurm, why_missing

from advisor import intake
from advisor.fleet.spool import files, ready

LMOD = Path("/usr/share/lmod/lmod/init/sh")
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, own, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    own = rank + 1;
    for (int i = 0; i < 7; i++)
        MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", sum), fflush(stdout), system("env | grep -c ^LD_PRELOAD");
    MPI_Finalize();
    return 5;
}
"""

MPI4PY = {"ompi4": "pmix", "mpich4": "pmi2"}
"""A library, and how srun starts its ranks."""
IMPORTING = """
import os, subprocess
from array import array
from mpi4py import MPI
everybody, found = MPI.COMM_WORLD, array("i", [0])
for _ in range(7):
    everybody.Allreduce(array("i", [everybody.rank + 1]), found)
if everybody.rank == 0:
    print("sum", found[0], flush=True)
    subprocess.run("env | grep -c -e ^LD_PRELOAD -e ^ADVISOR_SPOOL", shell=True)
MPI.Finalize()
os._exit(5)
"""

pytestmark = pytest.mark.skipif(
    bool(why_impossible() or why_missing()), reason=why_impossible() or why_missing()
)


@pytest.fixture(scope="module")
def centre(tmp_path_factory):
    """What `advisor fleet install` writes for Open MPI 4; a Slurm whose TaskProlog is a link."""
    build = require(find("ompi4"))
    place = tmp_path_factory.mktemp("centre")
    (place / "p.c").write_text(PROGRAM)
    compile_program(build, "c", [place / "p.c"], place / "program")
    words = ["fleet", "install", place / "home", "--spool", place / "spool"]
    compilers = [word for name in MPI4PY if not why(name) for word in ("--mpicc", find(name).mpicc)]
    subprocess.run(
        [sys.executable, "-m", "advisor", *words, *compilers, "--share", "100%"],
        env=environment(build),
        cwd=REPOSITORY,
        check=True,
        capture_output=True,
    )
    (place / "prolog").symlink_to("home/task-prolog")
    with Hosts(2) as hosts:
        with Slurm(hosts, place / "slurm", f"TaskProlog={place}/prolog\n") as slurm:
            yield place, slurm


@pytest.fixture
def spool(centre):
    place = centre[0] / "spool"
    subprocess.run(["rm", "-rf", place], check=True)
    place.mkdir()
    ready(place, datetime.now(timezone.utc).date())
    return place


def job(centre, line, prolog, **more):
    """What a user types on the first host."""
    place, slurm = centre
    (place / "prolog").unlink()
    (place / "prolog").symlink_to(place / "home" / "task-prolog" if prolog else "/bin/true")
    variables = {**environment(find("ompi4")), **slurm.environment, "HOME": str(place)}
    own = Path(sys.executable).parent
    done = subprocess.run(
        [*slurm.hosts.enter(0), "sh", "-c", line.replace("PROGRAM", f"{place}/program")],
        env={**variables, **more, "PATH": f"{slurm.environment['PATH']}:{own}"},
        cwd=place,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert done.returncode == 5, done.stderr
    return done.stdout.split("\n")


SRUN = "srun --mpi=pmix -N 2 -n 4 PROGRAM"


def only_profile(spool, slurm):
    """All ranks of both hosts are in it."""
    (found,) = files(spool)
    profile = intake.read(found.path)
    assert found.cluster == "tests" and found.owner == os.geteuid()
    assert [node.name for node in profile.nodes] == slurm.hosts.names
    calls = profile.tables["calls"]
    assert calls["count"][calls["operation"] == "Allreduce"].sum() == 4 * 7
    assert [name for name in os.listdir(found.path.parent) if name != found.path.name] == []
    return found, profile


def test_task_prolog(centre, spool):
    """A process that the program starts does not see the collector."""
    assert job(centre, SRUN, True) == ["sum 10", "0", ""]
    found, profile = only_profile(spool, centre[1])
    assert (found.step, profile.run.job) == ("0", found.job)
    assert profile.run.program.endswith("/program")


@pytest.mark.parametrize("name", MPI4PY)
def test_task_prolog_and_a_program_that_opens_the_library_while_it_runs(centre, spool, name):
    """Real mpi4py: when Python starts there is no library, and which one comes is not known."""
    own = require_python(require(find(name)))
    (centre[0] / "importing.py").write_text(IMPORTING)
    line = f"srun --mpi={MPI4PY[name]} -N 2 -n 4 {own} {centre[0]}/importing.py"
    # MPICH 4 of Debian sometimes never leaves MPI_Finalize over TCP, with or without us.
    more = {**python_environment(find(name)), "UCX_TLS": "posix,self"}
    assert job(centre, line, True, **more) == ["sum 10", "0", ""]
    found, profile = only_profile(spool, centre[1])
    assert os.path.basename(os.path.realpath(own)) == os.path.basename(profile.run.program)


@pytest.mark.parametrize("switch", ["off", "share", "user"])
def test_each_switch_switches_off(centre, spool, switch):
    """The kill switch, a share of none, and the user's own variable: the job is as it was."""
    home = centre[0] / "home"
    line = f"export ADVISOR_FLEET=off; {SRUN}" if switch == "user" else SRUN
    try:
        if switch == "off":
            (home / "off").touch()
        if switch == "share":
            (home / "share").write_text("0\n")
        preloads = "1" if switch == "share" else "0"
        assert job(centre, line, True) == ["sum 10", preloads, ""]
    finally:
        (home / "off").unlink(missing_ok=True)
        (home / "share").write_text("10000\n")
    assert list(files(spool)) == []


@pytest.mark.skipif(not LMOD.exists(), reason="Lmod is not installed")
def test_module(centre, spool):
    """Loaded, and unloaded before a second job."""
    use = f". {LMOD}; module use {centre[0]}/home/modules; module load advisor-fleet"
    after = f'module unload advisor-fleet; [ -z "$LD_PRELOAD$ADVISOR_FLEET_SPOOL" ] && {SRUN}'
    assert job(centre, f"{use}; {SRUN}; {after}", False) == ["sum 10", "0", "sum 10", "0", ""]
    only_profile(spool, centre[1])


def test_launch_wrapper_beside_the_task_prolog(centre, spool):
    """Two ways in: still one profile."""
    own = f"ADVISOR_FLEET_HOME={centre[0]}/home ADVISOR_FLEET_SPOOL={spool}"
    line = f"export {own}; salloc -N 2 -n 4 {centre[0]}/home/bin/advisor-fleet-run {SRUN}"
    assert job(centre, line, True)[0] == "sum 10"
    only_profile(spool, centre[1])
