"""Every MPI call, made a known number of times with known bytes, is in the profile exactly so."""

from __future__ import annotations

import re

import pytest

import judging
from mpi_builds import BUILDS, require


def _compare(profiled, build, ranks, words):
    """The program prints the same with and without collector, and the profile agrees with the program."""
    bare = profiled(build, ranks, words, collect=False)
    ran = profiled(build, ranks, words)
    lines = judging.differences(ran.expected, ran.seen)
    assert not lines, f"{build.name}, {ranks} ranks: {len(lines)} differences\n" + "\n".join(lines)
    assert ran.stdout == bare.stdout
    return ran


@pytest.mark.parametrize("ranks", (2, 4))
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_every_call_is_counted_once_with_its_bytes(build, ranks, oracle, profiled):
    ran = _compare(profiled, build, ranks, [oracle(require(build))])
    assert len({operation for _, operation in ran.expected}) > 300


@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_calls_with_large_counts_are_counted_under_the_same_names(build, available, oracle, profiled):
    has = re.search(r"#define HAVE_Send_c (\d)", (available(require(build)) / "available.h").read_text())
    if has.group(1) == "0":
        pytest.skip(f"{build.name} has no calls with large counts (no MPI_Send_c)")
    _compare(profiled, build, 2, [oracle(build, large=True)])
