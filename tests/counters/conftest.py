"""The collector as `advisor run` keeps it, and a program of this folder run under it."""

from __future__ import annotations

import pathlib
from typing import Callable

import pytest

from advisor import intake
from advisor.launching.collector import by_hand
from advisor.model.profile import Profile
from mpi_builds import Build, compile_program, environment, find, require, run

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def profiled(tmp_path_factory) -> Callable[..., Profile]:
    """(C source, its words, variables) → profile of it on two ranks of Open MPI 4."""
    build: Build = find("ompi4")
    programs = {}

    def profile(source: str, words, variables, ranks: int = 2) -> Profile:
        collector = by_hand(require(build).mpicc, None, environment(build), print)
        folder = tmp_path_factory.mktemp("counted")
        if source not in programs:
            programs[source] = compile_program(build, "c", [HERE / source], folder / "program", ["-O1", "-g"])
        settings = {"LD_PRELOAD": collector, "ADVISOR_OUTPUT": folder, "ADVISOR_RUN": "counters", **variables}
        done = run(build, ranks, ["env", *(f"{name}={value}" for name, value in settings.items()), programs[source], *map(str, words)])
        assert (done.returncode, done.stderr) == (0, "")
        return intake.read(folder)

    return profile
