"""Whether enough is repeated in a run to predict from it: by its own calls, not by its seconds."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.advice import judge, load_rules
from advisor.analysis import measure
from advisor.analysis.metrics.repetition import half_widths
from advisor.base import resource_paths
from advisor.model.profile import Run

from .profiles import BEGIN, cell, profile, table


def run_of(seconds, *kinds, **more):
    """A run of one rank. `kinds`: (operation, calls, seconds in all, shortest, longest)."""
    names = ("operation", "count", "time", "min", "max")
    columns = dict(zip(names, zip(*kinds)))
    calls = table(
        "calls",
        rank=[0] * len(kinds),
        class_=["intra_node"] * len(kinds),
        bin=[4] * len(kinds),
        bytes=[8] * len(kinds),
        **columns,
    )
    return profile([seconds], tables={"calls": calls}, **more)


RUNS = [
    # what                                  seconds, calls
    # enough
    ("one long step", 60, [("Allreduce", 1, 20.0, 20.0, 20.0)], False),
    ("three equal iterations of 10 min", 1800, [("Alltoall", 3, 180.9, 60.0, 60.6)], True),
    ("three unequal iterations", 1800, [("Alltoall", 3, 106.0, 1.0, 100.0)], False),
    ("two seconds of a million steps", 2, [("Allreduce", 10**6, 1.0, 9e-7, 2e-3)], True),
    (
        "3000 steps in 9.6 s, messages only",
        9.6,
        [("Send", 3000, 2.4, 7e-4, 2e-2), ("Recv", 3000, 2.3, 7e-4, 2e-2)],
        True,
    ),
    (
        "windows only, 5 s",
        5,
        [("Put", 5000, 0.5, 9e-5, 1e-3), ("Win_fence", 5000, 2.0, 2e-4, 5e-3)],
        True,
    ),
    ("files only, 4 s", 4, [("File_write_at_all", 200, 3.0, 0.01, 0.03)], True),
    (
        "nonblocking messages, 1 s",
        1,
        [("Isend", 10**4, 0.01, 9e-7, 1e-5), ("Waitall", 10**4, 0.6, 5e-5, 1e-3)],
        True,
    ),
    ("one accident among 3000 steps", 10, [("Allreduce", 3001, 9.0, 1e-3, 6.0)], False),
    (
        "input handed out once, then steps",
        20,
        [("Bcast", 1, 18.0, 18.0, 18.0), ("Allreduce", 1000, 1.0, 9e-4, 2e-3)],
        False,
    ),
    # nothing is at stake
    ("one short call in a long run", 60, [("Allreduce", 1, 0.01, 0.01, 0.01)], True),
    ("many calls that scatter widely", 10, [("Allreduce", 300, 5.0, 1e-3, 0.2)], True),
]


@pytest.mark.parametrize("what, seconds, calls, enough", RUNS, ids=[run[0] for run in RUNS])
def test_enough_is_repeated(what, seconds, calls, enough):
    found = measure(run_of(seconds, *calls))
    assert cell(found, "run.representative") is enough
    assert bool(found.banners) is not enough


def test_start_up_of_nine_tenths_does_not_hide_what_was_repeated():
    run = run_of(
        2,
        ("Allreduce", 10**5, 1.0, 9e-6, 1e-4),
        run=Run("a", ranks_expected=1, job_seconds=20.0),
        ranks=table("ranks", finalize_end=[BEGIN + 2], process_begin=[BEGIN - 1]),
    )
    found = measure(run)
    assert (cell(found, "run.representative"), cell(found, "run.startup_share")) == (
        True,
        pytest.approx(0.9),
    )
    rules = [
        rule
        for rule in load_rules([resource_paths.rules()])
        if rule.id in ("long-start-up", "short-run")
    ]
    assert [finding.rule for finding in judge(found, rules).findings] == ["long-start-up"]


def test_two_phases_are_enough_and_said_by_the_slices():
    """64 slices of a second: the first half computes, the second is half MPI."""
    slices, late = np.arange(64), np.arange(64) >= 32
    parts = {
        kind: np.where(late, 0.5, 0.0) * (kind == "messages")
        for kind in ("collective", "messages", "completion", "onesided", "io", "management")
    }
    run = run_of(64, ("Send", 10**5, 16.0, 1e-4, 1e-3))
    run.tables["phases"] = table(
        "phases", rank=[0] * 64, ranks=[1] * 64, slice=slices, width=[1.0] * 64, **parts
    )
    found = measure(run)
    assert (cell(found, "run.representative"), cell(found, "run.warm_up_share")) == (True, 0.5)


SENTENCE = (
    "Unrepresentative run: the time in MPI rests on too few calls, most of all on MPI_{}. What"
    " rests on them has no predicted gain."
)


@pytest.mark.parametrize(
    "calls, words",
    [
        (
            [("Bcast", 1, 18.0, 18.0, 18.0), ("Allreduce", 1000, 1.0, 9e-4, 2e-3)],
            "Bcast, whose longest call took 18.0 s, and all its calls 18.0 s a rank",
        ),
        (
            [("Allreduce", 3001, 9.0, 1e-3, 6.0)],
            "Allreduce, whose longest call took 6.00 s, and all its calls 9.00 s a rank",
        ),
    ],
)
def test_the_banner_names_what_was_not_repeated(calls, words):
    assert measure(run_of(20, *calls)).banners == (SENTENCE.format(words),)


@pytest.mark.parametrize("count, enough", [(4, False), (5, True)])
def test_tools_that_do_not_tell_the_longest_call_count_as_chance(count, enough):
    found = measure(profile([60.0], [(0, "Allreduce", "intra_node", 4, count, 8, 30.0)]))
    assert cell(found, "run.representative") is enough
    assert enough or found.banners == (SENTENCE.format("Allreduce, called 4.00 times a rank"),)


def test_ranks_that_were_summed_up_are_as_one_average_rank():
    each = [(rank, "Send", "intra_node", 4, 10, 80, 1.0) for rank in range(3)]
    errors = [
        cell(measure(profile([10.0] * 3, calls)), "run.repetition_error")
        for calls in (each, [(-1, "Send", "intra_node", 4, 30, 240, 3.0)])
    ]
    assert errors[0] == pytest.approx(errors[1])


DRAWN = {
    "equal": lambda rng, size: np.ones(size),
    "uniform": lambda rng, size: rng.uniform(0.5, 1.5, size),
    "exponential": lambda rng, size: rng.exponential(1.0, size),
    "one of ten is long": lambda rng, size: np.where(rng.random(size) < 0.1, 5.5, 0.5),
}


HELD = [
    # calls drawn            5     20    200: in how many of 4000 samples the interval holds the
    # true sum, at least
    ("equal", (1.00, 1.00, 1.00)),
    ("uniform", (0.95, 0.99, 0.99)),
    ("exponential", (0.90, 0.97, 0.99)),
    # what did not happen in a sample, nothing in it tells of
    ("one of ten is long", (0.40, 0.85, 0.95)),
]


@pytest.mark.parametrize("place, count", [(0, 5), (1, 20), (2, 200)])
@pytest.mark.parametrize("kind, held", HELD)
def test_the_interval_holds_the_truth(kind, held, place, count):
    """All of these calls take 1 s in the mean."""
    drawn = DRAWN[kind](np.random.default_rng(1), (4000, count))
    widths = half_widths(np.full(4000, float(count)), drawn.sum(1), drawn.min(1), drawn.max(1))
    assert (np.abs(drawn.sum(1) - count) <= widths + 1e-9).mean() >= held[place]
