"""Estimates from samples have 95 % intervals: waits of one-sided synchronisation, and ways to
calls."""

from __future__ import annotations

import math

import pytest

from advisor.analysis import measure

from .profiles import profile, table


def column(measures, key):
    name, _, label = key.partition(".")
    return measures.tables[name].columns[label]


def sampled(operation, squares):
    """One rank of two waited 2 of 10 s in sampled calls of `operation`; in all of them 20 s
    passed."""
    waits = table(
        "waits",
        rank=[0],
        communicator=[0],
        operation=[operation],
        class_=["intra_node"],
        bin=[-1],
        calls=[20],
        sampled=[10],
        time=[20.0],
        duration=[10.0],
        wait=[2.0],
        unresolved=[0.0],
        overlappable=[0.0],
        wait_wait=[squares],
        wait_duration=[0.0],
        duration_duration=[0.0],
    )
    calls = [
        (0, operation, "intra_node", -1, 20, 0, 20.0),
        (1, "Barrier", "intra_node", -1, 1, 0, 1.0),
    ]
    return measure(profile([100.0, 100.0], calls, tables={"waits": waits}))


def test_waits_for_locks():
    """A fifth of 20 s, over two ranks and 100 s: 2 %. Deviation: 20 s * sqrt(0.25) / 10 s = 1 s,
    two of them to either side."""
    found = column(sampled("Win_unlock", 0.25), "onesided.lock_wait_share")
    # readings of the clock: 2.7 us
    assert (found.values[0], found.low[0], found.high[0]) == pytest.approx(
        (0.02, 0.01, 0.03), abs=2e-8
    )


@pytest.mark.parametrize(
    "squares, half", ((None, None), ((0.0, 0.0), 0.0), ((0.5, 0.5), 2 * math.sqrt(2 * 0.25) * 2))
)
def test_ways_to_calls(squares, half):
    """Two ways share 10 sampled seconds alike, 20 s passed; each errs by (1-R)^2 of its own and R^2
    of the other's squares, times two ranks, doubled by the scale."""
    more = {} if squares is None else {"count_count": [0.0, 0.0], "time_time": list(squares)}
    stacks = table(
        "stacks",
        stack=[1, 2],
        level=[0, 0],
        operation=["Barrier", "Barrier"],
        module=["a", "a"],
        offset=[1, 2],
        function=["", ""],
        count=[5.0, 5.0],
        time=[5.0, 5.0],
        **more,
    )
    measures = measure(
        profile(
            [100.0, 100.0],
            [
                (0, "Barrier", "intra_node", -1, 20, 0, 20.0),
                (1, "Bcast", "intra_node", 4, 1, 8, 1.0),
            ],
            tables={"stacks": stacks},
        )
    )
    time = column(measures, "stack.time")
    assert time.values.tolist() == [5.0, 5.0]  # of 20 s, averaged over two ranks
    if half is None:
        assert time.low is None or time.low.tolist() == time.values.tolist()
        assert "not recorded" in time.note
    else:
        assert (time.high - time.values).tolist() == pytest.approx([half / 2] * 2)
