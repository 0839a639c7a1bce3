"""What a report makes of time without a core: computing, balance and transfer are those of the
program, and what was lost stands first."""

from __future__ import annotations

import os

import pytest

from advisor.advice import judge, load_rules
from advisor.analysis.measure import measure
from advisor.base import resource_paths
from advisor.reports import compose
from advisor.reports.composing.whole_run import NO_ROW
from mpi_builds import find

STEPS, STEP = 40, 0.02
"""Each rank computes for so long in each step, by its CPU time: 0.8 s in all."""


@pytest.fixture(autouse=True)
def two_cores():
    if len(os.sched_getaffinity(0)) < 2:
        pytest.skip("two ranks on cores of their own need two cores")


def cells(measures, name):
    table, _, column = name.partition(".")
    return measures.tables[table].columns[column]


@pytest.mark.parametrize("name", ("ompi4", "mpich5"))
def test_computing_is_what_the_program_computed(name, known):
    """Rank 0 has a quarter of its core at most, rank 1 half: that is no imbalance of the program,
    and what rank 1 waits is for lack of a core."""
    _, profile = known(find(name), "compute", STEPS, rivals="0:3,1:1")
    measures = measure(profile)
    assert cells(measures, "rank.useful_time").values.tolist() == pytest.approx(
        [STEPS * STEP] * 2, rel=0.1, abs=0.03
    )
    assert cells(measures, "run.load_balance").values[0] > 0.9
    assert cells(measures, "run.wait_time").low[0] < 0.05
    assert cells(measures, "run.transfer_time").low[0] < 0.05
    assert (
        cells(measures, "run.wait_by_no_core").values[0]
        > 0.5 * cells(measures, "run.wait_time").values[0]
    )


def test_it_stands_first(known):
    _, profile = known(find("ompi4"), "compute", STEPS, rivals="0:3,1:3")
    advice = judge(measure(profile), load_rules([resource_paths.rules()]))
    screen = compose(advice).screen
    node = profile.nodes[0].name
    assert screen.verdict.startswith("Ranks had no core for") and screen.verdict.endswith(
        # the second where no control group says whether a quota held them back
        (
            f"other processes used the cores of {node}.",
            f"other processes or a quota took the cores of {node}.",
        )
    )
    assert advice.findings[0].rule == "cores-taken-by-others"
    assert {part.role: part.label for part in screen.parts}["no_core"] == "no core"
    # Parts that are together below NO_ROW of the whole have no row; nothing else may be missing.
    missing = screen.whole - sum(part.seconds for part in screen.parts)
    assert -1e-6 * screen.whole <= missing < NO_ROW * screen.whole


def test_a_rank_that_waits_loses_nothing_without_a_core(known):
    """Rank 1 waits all the time, and shares its core with a busy loop."""
    _, profile = known(find("ompi4"), "wait", STEPS, rivals="1:2")
    measures = measure(profile)
    delayed, lost = (
        float(cells(measures, f"rank.no_core_{part}").values[1]) for part in ("time", "lost")
    )
    assert delayed > 0.1 and lost < 0.15 * delayed + 0.03
