"""Senders of long messages that are blocked until their receiver is there."""

from __future__ import annotations

import pytest

from advisor.intake.read import read
from lost_cores import agrees, lost_inside_calls
from mpi_builds import BUILDS, preloaded, require, run


@pytest.mark.parametrize("how", ("progress", "between", "exchange", "short"))
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_blocked_senders(build, how, collector, program, tmp_path):
    """Against the program's own clock, by which a message counts that had not been sent when its
    receiver came. Whether long ones had is the library's affair; short ones had."""
    require(build)
    words = [*preloaded(collector(build), tmp_path), program(build, "blocked_senders.c"), how]
    done = run(build, 2, words)
    assert done.returncode == 0, done.stderr
    profile = tmp_path / "merged.profile"
    waits = read(profile).tables["waits"]
    sends = (waits["rank"] == 0) & (
        waits["operation"] == ("Sendrecv" if how == "exchange" else "Send")
    )
    assert waits["sampled"][sends].sum() == waits["calls"][sends].sum() == 60
    blocked = float(done.stdout)
    # Intel MPI has room for such messages in shared memory.
    assert blocked > 0.01 or how == "short" or build.name == "impi"
    assert agrees(float(waits["wait"][sends].sum()), blocked, lost_inside_calls(profile))
