"""Small parsers of /proc and /sys: what they claim is what was written. That they take any text is
in tests/fuzz/test_library_answers.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.probing import fabric, limits, reading


@given(st.sets(st.integers(min_value=0, max_value=5000), max_size=40))
def test_a_list_of_numbers_is_read_as_it_was_written(numbers):
    assert reading.listed(",".join(map(str, sorted(numbers)))) == numbers


@given(st.integers(min_value=0, max_value=5000), st.integers(min_value=0, max_value=500))
def test_a_range_is_read_as_it_was_written(first, more):
    assert reading.listed(f"{first}-{first + more}\n") == set(range(first, first + more + 1))


@pytest.mark.parametrize("text", ["3-1", "a", "1-", "-1", "0-1000000", "1,,x", None])
def test_no_list(text):
    assert reading.listed(text) is None


@pytest.mark.parametrize(
    "text, controller, expected",
    [
        ("0::/user.slice\n", "memory", ("", "/user.slice")),
        ("9:memory:/a/b\n0::/\n", "memory", ("memory", "/a/b")),
        ("5:cpu,cpuacct:/a\n", "cpu", ("cpu,cpuacct", "/a")),
        ("5:cpuset:/a\n", "cpu", None),
        ("", "cpu", None),
    ],
)
def test_membership(text, controller, expected):
    assert limits.parse_membership(text, controller) == expected


@pytest.mark.parametrize(
    "text, cpus", [("150000 100000", 1.5), ("max 100000", None), ("1 0", None), ("-1 100000", None)]
)
def test_quota(text, cpus):
    assert limits.parse_quota(text) == cpus


def test_a_group_cannot_lead_out_of_its_mount():
    assert [path for path in limits.files("memory", "/../../etc", "x") if ".." in path] == []


@pytest.mark.parametrize(
    "text, rate",
    [
        ("100 Gb/sec (4X EDR)", 100),
        ("2.5 Gb/sec (1X SDR)", 2),
        ("400 Gb/sec (4X NDR)", 400),
        ("", 0),
        ("fast", 0),
    ],
)
def test_rate(text, rate):
    assert fabric.parse_rate(text) == rate
