"""Real programs: the profile's calls are those that an independent counter of C and Fortran names
sees in the same run."""

from __future__ import annotations

import collections
import json
import pathlib
import platform
import re
import shutil
import subprocess

import pytest

import judging
from mpi_builds import REPOSITORY, environment, find, require, require_program

HERE = pathlib.Path(__file__).resolve().parent
INPUTS = REPOSITORY / "samples" / "inputs"
_SYMBOL = re.compile(r" [TW] (MPI_[A-Z][a-z]\w*|mpi_\w+_)(?:@|$)", re.MULTILINE)


@pytest.fixture(scope="module")
def counter(tmp_path_factory):
    """Path of the counting library for Debian's Open MPI, which its programs use."""
    build = require(find("ompi4"))
    if platform.machine() != "x86_64" or not shutil.which("nm"):
        pytest.skip("the counter is written for x86-64 and needs nm")
    folder = tmp_path_factory.mktemp("counter")
    names = sorted(
        {
            name
            for library in _libraries()
            for name in _SYMBOL.findall(_run("nm", "-D", "--defined-only", library))
        }
    )
    (folder / "names.h").write_text(
        "".join(f"DOOR({name})\n" for name in names if not name.startswith(("MPI_T_", "mpi_t_")))
    )
    _run(
        "cc",
        "-shared",
        "-fPIC",
        "-O1",
        f"-I{folder}",
        str(HERE / "count_calls.c"),
        "-o",
        str(folder / "counter.so"),
        "-ldl",
        env=environment(build),
    )
    return folder / "counter.so"


def _run(*words, env=None):
    done = subprocess.run(words, capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def _libraries():
    """The C and Fortran libraries that pw.x is linked with."""
    return re.findall(r"=> (\S*libmpi(?:_mpifh)?\.so\S*)", _run("ldd", require_program("pw.x")))


def _operation(name):
    """MPI_Comm_split and mpi_comm_split_ are one operation; the Fortran name has lost its
    capitals."""
    return re.sub(r"^mpi_|_f08_$|_$", "", name.lower())


def _counted(folder):
    table = collections.Counter()
    for path in folder.glob("*.json"):
        content = json.loads(path.read_text())
        for name, count in content["names"].items():
            table[content["rank"], _operation(name)] += count
    return table


def _profiled(ran):
    table = collections.Counter()
    for (rank, operation), calls in ran.seen.items():
        table[rank, operation.lower()] += calls.count
    return table


def _compare(ran, counts, least):
    skipped = {name.lower() for name in judging.NOT_ROWS}
    truth = {
        key: count
        for key, count in _counted(counts).items()
        if key[1] not in skipped and not judging.LEFT_ALONE.fullmatch(key[1].capitalize())
    }
    profile = dict(_profiled(ran))
    lines = [
        f"{name:20} rank {rank}: counted {truth.get((rank, name), 0)}, profile says"
        f" {profile.get((rank, name), 0)}"
        for rank, name in sorted({*truth, *profile}, key=lambda key: key[::-1])
        if truth.get((rank, name)) != profile.get((rank, name))
    ]
    assert not lines, "\n".join(lines)
    assert sum(truth.values()) > least


@pytest.fixture
def counted(counter, profiled, tmp_path):
    """Run a program under counter and collector, in that order, and compare."""

    def run(words, least):
        counts = tmp_path / "counts"
        counts.mkdir()
        ran = profiled(
            find("ompi4"), 2, words, preload=str(counter), extra={"COUNT_CALLS": str(counts)}
        )
        _compare(ran, counts, least)
        return ran.stdout

    return run


def test_quantum_espresso(counted, tmp_path):
    """One k-point instead of eight, fewer waves: the same calls through mpif.h and, from ScaLAPACK,
    through C, in less time."""
    text = (
        (INPUTS / "si8.scf.in")
        .read_text()
        .replace("2 2 2 0 0 0", "1 1 1 0 0 0")
        .replace("ecutwfc = 30.0", "ecutwfc = 12.0")
    )
    (tmp_path / "si8.scf.in").write_text(text.replace("'./out'", f"'{tmp_path}/out'"))
    out = counted([require_program("pw.x"), "-in", tmp_path / "si8.scf.in"], least=2000)
    assert "JOB DONE." in out and "convergence has been achieved" in out


@pytest.mark.parametrize("name", ("in.lj.small", "in.lj.imbalanced"))
def test_lammps(name, counted, tmp_path):
    (tmp_path / name).write_text(
        re.sub(r"^run +400", "run 100", (INPUTS / name).read_text(), flags=re.MULTILINE)
    )
    out = counted([require_program("lmp"), "-log", "none", "-in", tmp_path / name], least=1000)
    assert "Total wall time" in out
