"""Load imbalance that moves: who computes longer in each part of the run, and in the whole."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.analysis import measure

from .profiles import cell, profile, table


def run_of(outside):
    """`outside`: seconds outside MPI of each rank in each slice of one second, [rank][slice]."""
    ranks, slices = np.shape(outside)
    cells = [(rank, number) for rank in range(ranks) for number in range(slices)]
    phases = table(
        "phases",
        rank=[rank for rank, _ in cells],
        slice=[number for _, number in cells],
        width=[1.0] * len(cells),
        collective=[1.0 - outside[rank][number] for rank, number in cells],
        **{
            name: [0.0] * len(cells)
            for name in ("messages", "completion", "onesided", "io", "management")
        },
    )
    return measure(profile([float(slices)] * ranks, tables={"phases": phases}))


def busy(ranks, slices, who):
    """0.9 s outside MPI for the rank who(slice), 0.5 s for the others."""
    return [
        [0.9 if who(number) == rank else 0.5 for number in range(slices)] for rank in range(ranks)
    ]


#         who computes longer → what balance in each part would save beyond that of the whole run
CASES = {
    "each rank for a quarter": (busy(4, 64, lambda at: at // 16), 0.3),
    "each rank for an eighth, twice": (busy(4, 64, lambda at: at // 8 % 4), 0.3),
    "the same one all the time": (busy(4, 64, lambda at: 2), 0.0),
    "the same one, in the second half": (busy(4, 64, lambda at: 2 if at >= 32 else -1), 0.0),
    "another one in each slice": (busy(4, 64, lambda at: at % 4), 0.0),
    "nobody": (busy(4, 64, lambda at: -1), 0.0),
    "too short to be divided": (busy(4, 12, lambda at: at // 3), 0.0),
}


@pytest.mark.parametrize("outside, share", CASES.values(), ids=CASES)
def test_what_drifts(outside, share):
    # 0.4 s more than the others, less a quarter of that over all ranks: 0.3 of each second; the
    # whole run is as long for all ranks
    assert cell(run_of(outside), "run.drifting_imbalance_share") == pytest.approx(share, abs=1e-6)


def test_the_spread_in_parts_is_more_than_perfect_balance_saves():
    assert cell(
        run_of(CASES["each rank for a quarter"][0]), "run.part_spread_share"
    ) == pytest.approx(0.4)


def test_chance_is_no_drift():
    random = np.random.default_rng(3)
    outside = 0.5 + 0.4 * random.random((8, 96))
    assert cell(run_of(outside), "run.drifting_imbalance_share") == 0
