"""One set of compiled programs per library and test run, and what one launch of them counted."""

from __future__ import annotations

import hashlib
import os
import pathlib
import secrets
from typing import Callable, Dict, Mapping, NamedTuple, Sequence

import pytest

import features
import judging
from advisor.launching.run import rank_records
from mpi_builds import FORTRAN, WHEELS, Build, compile_program, environment, require, run

HERE = pathlib.Path(__file__).resolve().parent
# Programs of their own, or no part of the oracle.
_APART = ("count_calls.c", "sessions_only.c")


class Ran(NamedTuple):
    """One launch of a program. `expected`: its own table; `seen`: the profile's, empty without
    collector."""

    stdout: str
    expected: judging.Table
    seen: judging.Table
    parts: pathlib.Path


def _kept(
    build: Build, name: str, sources: pathlib.Path, make: Callable[[pathlib.Path], None]
) -> pathlib.Path:
    """What `make` makes of all files in `sources`, kept from one test run to the next while these
    files stay as they are."""
    digest = hashlib.sha256(build.mpicc.encode())
    for path in sorted(
        path for path in sources.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ):
        digest.update(path.name.encode() + path.read_bytes())
    folder = WHEELS / "made" / f"{build.name}-{digest.hexdigest()[:20]}"
    if not (folder / name).exists():
        for old in (WHEELS / "made").glob(f"{build.name}-*/{name}"):
            old.unlink()
        folder.mkdir(parents=True, exist_ok=True)
        temporary = folder / f"{secrets.token_hex(4)}-{name}"
        make(temporary)
        temporary.rename(folder / name)
    return folder / name


@pytest.fixture(scope="session")
def available(tmp_path_factory) -> Callable[[Build], pathlib.Path]:
    """Folder with available.h for a build: which calls its library has."""
    made: Dict[str, pathlib.Path] = {}

    def get(build: Build) -> pathlib.Path:
        if build.name not in made:
            folder = tmp_path_factory.mktemp(f"available-{build.name}")
            names = features.names([*HERE.glob("*.c"), HERE / "oracle.h"])
            folder.joinpath("available.h").write_text(
                features.header(
                    features.probe([require(build).mpicc], names, folder, environment(build))
                )
            )
            made[build.name] = folder
        return made[build.name]

    return get


@pytest.fixture(scope="session")
def oracle(available) -> Callable[..., str]:
    """Path of the C oracle for a build, with small or large counts."""
    made: Dict[tuple, str] = {}

    def get(build: Build, large: bool = False) -> str:
        folder = available(build)
        if (build.name, large) not in made:
            sources = sorted(path for path in HERE.glob("*.c") if path.name not in _APART)
            flags = [
                "-O0",
                "-std=gnu11",
                "-pthread",
                "-Wno-deprecated-declarations",
                f"-I{folder}",
                f"-I{HERE}",
                *(["-DLARGE"] if large else []),
            ]
            path = _kept(
                build,
                "large" if large else "small",
                HERE,
                lambda path: compile_program(build, "c", sources, path, flags),
            )
            made[build.name, large] = str(path)
        return made[build.name, large]

    return get


@pytest.fixture(scope="session")
def table(available) -> Callable[..., str]:
    """Object files of the oracle's table, for programs of other languages; `source`: oracle.c or
    fortran/table.c."""

    def get(build: Build, source: str) -> str:
        folder = available(build)
        out = folder / (pathlib.Path(source).stem + ".o")
        return (
            str(out)
            if out.exists()
            else compile_program(
                build, "c", [HERE / source], out, ["-c", "-O0", f"-I{folder}", f"-I{HERE}"]
            )
        )

    return get


@pytest.fixture(scope="session")
def fortran(table, tmp_path_factory) -> Callable[[Build, str], str]:
    """Path of the Fortran oracle for a build and one binding of FORTRAN."""

    def get(build: Build, binding: str) -> str:
        out = tmp_path_factory.mktemp("fortran") / "oracle"
        flags = [
            f"-D{('F77', 'F90', 'F08')[FORTRAN.index(binding)]}",
            "-O0",
            "-cpp",
            "-ffree-line-length-none",
            "-fallow-argument-mismatch",
            f"-I{HERE / 'fortran'}",
        ]
        sources = [
            *sorted((HERE / "fortran").glob("*.F90")),
            table(build, "oracle.c"),
            table(build, "fortran/table.c"),
        ]
        return compile_program(build, binding, sources, out, flags)

    return get


@pytest.fixture
def profiled(collector, tmp_path) -> Callable[..., Ran]:
    """Launch with the collector, or bare: profiled(build, ranks, words, collect=True, extra={}).
    `preload`: a library to load before the collector."""

    def launch(
        build: Build,
        ranks: int,
        words: Sequence,
        collect: bool = True,
        extra: Mapping[str, str] = {},
        preload: str = "",
    ) -> Ran:
        own, parts = (tmp_path / f"{name}-{secrets.token_hex(3)}" for name in ("own", "parts"))
        own.mkdir()
        parts.mkdir()
        name = secrets.token_hex(8)
        front = (
            [
                f"LD_PRELOAD={preload}:{collector(build)}".replace("=:", "="),
                f"ADVISOR_OUTPUT={parts}",
                f"ADVISOR_RUN={name}",
            ]
            if collect
            else []
        )
        try:
            done = run(build, ranks, ["env", *front, f"ORACLE_OUTPUT={own}", *words], extra)
        finally:
            rank_records.moved(list(rank_records.left_behind(name, os.environ)), parts)
        assert done.returncode == 0, (
            f"{build.name} {ranks} ranks {words}: exit code"
            f" {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        )
        assert not collect or any(parts.iterdir()), (
            f"{build.name} {ranks} ranks {words}: neither profile nor record\n{done.stderr[-4000:]}"
        )
        return Ran(
            done.stdout, judging.expected(own), judging.seen(parts) if collect else {}, parts
        )

    return launch
