"""Who waited for locks: the collector, which chose slices of time while the job ran, says what the
trace of the same run says, in which every call is."""

from __future__ import annotations

from collections import defaultdict

import pytest
from mpi_builds import compile_program, find, require

from advisor.intake import read

from .test_real_traces import BUILDS, HERE, RANKS, traced

EPOCHS = 60


def waits(profile):
    """(rank, operation) → seconds waited in calls that lock one rank, or unlock it."""
    found, table = defaultdict(float), profile.tables["waits"]
    for rank, operation, wait in zip(
        *(table[name].tolist() for name in ("rank", "operation", "wait"))
    ):
        if operation in ("Win_lock", "Win_unlock"):
            found[rank, operation] += wait
    return dict(found)


@pytest.mark.parametrize("name", BUILDS)
@pytest.mark.parametrize("how", ("mixed", "late"))
def test_the_trace_has_the_same_waits(name, how, tmp_path):
    build = require(find(name))
    program = compile_program(
        build, "c", [HERE.parent / "waits" / "locks.c"], tmp_path / "locks", ["-w"]
    )
    result, said = traced(build, program, tmp_path / "result", how, EPOCHS)
    anchor = result / "trace" / "traces.otf2"
    assert anchor.exists(), said
    measured, seen = waits(read(str(result))), waits(read(str(anchor)))
    assert set(measured) == set(seen) and len(seen) == 2 * RANKS
    for key, seconds in seen.items():
        assert measured[key] == pytest.approx(seconds, abs=1e-8 * EPOCHS), key
    assert how == "late" or sum(seen.values()) > 1e-3
