"""The root of a broadcast, and who sends in a gather: they stay until their data is taken."""

from __future__ import annotations

import pytest

from advisor.intake.read import read
from lost_cores import agrees, lost_inside_calls
from mpi_builds import BUILDS, preloaded, require, run

CALLS = {"bcast": "Bcast", "scatter": "Scatter", "gather": "Gather", "reduce": "Reduce"}
CALLS["short"] = "Bcast"


@pytest.mark.parametrize("how", CALLS)
@pytest.mark.parametrize("build", BUILDS, ids=str)
def test_givers(build, how, collector, program, tmp_path):
    """Against the program's own clock. Of two ranks the giver has nobody else to serve."""
    stayed, waits = run_of(build, 2, how, collector, program, tmp_path)
    assert stayed < 0.01 or how != "short" or build.name == "impi"
    assert agrees(waits, stayed, lost_inside_calls(tmp_path / "merged.profile"))


@pytest.mark.parametrize("how", ("bcast", "gather"))
@pytest.mark.parametrize(
    "build", [each for each in BUILDS if each.name in ("ompi4", "mpich")], ids=str
)
def test_of_several_takers_it_is_a_lower_bound(build, how, collector, program, tmp_path):
    """The giver may have served the others meanwhile."""
    stayed, waits = run_of(build, 3, how, collector, program, tmp_path)
    assert waits <= 1.05 * stayed + 0.004


def run_of(build, ranks, how, collector, program, tmp_path):
    """What the program says, and what the givers waited, which is put down to the takers."""
    require(build)
    words = [*preloaded(collector(build), tmp_path), program(build, "givers.c"), how]
    done = run(build, ranks, words)
    assert done.returncode == 0, done.stderr
    tables = read(tmp_path / "merged.profile").tables
    waits, delays = tables["waits"], tables["delays"]
    givers = waits["rank"] > 0 if how in ("gather", "reduce") else waits["rank"] == 0
    calls = (waits["operation"] == CALLS[how]) & givers
    assert waits["sampled"][calls].sum() == waits["calls"][calls].sum()
    waited = float(waits["wait"][calls].sum())
    takers = delays["rank"] == 0 if how in ("gather", "reduce") else delays["rank"] > 0
    assert float(delays["delay_cost"][takers].sum()) >= 0.9 * waited
    return float(done.stdout), waited
