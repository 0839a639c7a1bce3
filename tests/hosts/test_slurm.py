"""Jobs under a real Slurm: srun by itself, inside sbatch and inside salloc, with ranks on two
hosts."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys

import pytest
from counted import counted
from fake_hosts import Hosts, why_impossible
from mpi_builds import (
    REPOSITORY,
    compiling_one,
    environment,
    find,
    python,
    python_environment,
    require,
)
from slurm import Slurm, why_missing

from advisor import intake

pytestmark = pytest.mark.skipif(
    bool(why_impossible() or why_missing()), reason=why_impossible() or why_missing()
)

ADVISOR = [sys.executable, "-m", "advisor"]

EXEC = REPOSITORY / "advisor" / "launching" / "advisor-exec"

# What ranks of each library need under Slurm's srun: the kind of PMI, and variables for two hosts
# of one machine
PMI = {"ompi4": "pmix", "ompi5": "pmix", "mpich4": "pmi2", "mpich5": "pmi2", "impi": "pmi2"}
VARIABLES = {
    "ompi5": {"PMIX_MCA_psec": "native"},
    "mpich4": {"UCX_TLS": "posix,self"},
    "mpich5": {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"},
    "impi": {"I_MPI_PMI_LIBRARY": "/usr/lib/x86_64-linux-gnu/libpmi2.so.0"},
}
PROGRAM = r"""
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char name[256];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    gethostname(name, sizeof name);
    for (int i = 0; i < 7; i++) MPI_Barrier(MPI_COMM_WORLD);
    printf("%d %s %s\n", rank, name, argc > 1 ? argv[1] : "-");
    MPI_Finalize();
    return 0;
}
"""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory):
    """Slurm on two hosts."""
    with Hosts(2) as hosts, Slurm(hosts, tmp_path_factory.mktemp("slurm")) as running:
        yield running


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """build → PROGRAM compiled with it."""
    return compiling_one(tmp_path_factory.mktemp("programs"), PROGRAM)


def on_first_host(slurm, build, words, cwd, **more):
    """Words on the host where a user would type them."""
    env = {
        **environment(build, VARIABLES.get(build.name)),
        **slurm.environment,
        "PYTHONPATH": str(REPOSITORY),
        **more,
    }
    env["PATH"] = f"{environment(build)['PATH']}:{slurm.environment['PATH']}"
    done = subprocess.run(
        [*slurm.hosts.enter(0), *map(str, words)],
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert done.returncode == 0, done.stderr
    return done


def srun(build, *words):
    return ["srun", "-N", "2", "-n", "4", f"--mpi={PMI[build.name]}", *map(str, words)]


def expected(slurm, *arguments):
    """What four ranks on two hosts print."""
    a, b = slurm.hosts.names
    return [
        f"{rank} {host} {argument}"
        for (rank, host), argument in zip(enumerate((a, a, b, b)), arguments * 4)
    ]


def check(result, names):
    profile = intake.read(result)
    assert counted(profile, "Barrier") == dict.fromkeys(range(4), 7)
    ranks = profile.tables["ranks"]
    assert [profile.nodes[node].name for node in ranks["node"]] == [names[0]] * 2 + [names[1]] * 2
    return profile


@pytest.mark.parametrize("name", ["ompi5", "mpich5", "impi"])
def test_srun(name, slurm, programs, tmp_path):
    build = find(name)
    done = on_first_host(
        slurm,
        build,
        [*ADVISOR, "run", "--no-report", "-o", "result", "--", *srun(build, programs(build), "x")],
        tmp_path,
    )
    assert sorted(done.stdout.splitlines()) == expected(slurm, "x"), done.stderr
    profile = check(tmp_path / "result", slurm.hosts.names)
    assert (profile.run.ranks_expected, profile.run.exit_code, profile.run.launcher) == (
        4,
        0,
        "srun",
    )


def test_multiple_programs(slurm, programs, tmp_path):
    build = find("ompi4")
    (tmp_path / "steps").write_text(
        f"# two\n0-1 {programs(build)} first\n2,3 nice -n 1 {programs(build)} %t\n"
    )
    line = ["srun", "-N", "2", "-n", "4", "--mpi=pmix", "--multi-prog", "steps"]
    done = on_first_host(
        slurm, build, [*ADVISOR, "run", "--no-report", "-o", "result", "--", *line], tmp_path
    )
    a, b = slurm.hosts.names
    assert sorted(done.stdout.splitlines()) == [
        f"0 {a} first",
        f"1 {a} first",
        f"2 {b} 2",
        f"3 {b} 3",
    ], done.stderr
    check(tmp_path / "result", slurm.hosts.names)


def test_a_batch_job(slurm, programs, tmp_path):
    """All placements in one job script: variables in front of a line that stays, and its end;
    advisor in the line, with and without Python on the ranks; advisor in front of the line. The
    result folders have the job's number."""
    build, advisor = find("mpich4"), " ".join(ADVISOR)
    lines = [
        f'eval "$({advisor} exec --print-env --launcher srun -- {programs(build)})"',
        " ".join(srun(build, programs(build), "plain")),
        f"{advisor} exec --finish $?",
        "unset LD_PRELOAD ADVISOR_OUTPUT ADVISOR_RUN",
        " ".join(srun(build, EXEC, programs(build), "in")),
        " ".join(srun(build, *ADVISOR, "exec", "--", programs(build), "python")),
        f"{advisor} run --no-report -- {' '.join(srun(build, programs(build), 'out'))}",
    ]
    (tmp_path / "job").write_text("\n".join(["#!/bin/sh", "#SBATCH -N 2 -n 4", *lines, ""]))
    done = on_first_host(
        slurm,
        build,
        ["sbatch", "--wait", "-o", "out", "job"],
        tmp_path,
        ADVISOR_PYTHON=sys.executable,
        XDG_CACHE_HOME=str(tmp_path / "cache"),
    )
    said, job = (tmp_path / "out").read_text(), done.stdout.split()[-1]
    # Lines of the report may end in such a word as well.
    printed = sorted(
        line for line in said.splitlines() if re.fullmatch(r"\d \S+ (plain|in|python|out)", line)
    )
    assert printed == sorted(
        line for word in ("plain", "in", "python", "out") for line in expected(slurm, word)
    ), said
    assert f"advisor: when the job has ended: advisor report advisor-{job}-3\n" in said
    for result in (
        f"advisor-{job}",
        f"advisor-{job}-2",
        f"advisor-{job}-3",
        f"p-mpich4.4r.{job}.advisor",
    ):
        profile = check(tmp_path / result, slurm.hosts.names)
        assert (profile.run.scheduler, profile.run.job) == ("slurm", job)
    assert (tmp_path / f"advisor-{job}" / "report.html").exists() and intake.read(
        tmp_path / f"advisor-{job}"
    ).run.exit_code == 0


