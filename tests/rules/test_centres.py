"""Faults that centres are asked about most, made on purpose in real runs: threads that pile up on
the same cores, limits that are too small, settings left over, and what a program's own log says."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
from mpi_builds import compile_program, environment, find, python, require, require_python

from advisor.analysis.measure import measure
from advisor.base import resource_paths
from advisor.intake.read import read

from .real_runs import findings_of, profile_of

THREADS = """
#include <mpi.h>
int main(int argc, char **argv)
{
    int provided;
    double sum = argc;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    for (int step = 0; step < 20; step++) {
#pragma omp parallel for reduction(+ : sum)
        for (long i = 0; i < 4000000; i++)
            sum += 1.0 / (double)(i + step + 1);
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return sum < 0;
}
"""
VASP = r"""
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (!rank) {
        FILE *file = fopen("IBZKPT", "w");
        fputs("Automatically generated mesh\n      10\nReciprocal lattice\n", file);
        fclose(file);
    }
    for (int step = 0; step < 2000; step++)
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"""
REDUCTIONS = """
#include <mpi.h>
static double found[200000], all[200000];
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int step = 0; step < 1000; step++) {
        for (int i = 0; i < 200000; i++)
            found[i] += i / (step + 1.0);
        MPI_Allreduce(found, all, 200000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return all[1] < 0;
}
"""
OBJECTS = """
from mpi4py import MPI
world = MPI.COMM_WORLD
for step in range(3000):
    if world.rank:
        world.send({"step": step}, 0)
    else:
        world.recv(source=1)
"""
SHARED_OBJECTS = """
from mpi4py import MPI
world, numbers = MPI.COMM_WORLD, [float(i) for i in range(60000)]
for step in range(101):
    world.bcast(numbers if not world.rank else None)
"""
ONE_THREAD = {"OMP_NUM_THREADS": "1"}
FREE = {"OMPI_MCA_hwloc_base_binding_policy": "none"}


def compiled(build, text, output, options=()):
    source = output.with_suffix(".c")
    source.write_text(text)
    return compile_program(build, "c", [source], output, options)


@pytest.fixture(scope="module")
def threads(tmp_path_factory):
    """The program with threads, under each library."""
    made = {}

    def program(build):
        require(build)
        if build.name not in made:
            output = tmp_path_factory.mktemp(build.name) / "threads"
            made[build.name] = compiled(build, THREADS, output, ["-O2", "-fopenmp"])
        return made[build.name]

    return program


def said(result):
    """Rule → what a report says first of it."""
    return {finding.rule: finding.subject.replace("\xa0", " ") for finding in findings_of(result)}


@pytest.mark.parametrize(
    "name, ranks, extra, expected, silent",
    [
        (
            "mpich4",
            2,
            {"OMP_NUM_THREADS": "2", "OMP_PROC_BIND": "close", "OMP_WAIT_POLICY": "active"},
            {
                "threads-bound-ranks-not": "2 ranks use them",
                "threads-spin-without-cores": "OMP_WAIT_POLICY=active",
            },
            ["library-threads-beside-ranks", "one-cpu-list-for-all-ranks"],
        ),
        (
            "mpich4",
            2,
            {"OMP_NUM_THREADS": "", "GOMP_CPU_AFFINITY": "0-1"},
            {
                "one-cpu-list-for-all-ranks": "GOMP_CPU_AFFINITY=0-1 applies to all ranks",
                "library-threads-beside-ranks": "runs 2 threads",
            },
            ["threads-spin-without-cores"],
        ),
        (
            "ompi4",
            1,
            {"OMP_NUM_THREADS": "2", "OMP_PROC_BIND": "close", "OMP_PLACES": "cores", **FREE},
            {},
            ["threads-share-cores", "threads-bound-ranks-not", "threads-not-bound"],
        ),
    ],
)
def test_threads(threads, tmp_path, name, ranks, extra, expected, silent):
    """The last one: threads that are bound to a core each were taken for threads on one core."""
    if len(os.sched_getaffinity(0)) != 2:
        pytest.skip("the faults are made for two cores")
    build = find(name)
    found = said(profile_of(build, ["-n", ranks, threads(build)], tmp_path, extra))
    for rule, words in expected.items():
        assert words in found.get(rule, f"{rule} is not found")
    assert [rule for rule in silent if rule in found] == []


@pytest.mark.parametrize(
    "name, extra, expected",
    [
        (
            "ompi4",
            {"HCOLL_ENABLE_SHARP": "3", "FI_LOG_LEVEL": "debug", **ONE_THREAD},
            {
                "offload-settings-without-hcoll": "HCOLL_ENABLE_SHARP=3",
                "debug-output-left-on": "FI_LOG_LEVEL=debug",
                "program-is-a-benchmark": "osu_threads is a benchmark",
            },
        ),
        (
            "mpich5",
            {"UCX_PROTO_ENABLE": "n", "UCX_LOG_LEVEL": "debug", **ONE_THREAD},
            {
                "ucx-protocols-left-off": "UCX_PROTO_ENABLE=n is set with UCX 1.20.1; MPI took",
                "debug-output-left-on": "UCX_LOG_LEVEL=debug",
            },
        ),
    ],
)
def test_settings_that_were_left_over(tmp_path, name, extra, expected):
    """What UCX logs must not get into its version either."""
    build = find(name)
    require(build)
    program = compiled(build, VASP, tmp_path / "osu_threads")
    found = said(profile_of(build, ["-n", 2, program], tmp_path, extra))
    for rule, words in expected.items():
        assert words in found.get(rule, f"{rule} is not found")


@pytest.mark.slow
def test_groups_of_k_points_without_work(tmp_path):
    build = find("ompi4")
    require(build)
    program = compiled(build, VASP, tmp_path / "vasp_std")
    (tmp_path / "INCAR").write_text("KPAR = 4\n")
    found = said(profile_of(build, ["-n", 2, program], tmp_path, ONE_THREAD))
    assert found["vasp-kpar-idle"].startswith("KPAR is 4 with 10 irreducible k-points")


@pytest.mark.slow
def test_large_reductions(tmp_path):
    build = find("ompi4")
    require(build)
    program = compiled(build, REDUCTIONS, tmp_path / "reductions")
    result = profile_of(build, ["-n", 2, program], tmp_path, ONE_THREAD)
    if measure(read(result)).tables["run"].row(0)["no_core_share"] > 0.05:
        pytest.skip("other load took the cores: the rule says nothing then")
    assert said(result)["large-reductions"].startswith("MPI_Allreduce of 1.53 MiB on average")


@pytest.mark.slow
@pytest.mark.parametrize(
    "program, rule, said_first",
    [
        (OBJECTS, "python-objects", "MPI_Mprobe and MPI_Mrecv"),
        (SHARED_OBJECTS, "python-objects-in-collectives", "MPI_Bcast is called by mpi4py"),
    ],
    ids=["sent", "shared"],
)
def test_objects_of_python(program, rule, said_first, tmp_path):
    build = find("mpich5")
    require(build)
    require_python(build)
    (tmp_path / "objects.py").write_text(program)
    line = ["-n", 2, python(build), "objects.py"]
    found = said(profile_of(build, line, tmp_path, ONE_THREAD))
    assert said_first in found[rule]


@pytest.mark.slow
def test_little_shared_memory(tmp_path):
    """In a name space of its own, with a small /dev/shm, as root only."""
    build = find("ompi4")
    require(build)
    mount = "mount -t tmpfs -o size=24m tmpfs /dev/shm"
    if os.geteuid() or not shutil.which("unshare"):
        pytest.skip("needs root and unshare")
    if subprocess.run(["unshare", "-m", "sh", "-c", mount], capture_output=True).returncode:
        pytest.skip("no name space of mounts may be made here")
    program = compiled(build, VASP, tmp_path / "few")
    script = tmp_path / "run.sh"
    words = f"{sys.executable} -m advisor run --no-report -o {tmp_path}/result --"
    script.write_text(f"set -e\n{mount}\n{words} {build.launcher[0]} -n 2 {program}\n")
    variables = environment(build, {"PYTHONPATH": str(resource_paths.samples().parent)})
    done = subprocess.run(
        ["unshare", "-m", "sh", str(script)],
        env={**variables, **ONE_THREAD},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "left for 2 ranks" in said(tmp_path / "result")["shared-memory-small"]
