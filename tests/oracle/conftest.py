"""One collector and one set of compiled programs per library and test run."""

from __future__ import annotations

import pathlib
import secrets
import subprocess
import sys
from typing import Callable, Dict, Mapping, NamedTuple, Sequence

import pytest

import features
import judging
from mpi_builds import REPOSITORY, Build, compile_program, environment, require, run

HERE = pathlib.Path(__file__).resolve().parent
# Programs of their own, or no part of the oracle.
_APART = ("count_calls.c", "sessions_only.c")


class Ran(NamedTuple):
    """One launch of a program. `expected`: its own table; `seen`: the profile's, empty without collector."""

    stdout: str
    expected: judging.Table
    seen: judging.Table
    parts: pathlib.Path


@pytest.fixture(scope="session")
def collector(tmp_path_factory) -> Callable[[Build], str]:
    """Path of the collector for a build; made at the first call for it."""
    made: Dict[str, str] = {}

    def get(build: Build) -> str:
        require(build)
        if build.name not in made:
            path = str(tmp_path_factory.mktemp(f"collector-{build.name}") / "collector.so")
            words = [str(REPOSITORY / "collectors" / "build.sh"), build.mpicc, path]
            done = subprocess.run(words, env=environment(build, {"PYTHON": sys.executable}), capture_output=True, text=True)
            assert done.returncode == 0, f"{build.name}: {' '.join(words)}\n{done.stderr}"
            made[build.name] = path
        return made[build.name]

    return get


@pytest.fixture(scope="session")
def available(tmp_path_factory) -> Callable[[Build], pathlib.Path]:
    """Folder with available.h for a build: which calls its library has."""
    made: Dict[str, pathlib.Path] = {}

    def get(build: Build) -> pathlib.Path:
        if build.name not in made:
            folder = tmp_path_factory.mktemp(f"available-{build.name}")
            names = features.names([*HERE.glob("*.c"), HERE / "oracle.h"])
            folder.joinpath("available.h").write_text(features.header(features.probe([require(build).mpicc], names, folder, environment(build))))
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
            flags = ["-O0", "-std=gnu11", "-pthread", "-Wno-deprecated-declarations", f"-I{folder}", f"-I{HERE}", *(["-DLARGE"] if large else [])]
            made[build.name, large] = compile_program(build, "c", sources, folder / ("large" if large else "small"), flags)
        return made[build.name, large]

    return get


@pytest.fixture
def profiled(collector, tmp_path) -> Callable[..., Ran]:
    """Launch with the collector, or bare: profiled(build, ranks, words, collect=True, extra={})."""

    def launch(build: Build, ranks: int, words: Sequence, collect: bool = True, extra: Mapping[str, str] = {}) -> Ran:
        own, parts = (tmp_path / f"{name}-{secrets.token_hex(3)}" for name in ("own", "parts"))
        own.mkdir()
        parts.mkdir()
        front = [f"LD_PRELOAD={collector(build)}", f"ADVISOR_OUTPUT={parts}", f"ADVISOR_RUN={secrets.token_hex(8)}"] if collect else []
        done = run(build, ranks, ["env", *front, f"ORACLE_OUTPUT={own}", *words], extra)
        assert done.returncode == 0, f"{build.name} {ranks} ranks {words}: exit code {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"
        return Ran(done.stdout, judging.expected(own), judging.seen(parts) if collect else {}, parts)

    return launch
