"""The tests of mpi4py pass, fail and skip with the collector as they do without it.

ADVISOR_TEST_MPI4PY=all runs all of them under all builds on 1, 2 and 4 ranks, which takes more than
an hour on two cores; ADVISOR_TEST_MPI4PY=BUILD:RANKS one such case.
"""

from __future__ import annotations

import os
import secrets
from concurrent.futures import ThreadPoolExecutor
from typing import Callable, List, Sequence, Tuple

import pytest

from advisor import intake
from advisor.launching.run import rank_records
from mpi_builds import BUILDS, Build, find, preloaded, require_python

import suite

WISH = os.environ.get("ADVISOR_TEST_MPI4PY", "")
SLOW = (
    "test_datatype",
    "test_io",
    "test_spawn",
    "test_util_dtlib",
    "test_util_pool",
    "test_msgspec",
    "test_pack",
    "test_cco_ngh_buf",
    "test_cco_pr_ngh_buf",
)
"""Nine tenths of the time of all 70 modules, for a fifth of the tests."""
LOCAL = ("test_datatype", "test_util_dtlib")
"""Ask for nothing of another rank, and take more time than all others together: on one rank only.
"""
HANGS = {"mpich4": ("test_util_sync",)}
"""Without the collector as well, on more than one rank: in MPICH 4.0.2 a rank that waits elsewhere
makes no progress for a window's user."""
FOUR_RANKS = ("test_cco_obj", "test_comm", "test_p2p_obj", "test_win")
LOOKS = 3
Case = Tuple[Build, int, Tuple[str, ...]]


def cases() -> List[Case]:
    """Build, ranks and which tests."""
    if WISH == "all":
        return [complete(build, ranks) for build in BUILDS for ranks in (1, 2, 4)]
    if WISH:
        name, ranks = WISH.split(":")
        return [complete(find(name), int(ranks))]
    quick, few = tuple(f"-e{name}" for name in SLOW), tuple(f"-i{name}" for name in FOUR_RANKS)
    return [(find("ompi4"), 2, quick), (find("mpich5"), 4, few)]


def complete(build: Build, ranks: int) -> Case:
    """All tests that say something on so many ranks, and end."""
    return (
        build,
        ranks,
        () if ranks == 1 else tuple(f"-e{name}" for name in (*LOCAL, *HANGS.get(build.name, ()))),
    )


@pytest.fixture
def ways(collector, tmp_path) -> Callable[[Build, int], Tuple[suite.Way, suite.Way]]:
    """(build, ranks) → without and with the collector, each in folders of its own. What crashed
    ranks leave is removed."""
    made: List[str] = []

    def get(build: Build, ranks: int) -> Tuple[suite.Way, suite.Way]:
        made.append(secrets.token_hex(8))
        bare, profiled, parts = (
            tmp_path / f"{what}-{made[-1]}" for what in ("without", "with", "parts")
        )
        parts.mkdir()
        front = preloaded(collector(build), parts, f"ADVISOR_RUN={made[-1]}")
        limits = (1200, 25) if WISH else (150, 4)
        return suite.Way(build, ranks, (), bare, *limits), suite.Way(
            build, ranks, front, profiled, *limits
        )

    yield get
    for run in made:
        for record in rank_records.left_behind(run, os.environ):
            record.unlink()


def both(pair: Sequence[suite.Way], words: Sequence[str]) -> List[suite.Outcomes]:
    """Outcomes of both ways; at the same time where there are cores for both."""
    with ThreadPoolExecutor(max(1, min(2, (os.cpu_count() or 1) // pair[0].ranks))) as pool:
        return list(pool.map(lambda way: suite.outcomes(way, words), pair))


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case[0]}-{case[1]}")
def test_same_outcomes(case, ways):
    build, ranks, words = case
    require_python(build)
    pair = ways(build, ranks)
    looks = [both(pair, words)]
    tests = suite.differing(*looks[0])
    print(
        build,
        ranks,
        "without",
        suite.counts(looks[0][0]),
        "with",
        suite.counts(looks[0][1]),
        "differ at first",
        tests,
    )
    # Some tests are a matter of luck without us too: look again at those that differ.
    while tests and len(looks) < LOOKS:
        looks.append(both(ways(build, ranks), tests))
        tests = sorted(suite.never_alike(*zip(*looks), tests))
    assert suite.never_alike(*zip(*looks), tests) == {}
    assert counted(pair[1]) > 1000 * ranks


def counted(way: suite.Way) -> int:
    """Calls that the collector saw in the last launch."""
    parts = next(word.partition("=")[2] for word in way.front if word.startswith("ADVISOR_OUTPUT="))
    return int(intake.read(parts).tables["ranks"]["events"].sum())
