"""The time at stake where messages get cheaper is that of both their ends, of the rank that has
most of it."""

from __future__ import annotations

import pytest
from .profiles import profile

from advisor.analysis import measure

CALLS = [
    # rank, operation, class, bin, count, bytes, seconds; both ranks ran for 10 s
    (0, "Send", "intra_node", 11, 10, 10240, 3.0),
    (1, "Send", "intra_node", 11, 10, 10240, 1.0),
    (0, "Recv", "intra_node", 11, 10, 10240, 2.0),
    (1, "Recv", "intra_node", 11, 10, 10240, 3.5),
    (1, "Waitall", "none", -1, 10, 0, 1.0),
    (0, "Allreduce", "intra_node", 4, 10, 80, 0.5),
    (1, "Sendrecv", "intra_node", 11, 10, 10240, 0.25),
]
EXPECTED = {
    "Send": 0.55,  # rank 1: 1 and, at the other end, 3.5 + 1; rank 0 has 3 and 2
    "Recv": 0.5,  # rank 0: 2 and 3
    # rank 0: nothing and 3; of its cells, which only rank 1 has, rank 1: 1 and 1
    "Waitall": 0.3,
    "Sendrecv": 0.025,  # is both ends by itself
    "Allreduce": 0.05,  # no message to a single rank
}


@pytest.mark.parametrize(
    "table, column, expected",
    [("operation", "name", EXPECTED), ("cell", "operation", {**EXPECTED, "Waitall": 0.2})],
)
def test_both_ends(table, column, expected):
    found = measure(profile([10.0, 10.0], CALLS)).tables[table]
    assert dict(
        zip(found.columns[column].values, found.columns["pairwise_share"].values)
    ) == pytest.approx(expected)


def test_never_more_than_all():
    found = measure(
        profile(
            [4.0, 4.0],
            [(0, "Send", "intra_node", 11, 1, 8, 3.0), (0, "Recv", "intra_node", 11, 1, 8, 3.0)],
        )
    ).tables["operation"]
    assert list(found.columns["pairwise_share"].values) == [1.0, 1.0]
