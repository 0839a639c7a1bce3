"""A program that knows how long its ranks had no core, beside what the collector says of it."""

from __future__ import annotations

import re
from typing import Callable, Dict, NamedTuple, Tuple

import pytest

from advisor.intake.read import read
from mpi_builds import REPOSITORY, Build, compile_program, require, run

_LINE = re.compile(r"rank (\d+) inside (\S+) (\S+) (\S+) outside (\S+) (\S+) (\S+)")


class Truth(NamedTuple):
    """Seconds of one rank, by its own readings around every call."""

    no_core_inside: float
    no_core_outside: float
    asleep_inside: float
    asleep_outside: float
    time: float


def _truth(match: re.Match) -> Tuple[int, Truth]:
    inside, run_inside, delay_inside, outside, run_outside, delay_outside = (
        float(match.group(number)) for number in range(2, 8)
    )
    return int(match.group(1)), Truth(
        delay_inside,
        delay_outside,
        inside - run_inside - delay_inside,
        outside - run_outside - delay_outside,
        inside + outside,
    )


@pytest.fixture
def known(collector, tmp_path) -> Callable:
    """(build, how, steps, rivals) → what each rank knows, and the profile."""

    def get(
        build: Build,
        how: str,
        steps: int,
        *front: str,
        rivals: str = "",
        helper: str = "",
        forget: str = "",
        ranks: int = 2,
    ):
        require(build)
        program = compile_program(
            build,
            "c",
            [REPOSITORY / "tests" / "no_core" / "known.c"],
            tmp_path / "known",
            ["-O1", "-pthread"],
        )
        folder = tmp_path / how
        folder.mkdir()
        settings = [
            f"LD_PRELOAD={collector(build)}",
            f"ADVISOR_OUTPUT={folder}",
            "ADVISOR_RUN=known",
            *(
                f"{name}={value}"
                for name, value in (("RIVALS", rivals), ("HELPER", helper), ("FORGET", forget))
                if value
            ),
        ]
        done = run(build, ranks, [*front, "env", *settings, program, how, steps])
        assert done.returncode == 0, done.stderr
        truth: Dict[int, Truth] = dict(_truth(match) for match in _LINE.finditer(done.stdout))
        assert len(truth) == ranks
        return truth, read(folder)

    return get
