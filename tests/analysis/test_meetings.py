"""Phases between calls of all ranks that are uneven although their sum is even."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.analysis import measure

from .profiles import cell, profile, table

RANKS, CALLS, TIME = 4, 400, 10.0
EACH = [(0, 1, 1, 1), (1, 0, 1, 1), (1, 1, 0, 1), (1, 1, 1, 0)]


def of_waits(kinds, messages=(0.0,) * RANKS, members=RANKS):
    """A run whose ranks compute equally long and wait in kinds of MPI_Allreduce, told apart by
    size, and in receives; seconds by rank."""
    waits = np.array([*kinds, messages])
    names = ["Allreduce"] * len(kinds) + ["Recv"]
    shape = waits.shape
    of_kind = np.repeat(np.arange(shape[0]), RANKS)
    rank, seconds = np.tile(np.arange(RANKS), shape[0]), waits.ravel()
    table_of_waits = table(
        "waits",
        rank=rank,
        communicator=np.where(of_kind < len(kinds), 1, 0),
        operation=[names[kind] for kind in of_kind],
        **{"class": ["multi_node"] * len(rank)},
        bin=of_kind + 3,
        calls=[CALLS] * len(rank),
        sampled=[CALLS] * len(rank),
        time=seconds,
        duration=seconds,
        wait=seconds,
        unresolved=[0.0] * len(rank),
    )
    calls = table(
        "calls",
        rank=rank,
        operation=[names[kind] for kind in of_kind],
        **{"class": ["multi_node"] * len(rank)},
        bin=of_kind + 3,
        count=[CALLS] * len(rank),
        bytes=[8 * CALLS] * len(rank),
        time=seconds,
    )
    communicators = table("communicators", id=[1], size=[members])
    return measure(
        profile(
            [TIME] * RANKS,
            tables={"waits": table_of_waits, "calls": calls, "communicators": communicators},
        )
    )


@pytest.mark.parametrize(
    "kinds, share",
    [
        pytest.param(EACH, 0.275, id="another rank in each phase"),
        pytest.param(
            [(0, 2, 2, 2), (2, 2, 2, 0)], 0.175, id="balance over the whole run saves 0.1"
        ),
        pytest.param([(2, 2, 2, 2), (2, 2, 2, 2)], 0.0, id="all by turns"),
        pytest.param([(0, 2, 2, 2), (0, 2, 2, 2)], 0.0, id="one rank in both: the sum is uneven"),
    ],
)
def test_phases_that_are_uneven_each(kinds, share):
    """Chance takes sqrt(2 ln 4 / 400) = 8.3 % of the mean of each kind."""
    assert cell(of_waits(kinds), "run.meeting_imbalance_share") == pytest.approx(share, abs=0.01)


def test_what_waiting_for_messages_explains_is_not_counted():
    """A chain: the first ranks wait at its end, the last ones for their messages."""
    found = of_waits([(3, 2, 1, 0)], messages=(0, 1, 2, 3))
    assert cell(found, "run.meeting_imbalance_share") == 0


def test_calls_of_some_ranks_are_not_counted():
    found = of_waits(EACH, members=2)
    assert cell(found, "run.meeting_imbalance_share") == 0
