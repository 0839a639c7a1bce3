"""Which group an operation belongs to: METRICS 2."""

from __future__ import annotations

import pytest

from advisor.analysis.engine.operation_groups import ALL_TO_ALL, GROUPS, LIFECYCLE, group_of
from advisor.base import resource_paths


def standard():
    """(operation, group) of every call that the collector counts."""
    lines = (resource_paths.collectors() / "standard" / "calls.txt").read_text().splitlines()
    rows = [
        [field.strip() for field in line.split("|")]
        for line in lines
        if line and not line.startswith("#")
    ]
    return [(row[0], row[1]) for row in rows if row[1] != "never"]


def test_the_collector_counts_every_call_in_the_same_group():
    assert [
        (name, group_of(name), group) for name, group in standard() if group_of(name) != group
    ] == []


def test_there_are_calls_of_every_group():
    assert {group for _, group in standard()} == set(GROUPS)


@pytest.mark.parametrize(
    "operation, group",
    [
        ("Send", "p2p"),
        ("Sendrecv", "p2p"),
        ("Isend", "p2p"),
        ("Start", "p2p"),
        ("Waitall", "completion"),
        ("Testsome", "probe"),
        ("Barrier", "sync"),
        ("Ibarrier", "sync"),
        ("Allreduce", "collective"),
        ("Neighbor_alltoallw", "collective"),
        ("Ireduce_scatter_block", "nonblocking_collective"),
        ("Rget_accumulate", "rma"),
        ("Win_flush_local_all", "rma_sync"),
        ("Win_create", "management"),
        ("File_iwrite_all", "io"),
        ("Comm_split", "management"),
        ("Anything_else", "management"),
    ],
)
def test_by_hand(operation, group):
    assert group_of(operation) == group


def test_operations_in_which_all_wait_for_all_exist():
    names = {name for name, _ in standard()}
    assert ALL_TO_ALL <= names and not LIFECYCLE & ALL_TO_ALL
