"""Shares of what nonblocking messages moved, from the sums of a profile."""

from __future__ import annotations

import pytest

from advisor.analysis.measure import measure

from .profiles import profile, table

NAMES = (
    "overlap_possible",
    "overlap_achieved",
    "overlap_efficiency",
    "overlap_without_progress",
    "overlap_missed_share",
)


def overlap(**changed):
    """A job of two ranks and 10 s whose messages would take 4 to 8 s in all."""
    sums = {
        "messages": 100,
        "reference": 4,
        "possible": 2,
        "achieved": 1,
        "without_progress": 25,
        "variance": 0.01,
        "longer_reference": 8,
        "longer_possible": 3,
        "longer_achieved": 2.4,
        **changed,
    }
    made = profile(
        [10, 10],
        tables={
            "overlap": table(
                "overlap",
                path=["intra_node"],
                bin=[20],
                calls=[50],
                **{name: [value] for name, value in sums.items()},
            )
        },
    )
    return measure(made).tables["run"].columns


def test_shares_and_their_intervals():
    """By the shorter times, to what holds by the longer ones; two deviations of 0.1 s around
    both."""
    columns = overlap()
    assert [float(columns[name].values[0]) for name in NAMES] == pytest.approx(
        [0.5, 0.25, 0.5, 0.25, 0.05]
    )
    bounds = {
        name: (float(columns[name].low[0]), float(columns[name].high[0]))
        for name in NAMES
        if columns[name].low is not None
    }
    assert bounds == {
        "overlap_possible": pytest.approx((0.375, 0.5)),
        "overlap_achieved": pytest.approx((0.2, 0.35)),
        "overlap_efficiency": pytest.approx((0.4, 0.9)),
        "overlap_missed_share": pytest.approx((0.02, 0.06)),
    }


def test_intervals_hold_the_value_and_stay_between_nothing_and_all():
    """Of longer messages less was moved, and sampling may be off by more than there is."""
    columns = overlap(achieved=1.9, longer_achieved=0.1, variance=4)
    assert (
        float(columns["overlap_efficiency"].low[0]),
        float(columns["overlap_efficiency"].high[0]),
    ) == (0, 1)


def test_profiles_with_one_time_of_a_message_are_unknown():
    """Those of an earlier version."""
    made = profile(
        [10, 10],
        tables={
            "overlap": table(
                "overlap",
                path=["intra_node"],
                bin=[20],
                calls=[50],
                messages=[100],
                reference=[4],
                possible=[2],
                achieved=[1],
                without_progress=[25],
                variance=[0],
            )
        },
    )
    columns = measure(made).tables["run"].columns
    assert "an older version" in str(columns["overlap_achieved"].reason)


@pytest.mark.parametrize(
    "changed, known",
    [
        ({"messages": 0}, 0),
        ({"reference": 0}, 0),
        ({"messages": float("nan")}, 0),
        ({"variance": float("nan")}, 0),
        ({"possible": 0, "achieved": 0}, 4),
        ({"longer_reference": 0}, 0),
        ({"longer_possible": float("nan")}, 0),
    ],
)
def test_sums_of_nothing_are_unknown(changed, known):
    """Files come from strangers."""
    columns = overlap(**changed)
    assert sum(not columns[name].reason for name in NAMES) == known
