"""Waits on more communicators than the first tables hold."""

from __future__ import annotations

import pytest

from advisor.analysis.measure import measure
from advisor.intake.read import read
from mpi_builds import find, preloaded, require, run


def measured(how, count, collector, program, folder):
    """True wait in the reductions, all ranks together; the profile; its measures of them."""
    build, ranks = require(find("ompi4")), 2 if how != "lists" else 7
    done = run(
        build, ranks, [*preloaded(collector(build), folder), program(build, "crowd.c"), how, count]
    )
    assert done.returncode == 0, done.stderr
    profile = read(folder / "merged.profile")
    return float(done.stdout.split()[1]), profile, measure(profile)


@pytest.mark.parametrize("how, count", (("living", 5000), ("freed", 10000)))
def test_waits_on_many_communicators(how, count, collector, program, tmp_path):
    """Of 5000 that live at once, the last thousand were counted and not sampled. The first eight
    have rows of their own, of which not all are sampled."""
    true, profile, measures = measured(how, count, collector, program, tmp_path)
    waits = profile.tables["waits"]
    chosen = waits["operation"] == "Allreduce"
    table = measures.tables["operation"].columns
    row = list(table["name"].values).index("Allreduce")
    low, found, high = (
        2 * values[row] for values in (table["wait"].low, table["wait"].values, table["wait"].high)
    )
    assert waits["calls"][chosen].sum() >= 2 * (count - 8) and not [
        gap for gap in profile.gaps if gap.subject.startswith("waits.")
    ]
    assert low - 0.01 * true <= true <= high + 0.01 * true
    assert found == pytest.approx(true, rel=0.1)


def test_what_is_not_sampled_is_said(collector, program, tmp_path):
    """More lists of members than are told apart: a gap, a share that the rule on full tables reads,
    and an upper end that has their time."""
    true, profile, measures = measured("lists", 1400, collector, program, tmp_path)
    assert "waits.communicators" in {gap.subject for gap in profile.gaps}
    reported = measures.tables["run"].row(0)
    assert reported["overflowed_share"] > 0.01
    wait = measures.tables["run"].columns["wait_time"]
    assert wait.low[0] <= true / 7 <= wait.high[0]
