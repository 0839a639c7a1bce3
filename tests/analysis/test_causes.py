"""Elapsed time divided into causes: nothing left over, and no cause gives back more than is
said."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.analysis.derived.profile_view import ProfileView
from advisor.analysis.engine.metric import QualityTracker
from advisor.model.causes import Cause, Causes

from .simulated import Step, profile_of, simulate

KINDS = ("Allreduce", "Recv", "Mrecv")
seconds = st.floats(0, 3)
READING = 2e-6
"""Seconds since the epoch have this precision."""


@st.composite
def programs(draw, kinds=KINDS):
    """Up to a dozen steps of two to six ranks."""
    count = draw(st.integers(2, 6))
    step = st.builds(Step, st.sampled_from(kinds), st.tuples(*[seconds] * count), seconds)
    return draw(st.lists(step, min_size=1, max_size=12))


def causes_of(steps):
    return ProfileView(profile_of(simulate(steps)), QualityTracker()).causes


@settings(max_examples=50, deadline=None)
@given(programs())
def test_causes_add_up_to_elapsed_on_each_rank(steps):
    elapsed = simulate(steps).elapsed
    if elapsed > 1e-3:
        assert causes_of(steps).seconds.sum(axis=0) == pytest.approx(elapsed, abs=READING)


def chosen(found, **wanted):
    return [
        row
        for row, part in enumerate(found.parts)
        if all(getattr(part, name) in values for name, values in wanted.items())
    ]


def saved(before, after):
    return simulate(before).elapsed - simulate(after).elapsed


@settings(max_examples=100, deadline=None)
@given(programs(), st.sampled_from(KINDS))
def test_transfers_that_go_save_no_more_than_is_said(steps, kind):
    if simulate(steps).elapsed > 1e-3:
        found = causes_of(steps)
        without = [step._replace(cost=0.0) if step.kind == kind else step for step in steps]
        assert (
            saved(steps, without)
            <= found.returned(chosen(found, kind=("transfer",), operation=(kind,))) + READING
        )


@settings(max_examples=100, deadline=None)
@given(programs())
def test_evening_out_saves_no_more_than_is_said(steps):
    if simulate(steps).elapsed > 1e-3:
        assert_bounds(steps, np.mean)


@settings(max_examples=100, deadline=None)
@given(
    st.integers(2, 6),
    st.lists(st.tuples(st.integers(0, 5), seconds, seconds), min_size=1, max_size=12),
)
def test_making_ranks_like_the_fastest_saves_no_more_than_is_said(count, late):
    """One rank is late at a time. In calls in which all wait for all: elsewhere computing gets
    shorter that nobody waited for."""
    steps = [
        Step("Allreduce", tuple(extra * (rank == who % count) for rank in range(count)), cost)
        for who, extra, cost in late
    ]
    if simulate(steps).elapsed > 1e-3:
        assert_bounds(steps, np.min)


def assert_bounds(steps, cure):
    found = causes_of(steps)
    cured = [
        step._replace(computing=(float(cure(step.computing)),) * len(step.computing))
        for step in steps
    ]
    assert saved(steps, cured) <= found.returned(chosen(found, kind=("waiting",))) + READING


ONE_LATE = [Step("Allreduce", (1.0, 3.0), 0.5)] * 4
IN_TURNS = [Step("Allreduce", (1.0, 3.0), 0.0), Step("Allreduce", (3.0, 1.0), 0.0)] * 2
PIPELINE = [Step("Mrecv", (1.0, 0.0, 0.0), 0.5)] * 3


@pytest.mark.parametrize(
    "steps, parts, most",
    (
        # Rank 1 computes 2 s more in each of four steps: longest minus shortest can be saved, not
        # longest minus mean.
        (ONE_LATE, {"computing": 8.0, "waiting imbalance": 4.0, "transfer": 2.0}, 8.0),
        # Now one is late, now the other; if neither is any more, all that both waited goes.
        (IN_TURNS, {"computing": 8.0, "waiting in turns": 4.0}, 8.0),
        # Half of the ranks are late, then the other half.
        (
            [
                Step("Allreduce", (1.0, 1.0, 3.0, 3.0), 0.0),
                Step("Allreduce", (3.0, 3.0, 1.0, 1.0), 0.0),
            ],
            {"computing": 4.0, "waiting in turns": 2.0},
            4.0,
        ),
        # Rank 2 waits 4 s for what rank 0 computes and for the transfers before its own; what of
        # it is in turns counts once more.
        (PIPELINE, {"computing": 1.0, "transfer": 1.5}, 5.0),
    ),
)
def test_known_programs(steps, parts, most):
    found = causes_of(steps)
    reported = {f"{part.kind} {part.origin}".strip(): 0.0 for part in found.parts}
    for part, seconds in zip(found.parts, found.means):
        reported[f"{part.kind} {part.origin}".strip()] += float(seconds)
    assert {name: reported[name] for name in parts} == pytest.approx(parts, abs=READING)
    assert found.returned(chosen(found, kind=("waiting",))) == pytest.approx(most, abs=READING)


@pytest.mark.parametrize("steps, most", ((IN_TURNS, 4.0), (PIPELINE, 4.5)))
def test_where_ranks_compute_as_much_as_before_the_run_gets_no_shorter_than_that(steps, most):
    """In turns, 8 of 12 s are computing on each rank. In the pipeline 1 of 5.5 s on average."""
    found = causes_of(steps)
    chosen_ = chosen(found, kind=("waiting",))
    assert found.returned(chosen_, True) == pytest.approx(most, abs=READING)
    assert found.returned(chosen_, True) <= found.returned(chosen_)


def test_time_that_is_not_split_may_be_the_same_waiting():
    """A killed rank: 3 ms of its waiting are known, and of 7.5 s in MPI nobody knows what they
    were. Seconds of two ranks; elapsed 8 s."""
    waiting = Cause("waiting", "wait at collective", "imbalance", "Allreduce")
    parts = (Cause("computing"), waiting, Cause("not split", operation="Wait"))
    seconds = np.array([[7.9, 0.4], [0.0, 0.003], [0.1, 7.5]])
    known = Causes(parts, seconds, seconds, 2, 8.0)
    assert known.returned([1]) == pytest.approx(7.503)
    assert Causes(parts[:2], seconds[:2], seconds[:2], 2, 8.0).returned([1]) == 0.003
