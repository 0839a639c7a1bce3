"""Other tools in the same process keep working, and so do we: profilers by PMPI, sanitizers, the
user's own preloads."""

from __future__ import annotations

import os
import subprocess

import pytest
from counted import counted
from mpi_builds import REPOSITORY, advisor_run, compile_program, environment, find, require

from advisor import intake

BUILDS = [find("ompi4"), find("mpich4")]


def advised(build, words, folder, **extra):
    """`advisor run` of `words` on 2 ranks: (CompletedProcess, rank → calls of MPI_Allreduce)."""
    line = advisor_run(build, 2, words, "--no-report", "-o", folder)
    done = subprocess.run(
        line,
        env=environment(build, {"PYTHONPATH": str(REPOSITORY), **extra}),
        capture_output=True,
        text=True,
        timeout=120,
    )
    return done, counted(intake.read(folder), "Allreduce")


@pytest.fixture(scope="module")
def tool(tmp_path_factory, request):
    """build → a small profiler as a shared library."""
    here = request.path.parent
    made = {}

    def get(build):
        if build.name not in made:
            out = tmp_path_factory.mktemp("tool") / f"libtool-{build.name}.so"
            made[build.name] = compile_program(
                require(build), "c", [here / "tool.c"], out, ["-shared", "-fPIC"]
            )
        return made[build.name]

    return get


@pytest.mark.parametrize("how", ["preloaded", "linked", "inside"])
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_profiler_by_pmpi_sees_what_it_would_see(build, how, tool, request, tmp_path):
    require(build)
    here = request.path.parent
    sources = [here / "accident.c", *([here / "tool.c"] if how == "inside" else [])]
    flags = [tool(build), f"-Wl,-rpath,{os.path.dirname(tool(build))}"] if how == "linked" else []
    program = compile_program(build, "c", [*sources, *(flags[:1])], tmp_path / "program", flags[1:])
    front = ["env", f"LD_PRELOAD={tool(build)}"] if how == "preloaded" else []
    done, counted = advised(build, [*front, program], tmp_path / "result")
    assert (done.returncode, done.stdout) == (0, "sum 2\n"), done.stderr
    assert done.stderr.count("tool: 13\n") == 2
    assert counted == {0: 13, 1: 13}


@pytest.mark.parametrize(
    "order, seen", [("{tool}:{{}}", 2), ("{{}}:{tool}", 0)], ids=["before us", "behind us"]
)
def test_both_orders_end_well(order, seen, tool, compiled, job):
    """What `advisor run` chooses is the first; put in by hand behind us, a tool sees nothing, and
    nothing breaks."""
    build = require(find("mpich4"))
    left = job(build).run(
        2, [compiled(build, "accident.c")], preload=order.format(tool=tool(build))
    )
    assert (left.code, left.out, left.counts("Allreduce")) == (0, "sum 2\n", {0: 13, 1: 13})
    assert left.err.count("tool: 13\n") == seen


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_program_with_the_address_sanitizer(build, request, tmp_path):
    """Its run-time library ends the program unless it is loaded first of all."""
    require(build)
    try:
        program = compile_program(
            build,
            "c",
            [request.path.parent / "accident.c"],
            tmp_path / "program",
            ["-fsanitize=address"],
        )
    except AssertionError as error:
        pytest.skip(f"no address sanitizer: {str(error).splitlines()[-1]}")
    done, counted = advised(build, [program], tmp_path / "result", ASAN_OPTIONS="detect_leaks=0")
    assert (done.returncode, done.stdout) == (0, "sum 2\n"), done.stderr
    assert "AddressSanitizer" not in done.stderr and counted == {0: 13, 1: 13}


def test_levels_of_mpi_pcontrol_reach_other_tools(request, tmp_path, job):
    build = require(find("mpich4"))
    source = tmp_path / "levels.c"
    source.write_text(
        "#include <mpi.h>\nint main(int n, char **v) { MPI_Init(&n, &v); MPI_Pcontrol(0);"
        ' MPI_Pcontrol(1, "name", 7); MPI_Pcontrol(2);\nreturn MPI_Finalize(); }\n'
    )
    hear = tmp_path / "hear.c"
    hear.write_text(
        "#include <mpi.h>\n#include <stdio.h>\nint MPI_Pcontrol(const int level, ...) { return"
        ' printf("%d\\n", level), fflush(stdout); }\n'
    )
    program = compile_program(build, "c", [source], tmp_path / "levels")
    listener = compile_program(build, "c", [hear], tmp_path / "hear.so", ["-shared", "-fPIC"])
    left = job(build).run(1, [program], preload=f"{listener}:{{}}")
    assert (left.code, left.out) == (0, "0\n1\n2\n")
    left = job(build, "alone").run(1, [program])
    assert (
        left.code,
        left.counts("Pcontrol"),
        left.profile.tables["ranks"]["control_levels"].tolist(),
    ) == (0, {0: 3}, [3])