@pytest.mark.parametrize(
    "inside", [True, False], ids=["advisor in salloc", "salloc in advisor's line"]
)
def test_an_allocation_with_mpirun(inside, slurm, programs, tmp_path):
    """mpirun of Open MPI starts its daemons through Slurm by itself."""
    build = find("ompi4")
    advised = [*ADVISOR, "run", "--no-report", "-o", "result", "--"]
    job = [*build.launcher, "--bind-to", "none", "--map-by", "ppr:2:node", programs(build), "x"]
    salloc = ["salloc", "-Q", "-N", "2", "-n", "4"]
    done = on_first_host(
        slurm, build, [*salloc, *advised, *job] if inside else [*advised, *salloc, *job], tmp_path
    )
    assert sorted(done.stdout.splitlines()) == expected(slurm, "x"), done.stderr
    check(tmp_path / "result", slurm.hosts.names)


def test_python_under_srun_has_the_library_that_is_loaded(slurm, tmp_path):
    build = find("ompi4")
    interpreter = python(require(build)) or pytest.skip("no interpreter with mpi4py")
    (tmp_path / "a.py").write_text(
        "import socket\nfrom mpi4py import MPI\nfor _ in range(7):"
        " MPI.COMM_WORLD.Barrier()\nprint(MPI.COMM_WORLD.rank, socket.gethostname(), 'py')\n"
    )
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "mpirun").symlink_to(shutil.which("mpirun.openmpi"))
    path = f"{tmp_path}/bin:{os.environ['PATH']}:/usr/sbin"
    words = [
        *ADVISOR,
        "run",
        "--no-report",
        "-o",
        "result",
        "--",
        *srun(build, "env", f"PATH={path}", interpreter, "a.py"),
    ]
    done = on_first_host(
        slurm, build, ["env", f"PATH={path}", *words], tmp_path, **python_environment(build)
    )
    assert sorted(done.stdout.splitlines()) == expected(slurm, "py"), done.stderr
    check(tmp_path / "result", slurm.hosts.names)
