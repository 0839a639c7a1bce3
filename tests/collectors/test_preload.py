"""Programs without MPI start as before, with the collector preloaded; it refers to nothing of the
MPI library."""

from __future__ import annotations

import os
import subprocess

import pytest

from mpi_builds import BUILDS

PROGRAMS = (
    ["/bin/true"],
    ["/bin/sh", "-c", "exec /bin/true"],
    ["/bin/sh", "-c", "echo word | cat > /dev/null"],
)


@pytest.mark.parametrize("now", ("", "1"), ids=("lazy", "bind-now"))
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_programs_without_mpi_start(build, now, collector):
    environment = {**os.environ, "LD_PRELOAD": collector(build), "LD_BIND_NOW": now}
    for words in PROGRAMS:
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", ""), words


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_nothing_of_the_library_is_referred_to(build, collector):
    symbols = subprocess.run(
        ["nm", "-D", "--undefined-only", collector(build)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "mpi" not in symbols.lower()
    needed = subprocess.run(
        ["readelf", "-d", collector(build)], capture_output=True, text=True, check=True
    ).stdout
    assert [
        line for line in needed.splitlines() if "NEEDED" in line and "libc.so" not in line
    ] == []


FORTRAN = {
    name
    for call in ("waitall", "waitany", "waitsome", "testall", "testany", "testsome")
    for name in (
        *(f"{start}_{call}{end}" for start in ("mpi", "pmpi") for end in ("", "_", "__")),
        f"ompi_{call}_f",
    )
}
"""What Fortran calls where Open MPI's layer does not always come to C (pmpi/wrap/fortran_empty.c).
"""


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_only_mpi_names_are_exported_and_each_twice(build, collector):
    lines = subprocess.run(
        ["nm", "-D", "--defined-only", collector(build)], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    names = {line.split()[-1] for line in lines}
    plain = {name for name in names if name.startswith("MPI_")}
    # prctl: by it a program says that it will restrict itself (core/counting/run_delay.c).
    assert names == plain | {"P" + name for name in plain} | {"prctl"} | (
        FORTRAN if "ompi" in build.name else set()
    )
    assert len(plain) > 300
