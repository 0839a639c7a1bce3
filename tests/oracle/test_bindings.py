"""The same through Fortran's three bindings, C++, Python, and sessions without MPI_Init."""

from __future__ import annotations

import pathlib

import pytest

import judging
from mpi_builds import (
    BUILDS,
    FORTRAN,
    compile_program,
    python,
    python_environment,
    require,
    require_cxx,
    require_fortran,
    require_python,
)

HERE = pathlib.Path(__file__).resolve().parent


def _assert_exact(build, ran, bare, only=None):
    profile = {key: calls for key, calls in ran.seen.items() if only is None or key[1] in only}
    lines = judging.differences(ran.expected, profile)
    assert not lines, f"{build.name}: {len(lines)} differences\n" + "\n".join(lines)
    assert ran.expected and ran.stdout == bare.stdout


@pytest.mark.parametrize("ranks", (2, 4))
@pytest.mark.parametrize("binding", FORTRAN)
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_fortran(build, binding, ranks, fortran, profiled):
    require_fortran(build, binding)
    program = fortran(build, binding)
    _assert_exact(
        build, profiled(build, ranks, [program]), profiled(build, ranks, [program], collect=False)
    )


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_cxx(build, table, profiled, tmp_path):
    require_cxx(build)
    program = compile_program(
        build,
        "c++",
        [HERE / "program.cpp", table(build, "oracle.c")],
        tmp_path / "program",
        ["-std=c++11", "-pthread"],
    )
    _assert_exact(
        build, profiled(build, 4, [program]), profiled(build, 4, [program], collect=False)
    )


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_python(build, profiled):
    """mpi4py makes calls around those of the program: only the operations that the program names
    are compared."""
    require_python(build)
    words = [python(build), HERE / "program.py"]
    ran = profiled(build, 2, words, extra=python_environment(build))
    _assert_exact(
        build,
        ran,
        profiled(build, 2, words, collect=False, extra=python_environment(build)),
        {operation for _, operation in ran.expected},
    )


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_sessions_only(build, available, table, profiled, tmp_path):
    header = (available(require(build)) / "available.h").read_text()
    if "#define HAVE_Session_init 0" in header:
        pytest.skip(f"{build.name} has no sessions")
    flags = ["-O0", f"-I{available(build)}", f"-I{HERE}"]
    program = compile_program(
        build,
        "c",
        [HERE / "sessions_only.c", table(build, "oracle.c")],
        tmp_path / "program",
        flags,
    )
    _assert_exact(
        build, profiled(build, 2, [program]), profiled(build, 2, [program], collect=False)
    )
