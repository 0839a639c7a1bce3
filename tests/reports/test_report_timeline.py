"""What stands above the picture of a run over time."""

from __future__ import annotations

import pytest
from sample_measures import measures, one_row, profile

from advisor.model.profile import Library
from advisor.reports.composing import timeline
from advisor.reports.lookup import Lookup


@pytest.mark.parametrize(
    "cells, said",
    [
        ({"wait_share": 0.3}, ""),
        (
            {"wait_share": 0.3, "delaying_rank": 3, "delaying_rank_since": 0},
            " Most waiting is for rank 3 all the time.",
        ),
        (
            {"wait_share": 0.3, "delaying_rank": 3, "delaying_rank_since": 31.25},
            " From 31.2 s on most waiting is for rank 3.",
        ),
        ({"wait_share": 0.0001, "delaying_rank": 3, "delaying_rank_since": 0}, ""),
    ],
)
def test_the_rank_that_most_waiting_is_for(cells, said):
    known = profile("a.out", ["mpirun", "a.out"], Library("mpich", "4.0.2"), ["n1"])
    found = timeline._caption(Lookup(measures(known, [one_row("run", cells)])), 0.5)
    found = found.replace("\u00a0", " ").replace("\u202f", " ").replace("\u2009", " ")
    assert found == "All ranks, in slices of 0.500 s since the end of MPI_Init." + said
