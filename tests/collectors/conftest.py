"""The collector for each library, built once, and small programs compiled beside it."""

from __future__ import annotations

import pathlib
import subprocess
import sys
from typing import Callable, Dict

import pytest

from mpi_builds import REPOSITORY, Build, compile_program, environment, require

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def collector(tmp_path_factory) -> Callable[[Build], str]:
    """build → path of its collector."""
    made: Dict[str, str] = {}

    def get(build: Build) -> str:
        require(build)
        if build.name not in made:
            path = str(tmp_path_factory.mktemp("collector-" + build.name) / "collector.so")
            words = [str(REPOSITORY / "collectors" / "build.sh"), build.mpicc, path]
            done = subprocess.run(words, env=environment(build, {"PYTHON": sys.executable}), capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            made[build.name] = path
        return made[build.name]

    return get


@pytest.fixture(scope="session")
def program(tmp_path_factory) -> Callable[[Build, str], str]:
    """(build, name of a C source in this folder) → path of the program."""
    made: Dict = {}

    def get(build: Build, name: str) -> str:
        if (build.name, name) not in made:
            folder = tmp_path_factory.mktemp("program-" + build.name)
            made[build.name, name] = compile_program(require(build), "c", [HERE / name], folder / pathlib.Path(name).stem, ["-pthread"])
        return made[build.name, name]

    return get
