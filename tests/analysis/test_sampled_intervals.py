"""How wide the interval of waiting is where the sampled calls do not account for the exact time of
all."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.analysis.derived.sampled_waits import rows


class Waits:
    """The table `waits` of one row: half of the sampled time is waiting, and all sampled calls
    waited alike."""

    def __init__(self, time, duration, deviation):
        self.values = {
            "time": time,
            "duration": duration,
            "wait": duration / 2,
            "unresolved": 0.0,
            "sampled": 100.0,
            "duration_duration": deviation**2,
            "wait_duration": deviation**2 / 2,
            "wait_wait": deviation**2 / 4,
        }

    def has(self, table, column):
        return column in self.values

    def column(self, table, name):
        return np.array([self.values[name]])


@pytest.mark.parametrize("calls, half", ((1.0, 0.8e-6), (1000.0, 100.7e-6)))
def test_readings_of_the_clock_widen_the_interval(calls, half):
    """0.1 us a call, and 0.7 us for the first of a kind, whose code is in no cache."""
    seen = Waits(10.0, 10.0, 0.0)
    seen.values["calls"] = calls
    assert 2 * float(rows(seen).error[0]) == pytest.approx(half)


@pytest.mark.parametrize(
    "time, duration, deviation, half",
    (
        (10.0, 10.0, 1.0, 0.0),  # accounted for
        (10.0, 8.5, 1.0, 0.0),  # within two deviations of the sum
        # two seconds are missing beyond them: half of them may be wait, or not, more than was told
        (10.0, 6.0, 1.0, 1.0),
        (10.0, 14.0, 1.0, 1.0),  # long calls were overrated
        (10.0, 6.0, 0.0, 0.0),  # all were kept: there is no sampling that could have missed any
    ),
)
def test_time_that_samples_leave_open_widens_the_interval(time, duration, deviation, half):
    found = rows(Waits(time, duration, deviation))
    assert (float(found.wait[0]), 2 * float(found.error[0])) == pytest.approx((5.0, half))
