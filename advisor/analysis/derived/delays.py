"""Time without a core of each rank, and how much of it cost elapsed time: what was beyond
waiting."""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple

import numpy as np

NOISE = 0.01
"""Of the time: so long ranks are without a core on hosts that nobody else uses as well, for daemons
and interrupts. A quiet run has the waits for that too."""


class Delays(NamedTuple):
    """Seconds of the thread that began MPI, float64 [P]. Where not `told` the kernel knows no run
    delay: `inside` and `outside` may be sleep."""

    inside: np.ndarray
    outside: np.ndarray
    asleep_inside: np.ndarray
    asleep_outside: np.ndarray
    reported: np.ndarray


class Lost(NamedTuple):
    """Seconds of each rank, float64 [P]: an estimate between two bounds."""

    value: np.ndarray
    low: np.ndarray
    high: np.ndarray


def delays(view: Any) -> Delays:
    """Unknown in profiles of other collectors, and of older ones."""
    inside, outside, asleep_inside, asleep_outside = (
        np.maximum(view.ranks(name), 0)
        for name in ("no_core_inside", "no_core_outside", "asleep_inside", "asleep_outside")
    )
    reported = view.column("ranks", "run_delay_reported") > 0
    return Delays(inside, outside, asleep_inside, asleep_outside, reported)


def idle_outside(view: Any) -> np.ndarray:
    """Seconds outside MPI in which no thread of a rank ran, float64 [P]: the thread that began MPI
    was asleep, less all that other threads of the process can have computed meanwhile. NaN where
    the kernel does not tell, or nobody knows of a killed rank what its threads computed."""
    found = view.no_core
    ready = found.inside + found.outside
    own = view.window - ready - found.asleep_inside - found.asleep_outside
    others = np.maximum(view.ranks("user_time") + view.ranks("system_time") - own, 0)
    others = np.where(np.isnan(others) & (view.ranks("omp_threads") <= 1), 0.0, others)
    return np.where(found.reported, np.maximum(found.asleep_outside - others, 0), np.nan)


def beyond_waiting(view: Any) -> Lost:
    """Time without a core inside MPI that was not waiting. At least what waiting has no room for,
    at most what the rest has room for, in each slice of time. In between: as if a core was lost
    as often while waiting as otherwise."""
    delay, mpi, wait, most_wait = _in_slices(view) or _in_all(view)
    delay = np.minimum(delay, mpi)
    low, high = np.maximum(delay - most_wait, 0), np.minimum(delay, np.maximum(mpi - wait, 0))
    share = np.divide(wait, mpi, out=np.zeros(np.shape(mpi)), where=mpi > 0)
    return Lost(*(values.sum(1) for values in (np.clip(delay * (1 - share), low, high), low, high)))


def _in_slices(view: Any) -> Tuple[np.ndarray, ...]:
    """Delay, MPI time, waiting and most waiting of each rank in each slice; empty where slices are
    of groups of ranks, or waits of slices are not known."""
    if (
        not view.has_sampled
        or not view.has("phases", "no_core_inside")
        or not len(view.column("phases", "rank"))
    ):
        return ()
    grid, ranks = view.slices, view.column("ranks", "rank")
    if len(grid.first) != len(ranks):
        return ()
    place = np.searchsorted(grid.first, ranks)
    found = (
        grid.sum("no_core_inside"),
        grid.mpi,
        grid.wait,
        np.minimum(grid.wait + grid.unsplit, grid.mpi),
    )
    return tuple(values[place] for values in found)


def _in_all(view: Any) -> Tuple[np.ndarray, ...]:
    mpi, wait = view.mpi_time, np.minimum(view.waiting, view.mpi_time)
    return tuple(
        values[:, None]
        for values in (view.no_core.inside, mpi, wait, wait if view.has_sampled else mpi)
    )


def beyond_waiting_for_delayed(view: Any) -> float:
    """Most seconds in MPI beyond waiting, as a mean over ranks, in which another rank had no core.

    Both ends of a transfer are needed: who copies, or polls, goes on for as long as the other is
    away. In each slice that is no more than all others were without a core inside MPI, and no more
    than what is left of the rank's own time there."""
    delay, mpi, wait, _ = _in_slices(view) or _in_all(view)
    beyond = np.maximum(mpi - wait, 0)
    away = np.maximum(np.minimum(delay, mpi) - NOISE * mpi, 0)
    return float(np.minimum(away.sum(0) - away, beyond).sum()) / view.count


def waits_for_delayed(view: Any) -> Tuple[float, float]:
    """Seconds that ranks waited, as a mean, for ranks that were late since they had no core: an
    estimate, and the most that it can be.

    A second without a core makes each other rank wait for a second at most. In a slice in which a
    rank was longer outside MPI than the others, its delay explains no more of the waiting for it
    than its part of that difference."""
    grid = view.slices
    delay = np.maximum(
        grid.sum("no_core_inside") + grid.sum("no_core_outside") - NOISE * grid.time, 0
    )
    most = delay * (view.count - 1)
    ahead = (grid.time - grid.mpi) - (grid.time - grid.mpi).mean(0)
    part = np.where(
        ahead > delay, np.divide(delay, ahead, out=np.ones_like(delay), where=ahead > 0), 1.0
    )
    value = float(np.minimum(grid.sum("delay_cost") * part, most).sum()) / view.count
    high = min(float(most.sum()), float(view.sampled.wait.sum())) / view.count
    return min(value, high), high
