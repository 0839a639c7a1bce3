"""Ranks that share CPUs."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.analysis.derived.core_sharing import cpus_of, places


@pytest.mark.parametrize(
    "text, expected",
    [
        ("0-3,8", {0, 1, 2, 3, 8}),
        ("5", {5}),
        ("", set()),
        ("3-1", set()),
        ("x", set()),
        ("0-99999999999", set()),
        ("1,,2", {1, 2}),
    ],
)
def test_lists_of_cpus(text, expected):
    assert cpus_of(text) == expected


@pytest.mark.parametrize(
    "title, masks, nodes, threads, shared, same",
    [
        ("own cores", ["0", "1"], [0, 0], [1, 1], [0, 0], [1, 1]),
        ("both on core 0", ["0", "0"], [0, 0], [1, 1], [1, 1], [2, 2]),
        ("the same core of two hosts", ["0", "0"], [0, 1], [1, 1], [0, 0], [1, 1]),
        ("unbound, cores enough", ["0-3", "0-3"], [0, 0], [2, 2], [0, 0], [2, 2]),
        ("unbound, too many threads", ["0-3", "0-3"], [0, 0], [2, 3], [1, 1], [2, 2]),
        ("overlapping at one core", ["0-1", "1-2"], [0, 0], [2, 2], [1, 1], [1, 1]),
        (
            "three on two cores, one apart",
            ["0-1", "0-1", "0-1", "5"],
            [0, 0, 0, 0],
            [1, 1, 1, 1],
            [2, 2, 2, 0],
            [3, 3, 3, 1],
        ),
    ],
)
def test_sharing(title, masks, nodes, threads, shared, same):
    found = places(np.array(masks, dtype=object), np.array(nodes), np.array(threads, dtype=float))
    assert (found.shared.tolist(), found.same.tolist()) == (shared, same)


def test_a_mask_that_nobody_read_is_unknown():
    found = places(np.array(["", "0"], dtype=object), np.array([0, 0]), np.ones(2))
    assert np.isnan(found.shared).tolist() == [True, False]
