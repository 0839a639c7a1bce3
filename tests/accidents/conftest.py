"""Small programs and jobs whose leftovers are looked for."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict

import pytest
from jobs import Job
from mpi_builds import Build, compile_program, require

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def compiled(tmp_path_factory) -> Callable[..., str]:
    """(build, name of a C source in this folder, flags …) → path of the program."""
    made: Dict = {}

    def get(build: Build, name: str, *flags: str) -> str:
        key = (build.name, name, flags)
        if key not in made:
            folder = tmp_path_factory.mktemp(f"accident-{build.name}")
            made[key] = compile_program(
                require(build),
                "c",
                [HERE / name],
                folder / pathlib.Path(name).stem,
                ["-pthread", *flags],
            )
        return made[key]

    return get


@pytest.fixture
def job(collector, tmp_path) -> Callable[[Build], Job]:
    """build → a job with its collector, in a folder of its own. Afterwards nothing of it may be
    left elsewhere."""
    made = []

    def get(build: Build, name: str = "parts") -> Job:
        made.append(Job(build, collector(build), tmp_path / name))
        return made[-1]

    yield get
    assert [path for one in made for path in one.stale()] == []
