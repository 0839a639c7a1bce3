"""Counts are split by what was sampled, and scaled to what is known exactly."""

from __future__ import annotations

import pytest

from advisor.analysis import measure
from advisor.model.profile import Gap
from tests.analysis.profiles import cell, profile, table


def counted(*rows, gaps=()):
    """One rank, 10 s, 4 of them in MPI; rows: counter, total, inside, its time, outside, its time,
    their squares and products."""
    columns = list(zip(*rows))
    names = (
        "counter",
        "total",
        "inside",
        "inside_time",
        "outside",
        "outside_time",
        "outside_squares",
        "outside_products",
        "outside_time_squares",
    )
    more = {
        name: [0.0] * len(rows)
        for name in ("inside_squares", "inside_products", "inside_time_squares")
    }
    tables = {
        "counters": table("counters", rank=[0] * len(rows), **dict(zip(names, columns)), **more)
    }
    return measure(
        profile(
            [10.0], [(0, "Allreduce", "multi_node", 4, 100, 800, 4.0)], tables=tables, gaps=gaps
        )
    )


# 10 a second inside and outside: 40 and 60
EXACT = ("cycles", 100, 20.0, 2.0, 30.0, 3.0, 900.0, 90.0, 9.0)
# 1 a second inside, 30 outside: 4 and 180 of 184
BUSY = ("instructions", 200, 2.0, 2.0, 90.0, 3.0, 2700.0, 90.0, 3.0)


def test_parts_are_scaled_to_the_time_and_then_to_the_total():
    found = counted(EXACT, BUSY)
    assert [cell(found, "counter.outside", row) for row in (0, 1)] == pytest.approx(
        [60, 200 * 180 / 184]
    )
    assert [cell(found, "counter.inside", row) for row in (0, 1)] == pytest.approx(
        [40, 200 * 4 / 184]
    )
    assert cell(found, "run.instructions_per_cycle") == pytest.approx(200 * 180 / 184 / 60)
    assert cell(found, "rank.instructions_per_cycle") == pytest.approx(200 * 180 / 184 / 60)


def test_cache_misses_and_stalls_are_those_outside_mpi():
    misses, stalls = (("cache_misses", *EXACT[1:]), ("memory_stalls", *EXACT[1:]))
    found = counted(EXACT, BUSY, misses, stalls)
    assert cell(found, "run.misses_per_instruction") == pytest.approx(60 / (200 * 180 / 184))
    assert cell(found, "run.memory_stalled_share") == pytest.approx(60 / 60)


def test_a_rate_that_differs_between_windows_has_an_error():
    even = ("stalls", 60, 0.0, 2.0, 30.0, 3.0, 900.0, 90.0, 9.0)  # one window of 30 in 3 s
    uneven = ("stalls", 60, 10.0, 2.0, 30.0, 3.0, 650.0, 45.0, 4.5)  # 25 and 5, each in 1.5 s
    # 10 ± sqrt(10² + 10²) / 3 a second, times 6 s; a quarter of what it errs by goes to the other
    # part, and the total of 60 is exact
    deviation = 60 / 80 * 0.25 * 2 * 200**0.5
    columns = [counted(rows).tables["counter"].columns["outside"] for rows in (even, uneven)]
    assert [float(column.high[0] - column.low[0]) for column in columns] == pytest.approx(
        [0, 4 * deviation]
    )


def test_a_counter_that_is_missing_says_why():
    found = counted(EXACT, gaps=(Gap("counters.memory_stalls", "a virtual machine", "a host"),))
    column = found.tables["run"].columns["memory_stalled_share"]
    assert (column.reason, column.collect) == ("a virtual machine", "a host")


def test_a_burst_that_no_window_saw_may_be_all_of_one_part():
    """A program touched 1000 pages at once, between windows that saw 20 in MPI and 10 outside."""
    burst = ("page_faults", 1030, 10.0, 2.0, 5.0, 3.0, 25.0, 15.0, 9.0)
    column = counted(burst).tables["counter"].columns["outside"]
    assert (float(column.values[0]), float(column.low[0]), float(column.high[0])) == pytest.approx(
        (1030 / 3, 0, 1010)
    )
