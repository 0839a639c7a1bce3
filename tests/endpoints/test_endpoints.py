"""Reductions in pieces: right for every kind under every library, split where they should be, and
whole where they must be."""

import os
import re
import subprocess

import pytest
from counted import counted
from mpi_builds import (
    BUILDS,
    REPOSITORY,
    advisor_run,
    compile_program,
    environment,
    find,
    python_environment,
    require,
    require_fortran,
    require_python,
    run,
)

from advisor import intake

HERE = REPOSITORY / "tests" / "endpoints"
IN_THREE = {"ADVISOR_ENDPOINTS": "3", "ADVISOR_ENDPOINTS_BYTES": "1000"}
SETTINGS = [f"{name}={value}" for name, value in IN_THREE.items()]
BINDINGS = {
    "mpif.h": ["-w", "-fallow-argument-mismatch"],
    "use mpi": ["-DMODULE"],
    "use mpi_f08": ["-DF08"],
}
LONG = os.environ.get("ADVISOR_TEST_LONG") == "1"
BEHIND = re.compile(r"asked for (\d+) reductions, made (\d+) communicators, freed (\d+)")

_made = {}


def made(build, folder, name, make):
    """What `make` writes, once for a build and a session."""
    key = (build.name, name)
    if key not in _made:
        _made[key] = folder.mktemp(build.name) / name
        make(_made[key])
    return str(_made[key])


def library(build, folder):
    def make(output):
        script = REPOSITORY / "collectors" / "endpoints" / "build.sh"
        done = subprocess.run(
            ["sh", script, build.mpicc, output],
            env=environment(build, {"CFLAGS": "-Werror"}),
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout + done.stderr) == (0, "")

    return made(build, folder, "endpoints.so", make)


def program(build, folder):
    return made(
        build,
        folder,
        "reductions",
        lambda output: compile_program(
            build, "c", [HERE / "reductions.c"], output, ["-pthread", "-O0"]
        ),
    )


def behind(build, folder):
    return made(
        build,
        folder,
        "behind.so",
        lambda output: compile_program(
            build, "c", [HERE / "behind.c"], output, ["-shared", "-fPIC", "-ldl"]
        ),
    )


def reduced(build, folder, mode="", ranks=2, **variables):
    """Output of the C program with the library, and [reductions, communicators made, freed] of rank
    0 as MPI saw them."""
    preload = f"LD_PRELOAD={library(build, folder)}:{behind(build, folder)}"
    done = run(
        build,
        ranks,
        [
            "env",
            preload,
            *(f"{name}={value}" for name, value in variables.items()),
            program(build, folder),
            *mode.split(),
        ],
    )
    seen = {tuple(map(int, found)) for found in BEHIND.findall(done.stdout)}
    # all ranks asked for the same
    assert done.returncode == 0 and len(seen) == 1, done.stdout + done.stderr
    return re.search("checked.*", done.stdout).group(), *seen, done.stderr


# six busy threads take MPICH 4 long on two cores
@pytest.mark.parametrize(
    "build", [build for build in BUILDS if LONG or build.name != "mpich4"], ids=str
)
def test_every_kind_of_reduction(build, tmp_path_factory):
    checked, seen, _ = reduced(require(build), tmp_path_factory, **IN_THREE)
    assert checked == "checked 527, wrong 0"
    # two copies of the world and of the reversed one; none of halves of one rank, or between groups
    assert seen == (1058, 4, 4)


@pytest.mark.parametrize("build", BUILDS if LONG else [find("mpich5")], ids=str)
def test_more_communicators_than_copies_and_two_threads_at_once(build, tmp_path_factory):
    checked, seen, _ = reduced(require(build), tmp_path_factory, "all", **IN_THREE)
    assert checked == "checked 768, wrong 0"
    # two each of 2, of 20 one after the other, of 30 among 40 at once (64 copies at a time), of 2
    # of threads
    assert seen[1:] == (108, 108)


@pytest.mark.skipif(
    not LONG, reason="four ranks with three threads each; ADVISOR_TEST_LONG=1 runs it"
)
def test_four_ranks(tmp_path_factory):
    checked, seen, _ = reduced(require(find("ompi4")), tmp_path_factory, "all", 4, **IN_THREE)
    assert checked.endswith("wrong 0") and seen[1] == seen[2]


def test_ranks_that_ask_for_different_things_do_the_same(tmp_path_factory):
    """Rank 1 asks for 7 pieces from 50 000 bytes on, the others for 3 from 1000 on: 3 from 50 000
    on."""
    checked, seen, said = reduced(
        require(find("mpich5")), tmp_path_factory, "disagree", ADVISOR_ENDPOINTS_SAY="1", **IN_THREE
    )
    assert checked == "checked 527, wrong 0"
    assert said == "advisor-endpoints: MPI_Allreduce from 50000 bytes on in 3 pieces\n"


