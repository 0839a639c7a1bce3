"""Counts that rules ask for: partners of a rank, ranks that called, ports and GPUs of a host."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.analysis import measure
from advisor.analysis.metrics.nodes import listed

from .profiles import cell, profile, table


def of(measures, key):
    name, _, column = key.partition(".")
    return [
        None if value != value else value
        for value in measures.tables[name].columns[column].values.tolist()
    ]


def test_partners_are_other_ranks_and_unknown_where_some_were_put_together():
    rows = [(0, 1, 5), (0, 2, 5), (0, 0, 9), (1, 0, 1), (2, 0, 1), (2, -1, 40)]
    rank, peer, count = zip(*rows)
    peers = table(
        "peers", rank=rank, peer=peer, path=["intra_node"] * len(rows), messages=count, bytes=count
    )
    assert of(measure(profile([1, 1, 1, 1], tables={"peers": peers})), "rank.peers") == [
        2,
        1,
        None,
        0,
    ]


def test_without_a_table_of_partners_they_are_unknown():
    assert of(measure(profile([1, 1])), "rank.peers") == [None, None]


def test_callers_and_the_longest_call():
    calls = [
        (0, "Send", "intra_node", 4, 9, 90, 0.5),
        (0, "Send", "other", 4, 1, 10, 0.2),
        (1, "Send", "intra_node", 4, 0, 0, 0.0),
        (1, "Barrier", "intra_node", -1, 2, 0, 0.1),
    ]
    built = profile([1, 1, 1], calls)
    built.tables["calls"]["max"] = np.array([0.05, 0.2, 0.0, 0.07])
    measures = measure(built)
    assert {
        cell(measures, "operation.name", row): cell(measures, "operation.callers", row)
        for row in (0, 1)
    } == {"Send": 1, "Barrier": 1}
    assert of(measures, "operation.longest_call") == [0.2, 0.07]


def test_the_longest_call_is_unknown_where_nobody_kept_it():
    assert of(
        measure(profile([1], [(0, "Send", "intra_node", 4, 9, 90, 0.5)])), "operation.longest_call"
    ) == [None]


@pytest.mark.parametrize(
    "text, pattern, expected",
    [
        ("mlx5_0:1:InfiniBand:200,mlx5_1:1:InfiniBand:200", r"[^,]+", 2),
        ("", r"[^,]+", 0),
        ("nvidia:4,amd:1", r"[a-z]:(\d{1,4})", 5),
        ("", r"[a-z]:(\d{1,4})", 0),
    ],
)
def test_entries_of_a_fact(text, pattern, expected):
    assert listed(text, pattern) == expected


def test_a_fact_that_nobody_looked_for_is_unknown():
    assert np.isnan(listed(None, r"x"))
