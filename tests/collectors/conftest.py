"""Small programs compiled once for each library."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict

import pytest

from mpi_builds import Build, compile_program, require

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def program(tmp_path_factory) -> Callable[[Build, str], str]:
    """(build, name of a C source in this folder) → path of the program."""
    made: Dict = {}

    def get(build: Build, name: str) -> str:
        if (build.name, name) not in made:
            folder = tmp_path_factory.mktemp("program-" + build.name)
            made[build.name, name] = compile_program(
                require(build), "c", [HERE / name], folder / pathlib.Path(name).stem, ["-pthread"]
            )
        return made[build.name, name]

    return get
