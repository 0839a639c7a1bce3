"""Calls of data with gaps and reductions with own operators, by hand."""

from __future__ import annotations

import pytest

from advisor.analysis import measure

from .profiles import cell, profile, table

CALLS = [
    (0, "Send", "intra_node", 4, 100, 800, 2.0),
    (1, "Send", "intra_node", 4, 100, 800, 2.0),
    (0, "Allreduce", "intra_node", 4, 50, 400, 0.5),
    (1, "Allreduce", "intra_node", 4, 50, 400, 1.5),
]


def handled(*rows):
    """(rank, operation, handling, count, time)"""
    columns = list(zip(*rows)) or [()] * 5
    return table(
        "handling",
        **dict(zip(("rank", "operation", "handling", "count", "time"), columns)),
        module=["a.out"] * len(rows),
        offset=range(len(rows)),
        bytes=[0] * len(rows),
    )


def test_by_operation():
    rows = [(0, "Send", 1, 30, 0.5), (1, "Send", 1, 10, 0.5)]
    rows += [(0, "Allreduce", 2, 5, 0.2), (1, "Allreduce", 3, 4, 0.3)]
    rows += [(0, "Init", 1, 9, 9.0)]  # not MPI time: in no operation
    found = measure(profile([10.0, 10.0], CALLS, tables={"handling": handled(*rows)}))
    names = ("gaps_calls", "own_operator_calls", "ordered_operator_calls")
    assert {
        cell(found, "operation.name", row): tuple(
            cell(found, f"operation.{name}", row) for name in names
        )
        for row in (0, 1)
    } == {"Send": (40, 0, 0), "Allreduce": (0, 9, 4)}
    # Of 4 s of Send 1 s, of 2 s of Allreduce 0.5 s.
    send, reduce = (cell(found, "operation.tunable_share", row) for row in (0, 1))
    assert cell(found, "operation.gaps_tunable_share", 0) == pytest.approx(send / 4)
    assert cell(found, "operation.own_operator_tunable_share", 1) == pytest.approx(reduce / 4)
    assert send > 0 and reduce > 0


def test_none_is_known_and_an_older_profile_is_not():
    none = measure(profile([10.0, 10.0], CALLS, tables={"handling": handled()}))
    older = measure(profile([10.0, 10.0], CALLS))
    assert (
        cell(none, "operation.gaps_calls") == 0 and cell(none, "operation.gaps_tunable_share") == 0
    )
    assert cell(older, "operation.gaps_calls") is None
