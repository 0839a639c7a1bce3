"""POP efficiencies: METRICS 4."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.analysis import measure

from .profiles import cell, profile


def efficiencies(useful, nodes, elapsed=100.0):
    """Measures of ranks that compute for `useful` seconds and spend the rest of `elapsed` in
    MPI."""
    calls = [
        (rank, "Barrier", "multi_node", -1, 1, 0, elapsed - seconds)
        for rank, seconds in enumerate(useful)
    ]
    return measure(profile([elapsed] * len(useful), calls, nodes))


@pytest.mark.parametrize(
    "useful, nodes, expected",
    [
        # useful seconds       hosts         PE     LB    LB_in  LB_out CommE
        ([80, 80, 80, 80], [0, 0, 1, 1], (0.80, 1.0, 1.0, 1.0, 0.8)),
        ([80, 40, 80, 40], [0, 0, 1, 1], (0.60, 0.75, 0.75, 1.0, 0.8)),  # uneven inside hosts
        ([80, 80, 40, 40], [0, 0, 1, 1], (0.60, 0.75, 1.0, 0.75, 0.8)),  # uneven between hosts
        # hosts with unequal numbers of ranks
        ([80, 60, 40], [0, 0, 1], (0.60, 0.75, 0.875, 0.6 / 0.7, 0.8)),
    ],
)
def test_by_hand(useful, nodes, expected):
    found = efficiencies(useful, nodes)
    names = (
        "parallel_efficiency",
        "load_balance",
        "load_balance_in",
        "load_balance_out",
        "communication_efficiency",
    )
    assert tuple(cell(found, f"run.{name}") for name in names) == pytest.approx(expected, rel=1e-12)


ranks = st.lists(st.tuples(st.floats(0.001, 100), st.integers(0, 3)), min_size=1, max_size=20)


@settings(max_examples=50, deadline=None)
@given(ranks)
def test_products_hold(rows):
    found = efficiencies([seconds for seconds, _ in rows], [node for _, node in rows])
    value = {name: cell(found, f"run.{name}") for name in found.tables["run"].columns}
    assert value["load_balance"] * value["communication_efficiency"] == pytest.approx(
        value["parallel_efficiency"], abs=1e-9
    )
    assert value["load_balance_in"] * value["load_balance_out"] == pytest.approx(
        value["load_balance"], abs=1e-9
    )
    assert value["ceiling_share"] == pytest.approx(1 - value["communication_efficiency"], abs=1e-9)
    for name in (
        "parallel_efficiency",
        "load_balance",
        "load_balance_in",
        "load_balance_out",
        "communication_efficiency",
    ):
        assert 0 <= value[name] <= 1 + 1e-9


def test_a_rank_that_says_nothing_of_its_end_is_left_out():
    found = measure(profile([100.0, float("nan")], [(0, "Barrier", "intra_node", -1, 1, 0, 20.0)]))
    assert (cell(found, "run.time"), cell(found, "run.parallel_efficiency")) == (100.0, 0.8)
    assert cell(found, "rank.useful_time", row=1) is None


def test_threads_in_mpi_make_the_time_an_upper_bound():
    from .profiles import table

    found = measure(
        profile(
            [10.0],
            [(0, "Send", "intra_node", 4, 1, 8, 4.0)],
            ranks=table("ranks", threads_called=[2]),
        )
    )
    column = found.tables["run"].columns["parallel_efficiency"]
    assert (column.quality.name, found.tables["run"].columns["mpi_time"].note[:16]) == (
        "ESTIMATED",
        "sum over threads",
    )
