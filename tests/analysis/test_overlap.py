"""Shares of what nonblocking messages moved, from the sums of a profile."""

from __future__ import annotations

import pytest

from advisor.analysis.measure import measure

from .profiles import profile, table

NAMES = ("overlap_possible", "overlap_achieved", "overlap_efficiency", "overlap_starved", "overlap_missed_share")


def overlap(**changed):
    """A job of two ranks and 10 s whose messages would take 4 s in all."""
    sums = {"messages": 100, "reference": 4, "possible": 2, "achieved": 1, "most": 1.5, "starved": 25, "variance": 0.01, **changed}
    made = profile([10, 10], tables={"overlap": table("overlap", path=["host"], bin=[20], calls=[50], **{name: [value] for name, value in sums.items()})})
    return measure(made).tables["run"].columns


def test_shares_and_their_intervals():
    """Two deviations of 0.1 s around 1 to 1.5 s."""
    columns = overlap()
    assert [float(columns[name].values[0]) for name in NAMES] == pytest.approx([0.5, 0.25, 0.5, 0.25, 0.05])
    bounds = [(float(columns[name].low[0]), float(columns[name].high[0])) for name in ("overlap_achieved", "overlap_efficiency", "overlap_missed_share")]
    assert bounds == [pytest.approx((0.2, 0.425)), pytest.approx((0.4, 0.85)), pytest.approx((0.015, 0.06))]


@pytest.mark.parametrize("changed, known", [
    ({"messages": 0}, 0), ({"reference": 0}, 0), ({"messages": float("nan")}, 0), ({"variance": float("nan")}, 0), ({"possible": 0, "achieved": 0, "most": 0}, 4),
])
def test_sums_of_nothing_are_unknown(changed, known):
    """Files come from strangers."""
    columns = overlap(**changed)
    assert sum(not columns[name].reason for name in NAMES) == known
