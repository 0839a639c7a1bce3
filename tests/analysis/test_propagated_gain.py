"""Waiting that calls cause each other is added to what a rule may promise, if the profile tells it;
never above what the calls take."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.analysis import measure

from .profiles import profile, table

CALLS = [
    (0, "Send", "intra_node", 4, 10, 80, 2.0),
    (0, "Recv", "intra_node", 4, 10, 80, 1.0),
    (0, "Alltoall", "intra_node", 4, 10, 80, 4.0),
    (1, "Recv", "intra_node", 4, 10, 80, 3.0),
]


def measured(propagated):
    """Two ranks of 10 s; waiting was half of the time in Alltoall (4 s), and a third of that in
    Recv (rank 0: 1 s, rank 1: 3 s)."""
    more = {} if propagated is None else {"propagated": propagated}
    waits = table(
        "waits",
        rank=[0, 0, 1],
        communicator=[0, 0, 0],
        operation=["Alltoall", "Recv", "Recv"],
        class_=["intra_node"] * 3,
        bin=[4] * 3,
        calls=[10] * 3,
        sampled=[5] * 3,
        time=[4.0, 1.0, 3.0],
        duration=[2.0, 0.6, 1.5],
        wait=[1.0, 0.2, 0.5],
        unresolved=[0.0] * 3,
        **more,
    )
    return measure(profile([10.0, 10.0], CALLS, tables={"waits": waits})).tables


@pytest.mark.parametrize(
    "propagated, exchanges, send",
    (
        # an older profile: what is not waiting
        (None, 0.2, 2 / 3 * 0.1 + 0.2),
        ([0.0, 0.0, 0.0], 0.2, 2 / 3 * 0.1 + 0.2),
        # half of the waits: 1 s of Alltoall; of Recv on rank 0 1/6 s
        ([0.5, 0.1, 0.25], 0.3, (2 / 3 + 1 / 6) * 0.1 + 0.2),
        # more than the waits are: all of the calls, no more
        ([9.0, 9.0, 9.0], 0.4, 0.3),
    ),
)
def test_what_goes_with_the_calls(propagated, exchanges, send):
    tables = measured(propagated)
    cell, operation = tables["cell"].columns, tables["operation"].columns
    found = dict(zip(cell["operation"].values, cell["removable_share"].values))
    assert found["Alltoall"] == pytest.approx(exchanges)
    assert dict(zip(operation["name"].values, operation["pairwise_removable_share"].values))[
        "Send"
    ] == pytest.approx(send)
    known = np.isfinite(np.asarray(cell["propagated_share"].values, dtype=float)).any()
    assert known == (propagated is not None)


def two_ranks(allreduce, window=(10.0, 10.0), make=2.0, **columns):
    """Each makes communicators for `make` s and reduces on them for `allreduce` s; all calls were
    sampled. Shares of the operations and cells, by name."""
    calls = [
        (rank, name, "intra_node", bin, 10, 80, time)
        for rank in (0, 1)
        for name, bin, time in (("Comm_split", -1, make), ("Allreduce", 4, allreduce[rank]))
    ]
    waits = table(
        "waits",
        rank=[0, 1],
        communicator=[9, 9],
        operation=["Allreduce"] * 2,
        class_=["intra_node"] * 2,
        bin=[4] * 2,
        calls=[10] * 2,
        sampled=[10] * 2,
        time=list(allreduce),
        duration=list(allreduce),
        unresolved=[0.0] * 2,
        **columns,
    )
    tables = measure(profile(list(window), calls, tables={"waits": waits})).tables
    operation, cell = tables["operation"].columns, tables["cell"].columns
    return (
        {
            name: dict(zip(operation["name"].values, operation[name].values))
            for name in ("removable_share", "inherited_share")
        },
        {
            name: dict(zip(cell["operation"].values, cell[name].values))
            for name in ("alternating_share", "avoidable_share", "removable_share")
        },
    )


def test_what_goes_with_another_operation_is_put_down_to_that_one():
    """Rank 0 waited 1.5 s of its 2 s in first calls for who got the communicator late, half a
    second of which computing explains, and 0.5 s was setting up."""
    operation, cell = two_ranks(
        (2.0, 0.5),
        wait=[1.5, 0.0],
        propagated=[0.0, 0.0],
        after=["Comm_split"] * 2,
        inherited=[1.0, 0.0],
        first_use=[0.5, 0.5],
    )
    assert operation["inherited_share"] == pytest.approx({"Comm_split": 0.15, "Allreduce": 0.0})
    assert operation["removable_share"] == pytest.approx(
        {"Comm_split": 0.2 + 0.15, "Allreduce": 0.05}
    )
    assert cell["removable_share"] == pytest.approx({"Comm_split": 0.2 + 0.15, "Allreduce": 0.05})


@pytest.mark.parametrize(
    "allreduce, wait, window, turns",
    (
        # both compute 5 s: what each waits for the other evens out
        ((3.0, 3.0), [2.0, 2.0], (10.0, 10.0), 0.2),
        # rank 1 computes 2 s more: so long rank 0 has to wait somewhere
        ((3.0, 1.0), [2.0, 0.0], (10.0, 10.0), 0.0),
        ((3.5, 1.5), [2.5, 0.5], (10.0, 10.0), 0.05),  # the same, and half a second in turns
        ((3.0, 3.0), [0.0, 0.0], (10.0, 10.0), 0.0),  # nobody waits
    ),
)
def test_waiting_in_turns(allreduce, wait, window, turns):
    operation, cell = two_ranks(
        allreduce,
        window,
        wait=wait,
        propagated=[0.0, 0.0],
        after=["", ""],
        inherited=[0.0, 0.0],
        first_use=[0.0, 0.0],
    )
    assert cell["alternating_share"]["Allreduce"] == pytest.approx(turns)
    assert cell["avoidable_share"]["Allreduce"] == pytest.approx(
        max((time - waited) / 10 for time, waited in zip(allreduce, wait)) + turns
    )
    assert cell["alternating_share"]["Comm_split"] == 0


def test_older_profiles_tell_neither():
    operation, cell = two_ranks((3.0, 3.0), wait=[2.0, 2.0], propagated=[0.0, 0.0])
    assert np.isnan(cell["alternating_share"]["Allreduce"]) and np.isnan(
        operation["inherited_share"]["Comm_split"]
    )
    assert cell["avoidable_share"]["Allreduce"] == pytest.approx(0.1)
    assert operation["removable_share"]["Comm_split"] == pytest.approx(0.2)
