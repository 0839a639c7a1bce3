"""The collector as `advisor run` keeps it, and the programs of this folder."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict

import pytest

from advisor.launching.collector import by_hand
from mpi_builds import Build, compile_program, environment, require

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def collector() -> Callable[[Build], str]:
    """build → path of its collector; from the cache that other tests fill as well."""
    made: Dict[str, str] = {}

    def get(build: Build) -> str:
        if build.name not in made:
            made[build.name] = str(by_hand(require(build).mpicc, None, environment(build), print))
        return made[build.name]

    return get


@pytest.fixture(scope="session")
def program(tmp_path_factory) -> Callable[[Build, str], str]:
    """(build, name of a C source in this folder) → path of the program."""
    made: Dict = {}

    def get(build: Build, name: str) -> str:
        if (build.name, name) not in made:
            folder = tmp_path_factory.mktemp("waits-" + build.name)
            made[build.name, name] = compile_program(require(build), "c", [HERE / name], folder / pathlib.Path(name).stem, ["-O2"])
        return made[build.name, name]

    return get