@pytest.mark.parametrize(
    "variables, said",
    [
        (
            {"ADVISOR_ENDPOINTS": "1"},
            "advisor-endpoints: reductions stay whole: a rank asks for it, or has one core\n",
        ),
        (
            {"ADVISOR_ENDPOINTS": "2", "ADVISOR_ENDPOINTS_BYTES": "many"},
            "advisor-endpoints: MPI_Allreduce from 262144 bytes on in 2 pieces\n",
        ),
    ],
    ids=["switched off", "no number"],
)
def test_settings_that_split_nothing_here(variables, said, tmp_path_factory):
    checked, seen, reported = reduced(
        require(find("mpich5")), tmp_path_factory, ADVISOR_ENDPOINTS_SAY="1", **variables
    )
    assert (checked, seen[1], reported) == ("checked 527, wrong 0", 0, said)


def test_nothing_is_said_unless_asked(tmp_path_factory):
    # and no variable needs to be set
    assert reduced(require(find("mpich5")), tmp_path_factory)[2] == ""


@pytest.mark.parametrize(
    "build, binding",
    [
        (build, binding)
        for build in BUILDS
        for binding in BINDINGS
        if LONG
        or (build.name, binding)
        in (("ompi4", "use mpi"), ("mpich4", "use mpi_f08"), ("impi", "mpif.h"))
    ],
    ids=str,
)
def test_fortran(build, binding, tmp_path, tmp_path_factory):
    require_fortran(build, binding)
    compiled = compile_program(
        build, binding, [HERE / "reductions.F90"], tmp_path / "program", BINDINGS[binding]
    )
    preload = f"LD_PRELOAD={library(build, tmp_path_factory)}:{behind(build, tmp_path_factory)}"
    done = run(build, 2, ["env", preload, *SETTINGS, compiled])
    seen = {tuple(map(int, found)) for found in BEHIND.findall(done.stdout)}
    # 20 reductions, of which two are on a communicator without copies yet, one to agree on the
    # settings, one to agree on copies
    assert ("wrong 0" in done.stdout, seen) == (True, {(2 + 18 * 3 + 2, 2, 2)}), (
        done.stdout + done.stderr
    )


@pytest.mark.parametrize("name", ["ompi4", "mpich4"] if LONG else ["ompi4"])
def test_the_profiler_counts_what_the_program_calls(name, tmp_path, tmp_path_factory):
    """The profiler stands in front, wherever the library was preloaded: it sees 20 reductions, MPI
    sees their pieces."""
    build = find(name)
    require_fortran(build, "use mpi")
    compiled = compile_program(
        build, "use mpi", [HERE / "reductions.F90"], tmp_path / "program", BINDINGS["use mpi"]
    )
    preload = f"LD_PRELOAD={library(build, tmp_path_factory)}:{behind(build, tmp_path_factory)}"
    seen, operations = profiled(build, [preload, *SETTINGS, compiled], tmp_path)
    # the profiler has a reduction of its own in MPI_Init
    assert (seen, operations) == ({(2 + 18 * 3 + 2, 2, 2 + 1)}, 2 * 20)


@pytest.mark.parametrize("build", BUILDS if LONG else [find("mpich5")], ids=str)
def test_the_profiler_counts_what_python_calls(build, tmp_path, tmp_path_factory):
    """Python loads MPI where neither the profiler nor the library is looked for by the next in
    order."""
    interpreter = require_python(build)
    words = [
        f"LD_PRELOAD={library(build, tmp_path_factory)}",
        *SETTINGS,
        "ADVISOR_ENDPOINTS_SAY=1",
        interpreter,
        HERE / "reductions_of_python.py",
    ]
    assert profiled(build, words, tmp_path, python_environment(build)) == (set(), 2 * 10)


def profiled(build, words, folder, extra=None):
    """What MPI saw, if behind.so is there, and how many calls of MPI_Allreduce the profiler
    counted."""
    line = advisor_run(build, 2, ["env", *words], "--no-report", "-o", folder / "result")
    done = subprocess.run(
        line, env=environment(build, extra), cwd=REPOSITORY, capture_output=True, text=True
    )
    assert "wrong 0" in done.stdout and (
        "SAY=1" not in str(words) or "in 3 pieces" in done.stderr
    ), done.stdout + done.stderr
    many = sum(counted(intake.read(folder / "result"), "Allreduce").values())
    return {tuple(map(int, found)) for found in BEHIND.findall(done.stdout)}, many


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_only_names_of_mpi_are_visible(build, tmp_path_factory):
    path = library(require(build), tmp_path_factory)
    listed = subprocess.run(
        ["nm", "-D", "--defined-only", path], capture_output=True, text=True
    ).stdout
    names = {line.split()[-1] for line in listed.splitlines()}
    large = {"Allreduce_c"} if "MPI_Allreduce_c" in names else set()
    assert names == {
        prefix + name
        for prefix in ("MPI_", "PMPI_")
        for name in {"Allreduce", "Init", "Init_thread", "Finalize", *large}
    }
    needed = subprocess.run(["readelf", "-d", path], capture_output=True, text=True).stdout
    assert "mpi" not in needed.lower().replace("endpoints", "")
