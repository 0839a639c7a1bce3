"""Waiting from sampled calls of which all members are known: METRICS 3.3 and 3.4, level 1.

The share of waiting in the sampled calls of a kind, times the time in all calls of that kind, which
is known exactly. Plain expansion by the number of calls would have about ten times the error.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple

import numpy as np

from advisor.analysis.engine.arrays import coded

DEVIATIONS = 2.0
"""Half the width of intervals, in standard deviations: 95 %."""
READING = 1e-7
"""Seconds a call by which a wait may be off, whatever was sampled: what lies between a call and the
reading of the clock differs from call to call. Programs that keep their own times differ by 0.02
to 0.1 µs a call (benchmarks/TRUTH.md)."""
FIRST_READING = 7e-7
"""Seconds by which the first call of a kind may be off beyond that: neither the library's code nor
ours is in a cache then. Seen: 0.02 to 0.7 µs."""


class Rows(NamedTuple):
    """One value for each row of the table `waits`, seconds. `error`: one standard deviation."""

    wait: np.ndarray
    error: np.ndarray
    time: np.ndarray
    sampled: np.ndarray
    unresolved: np.ndarray


def rows(view: Any) -> Rows:
    """Estimates of the rows of `waits`; Unknown without that table.

    With weights a = 1/p the ratio is R = sum a w / sum a d, and its variance (sum a^2 (1-p) (w - R
    d)^2) / (sum a d)^2: the ratio estimator under Poisson sampling (Saerndal, Swensson, Wretman,
    Model Assisted Survey Sampling, 1992, section 5.6).
    """
    wait, duration, time, unresolved = (
        _numbers(view, name) for name in ("wait", "duration", "time", "unresolved")
    )
    some = np.where(duration > 0, duration, 1.0)
    share = np.minimum(wait / some, 1.0)
    squares = [
        _numbers(view, name) if view.has("waits", name) else np.zeros(len(wait))
        for name in ("wait_wait", "wait_duration", "duration_duration")
    ]
    variance = squares[0] - 2 * share * squares[1] + share * share * squares[2]
    unseen = _unaccounted(time, duration, squares[2]) * np.maximum(share, 1 - share) + _misread(
        view
    )
    error = time * np.sqrt(np.maximum(variance, 0)) / some + unseen / DEVIATIONS
    return Rows(
        time * share,
        np.minimum(error, time),
        time,
        _numbers(view, "sampled"),
        time * np.minimum(unresolved / some, 1.0),
    )


def _unaccounted(time: np.ndarray, duration: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """What the sampled calls leave open of the time in all calls, beyond their own deviation: a few
    long calls were missed, and nobody knows whether those waited."""
    return np.where(
        variance > 0,
        np.maximum(np.abs(time - duration) - DEVIATIONS * np.sqrt(np.maximum(variance, 0)), 0),
        0,
    )


def _misread(view: Any) -> np.ndarray:
    """Seconds of each row; none where all calls are known, as from a trace, whose times are taken
    as they are."""
    return (
        READING * _numbers(view, "calls") + FIRST_READING
        if view.has("waits", "wait_wait") and view.has("waits", "calls")
        else np.zeros(1)
    )


def propagated(view: Any) -> np.ndarray:
    """Of the waiting of each row of `waits`, what goes with the calls themselves: METRICS 3.5;
    Unknown in profiles without it."""
    part, wait = _numbers(view, "propagated"), _numbers(view, "wait")
    return view.sampled.wait * np.minimum(part / np.where(wait > 0, wait, 1.0), 1.0)


def inherited(view: Any) -> np.ndarray:
    """Of the time of each row of `waits`, what goes with the other operation that its calls came
    straight from: the waiting that this caused, and all but waiting of the first calls on a
    communicator that it made. METRICS 3.5; Unknown in profiles without it."""
    return _of_all(view, _numbers(view, "inherited") + _numbers(view, "first_use"))


def explained(view: Any) -> np.ndarray:
    """Of the waiting of each row of `waits`, what computing before the calls explains, or nothing
    does that is known; Unknown in profiles that tell no more."""
    return np.maximum(
        view.sampled.wait - propagated(view) - _of_all(view, _numbers(view, "inherited")), 0
    )


def inherited_within(view: Any) -> np.ndarray:
    """Of the waiting of each row of `waits`, what calls handed on to each other, as far as the
    profile tells it; seconds."""
    if not view.has("waits", "propagated"):
        return np.zeros(len(view.sampled.wait))
    return (
        view.sampled.wait - explained(view) if view.has("waits", "inherited") else propagated(view)
    )


def _of_all(view: Any, part: np.ndarray) -> np.ndarray:
    """Scaled from the sampled calls of each row to all of its calls."""
    duration = _numbers(view, "duration")
    return view.sampled.time * np.minimum(part / np.where(duration > 0, duration, 1.0), 1.0)


def _numbers(view: Any, name: str) -> np.ndarray:
    return view.column("waits", name).astype(np.float64)


class ByName(NamedTuple):
    """Sums over all ranks, by operation: float64 [operations], in seconds. `covered`: time of the
    kinds that were sampled."""

    wait: np.ndarray
    error: np.ndarray
    covered: np.ndarray


def by_name(view: Any, names: np.ndarray) -> ByName:
    """Errors are added, not their squares: all ranks and kinds may err in the same instance, so
    this is the widest."""
    found = view.sampled
    row = operation_rows(view, names)
    keep = row >= 0
    sums = [
        np.bincount(row[keep], weights=values[keep], minlength=len(names))
        for values in (found.wait, found.error, found.time)
    ]
    return ByName(*sums)


def operation_rows(view: Any, names: np.ndarray, column: str = "operation") -> np.ndarray:
    """The place in `names` of each row of `waits`, by its operation or the one in `after`, -1: not
    there."""
    found, codes = coded(view.column("waits", column))
    index = {name: place for place, name in enumerate(names)}
    places = np.array([index.get(name, -1) for name in found] or [-1])
    return places[codes] if len(codes) else np.zeros(0, np.int64)


def by_rank(view: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Waiting of each rank and its standard deviation, float64 [P]; Unknown where ranks were summed
    up."""
    position = view.position("waits")
    return tuple(
        np.bincount(position, weights=values, minlength=view.count)
        for values in (view.sampled.wait, view.sampled.error)
    )
