"""Which MPI a program uses, told without running it; and the compiler wrapper of that MPI."""

from __future__ import annotations

import os
import shutil

import pytest
from mpi_builds import BUILDS, compile_program, environment, find, require, require_program

from advisor.launching.collector import compilers
from advisor.launching.target import needed_libraries
from advisor.launching.target.library_of import launcher_library, library_of, locate, with_version

SOURCE = (
    "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); return MPI_Finalize(); }\n"
)
EXPECTED = {
    "ompi4": ("openmpi", "openmpi", "4."),
    "mpich4": ("mpich", "mpich", "4."),
    "ompi5": ("openmpi", "openmpi", "5."),
    "mpich5": ("mpich", "mpich", "5."),
    "impi": ("intel", "mpich", "2021."),
}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """build → a small program compiled with it."""
    folder = tmp_path_factory.mktemp("small")
    (folder / "m.c").write_text(SOURCE)
    return lambda build: compile_program(
        require(build), "c", [folder / "m.c"], folder / f"m-{build.name}"
    )


def reported(library):
    return (library.name, library.family, library.version)


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_a_compiled_program(build, program):
    use = library_of(program(build), [], environment(build), None)
    name, family, version = reported(with_version(use.library, environment(build)))
    assert (use.how, name, family) == ("needs", *EXPECTED[build.name][:2])
    assert version.startswith(EXPECTED[build.name][2])


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_the_launchers_own_library_decides_for_python(build):
    require(build)
    own = launcher_library(build.launcher[0], environment(build))
    use = library_of(shutil.which("python3"), ["x.py"], environment(build), own)
    assert (use.how, use.library.name) == ("launcher", EXPECTED[build.name][0])


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_the_compiler_wrapper_is_the_one_that_built_it(build, program):
    use = library_of(program(build), [], environment(build), None)
    compiler = compilers.compiler_for(use.library, build.launcher[0], environment(build))
    assert os.path.realpath(compiler.path) == os.path.realpath(shutil.which(build.mpicc))
    assert compiler.version.startswith(EXPECTED[build.name][2])


@pytest.mark.parametrize(
    "script", ["exec PROGRAM in.txt\n", "cd /\nulimit -s unlimited && PROGRAM < in > out\n"]
)
def test_a_script_that_starts_it(script, program, tmp_path):
    build = find("mpich4")
    path = tmp_path / "job.sh"
    path.write_text("#!/bin/sh\n# " + "x" * 50 + "\n" + script.replace("PROGRAM", program(build)))
    path.chmod(0o755)
    for words in (
        [str(path)],
        ["/bin/sh", str(path)],
        ["/bin/sh", "-c", script.replace("PROGRAM", program(build))],
    ):
        use = library_of(words[0], words[1:], environment(build), None)
        assert (use.how, use.library.name) == ("starts", "mpich")


def test_pw_uses_open_mpi_through_other_libraries():
    path = require_program("pw.x")
    assert library_of(path, [], dict(os.environ), None).library.name == "openmpi"


def test_the_loader_is_followed_as_it_searches(tmp_path):
    """A run path wins over LD_LIBRARY_PATH only if it is the old kind."""
    import subprocess

    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.c").write_text("int x(void) { return 0; }\n")
        subprocess.run(
            [
                "cc",
                "-shared",
                "-o",
                tmp_path / folder / "libx.so",
                "-Wl,-soname,libx.so",
                tmp_path / folder / "x.c",
            ],
            check=True,
        )
    (tmp_path / "m.c").write_text("int x(void); int main(void) { return x(); }\n")
    for kind, expected in (("--enable-new-dtags", "two"), ("--disable-new-dtags", "one")):
        subprocess.run(
            [
                "cc",
                tmp_path / "m.c",
                "-o",
                tmp_path / "m",
                f"-L{tmp_path}/one",
                "-lx",
                f"-Wl,-rpath,{tmp_path}/one,{kind}",
            ],
            check=True,
        )
        found = needed_libraries.find_needed(
            str(tmp_path / "m"),
            lambda name: name == "libx.so",
            {"LD_LIBRARY_PATH": str(tmp_path / "two")},
        )
        assert list(found) == [("libx.so", str(tmp_path / expected / "libx.so"))]


def test_a_program_is_looked_for_where_the_ranks_start(tmp_path):
    (tmp_path / "app").write_text("#!/bin/sh\n")
    (tmp_path / "app").chmod(0o755)
    assert locate("./app", {}, directory=str(tmp_path)) == f"{tmp_path}/./app"
    assert (
        locate("app", {"PATH": "/usr/bin"}, from_directory=True, directory=str(tmp_path))
        == f"{tmp_path}/app"
    )
    assert locate("app", {"PATH": "/usr/bin"}, directory=str(tmp_path)) is None
