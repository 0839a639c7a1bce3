"""Receives of which few are long, and calls that complete them: all of them are looked at, not
only those that a sample happens to meet."""

from __future__ import annotations

import pytest

from advisor.analysis.derived.profile_view import ProfileView
from advisor.analysis.engine.metric import QualityTracker
from advisor.intake.read import read
from mpi_builds import find, preloaded, require, run

LOAD = 0.5
"""Of the time in which the receiver did not wait: where others take the cores, it stands still in
receives that have their message, and for some of these nothing tells."""


@pytest.mark.parametrize(
    "name, operation",
    (
        ("ompi4", "Recv"),
        ("mpich4", "Recv"),
        ("ompi4", "Sendrecv"),
        ("ompi4", "Wait"),
        ("mpich4", "Wait"),
        ("mpich4", "Waitall"),
    ),
)
def test_rare_long_receives_waited(name, operation, collector, program, tmp_path):
    """15 ms in 1 of 3000: a sample of 1 in 50 met none of 20, half of their time was taken for
    transfer, in an interval from nothing to all."""
    build = require(find(name))
    line = [
        *preloaded(collector(build), tmp_path),
        program(build, "rare.c"),
        "late",
        operation,
        "3000",
        "60000",
    ]
    done = run(build, 2, line)
    assert done.returncode == 0, done.stderr
    true, time, calls = (float(word) for word in done.stdout.split()[1::2])
    assert calls >= 19
    profile = read(tmp_path / "merged.profile")
    waits = profile.tables["waits"]
    row = [
        name == operation and rank == 1 for name, rank in zip(waits["operation"], waits["rank"])
    ].index(True)
    reported = ProfileView(profile, QualityTracker()).sampled
    found, half = reported.wait[row], 2 * reported.error[row]
    assert abs(found - true) <= 0.05 * true + LOAD * (time - true)
    assert half <= 0.05 * true + (time - true)
    assert abs(found - true) <= half + 0.01 * true
