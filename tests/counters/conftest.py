"""The collector as `advisor run` keeps it, and a program of this folder run under it."""

from __future__ import annotations

import pathlib
from typing import Callable, Dict, List, Tuple

import pytest

from advisor import intake
from advisor.launching.collector.build import by_hand
from advisor.model.profile import Profile
from mpi_builds import (
    Build,
    compile_program,
    environment,
    find,
    python_environment,
    require,
    require_python,
    run,
)

HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="session")
def profiled(tmp_path_factory) -> Callable[..., Profile]:
    """(C or Python source, its words, variables, options of the compiler) → profile of it on two
    ranks of Open MPI 4, call sites named."""
    build: Build = find("ompi4")
    programs: Dict[Tuple[str, ...], List] = {}

    def started(source: str, options) -> List:
        key = (source, *options)
        if key not in programs and source.endswith(".py"):
            programs[key] = [require_python(build), HERE / source]
        elif key not in programs:
            program = tmp_path_factory.mktemp("program") / pathlib.Path(source).stem
            programs[key] = [
                compile_program(build, "c", [HERE / source], program, ["-O1", *options])
            ]
        return programs[key]

    def profile(source: str, words, variables, options=("-g",)) -> Profile:
        collector = by_hand(require(build).mpicc, None, environment(build), print)
        folder = tmp_path_factory.mktemp("counted")
        settings = {
            "LD_PRELOAD": collector,
            "ADVISOR_OUTPUT": folder,
            "ADVISOR_RUN": "counters",
            **variables,
        }
        line = [
            *(f"{name}={value}" for name, value in settings.items()),
            *started(source, options),
            *words,
        ]
        done = run(
            build,
            2,
            ["env", *map(str, line)],
            python_environment(build) if source.endswith(".py") else None,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return intake.resolve(intake.read(folder))

    return profile
