"""Small programs and jobs whose leftovers are looked for."""

from __future__ import annotations

import pathlib
from typing import Callable

import pytest
from jobs import Job
from mpi_builds import Build, compiling

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def compiled(tmp_path_factory) -> Callable[..., str]:
    """(build, name of a C source in this folder, flags …) → path of the program."""
    return compiling(tmp_path_factory.mktemp("accidents"), HERE, "-pthread")


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
