"""Counters of processor and system, split into inside MPI and outside: METRICS 13.

Counters are read around some calls in a row, now and then. What was counted for each second inside
these calls, and between them, is multiplied by the time inside and outside MPI, which is known
exactly; both parts are then scaled to their sum, which was counted.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple

import numpy as np

DEVIATIONS = 2.0
"""Half the width of intervals, in standard deviations: 95 %."""


class Counted(NamedTuple):
    """One value for each row of the table `counters`. `error`: one standard deviation of `outside`,
    and of `inside`."""

    total: np.ndarray
    outside: np.ndarray
    error: np.ndarray


def counted(seen: Any) -> Counted:
    """The rows of `counters`; Unknown without that table."""
    inside_time, outside_time = _times(seen)
    inside, inside_variance = _expanded(seen, "inside", inside_time)
    outside, outside_variance = _expanded(seen, "outside", outside_time)
    total, both = _column(seen, "total"), inside + outside
    some = np.where(both > 0, both, 1.0)
    share = np.where(both > 0, outside / some, np.nan)
    share = np.where(total == 0, 0.0, share)
    # The total is exact, so what one part has too much the other has too little.
    error = np.sqrt(share**2 * inside_variance + (1 - share) ** 2 * outside_variance) / some
    return Counted(
        total, total * share, total * np.minimum(error, 1.0) + _unseen(total, both, share)
    )


def _unseen(total: np.ndarray, both: np.ndarray, share: np.ndarray) -> np.ndarray:
    """What no window stands for may be all of one part: pages are touched for the first time in
    bursts, which windows miss. In standard deviations."""
    return np.maximum(total - both, 0.0) * np.maximum(share, 1 - share) / DEVIATIONS


def _times(seen: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Seconds inside and outside MPI of each row; where ranks were summed up, several threads call
    MPI, or nobody knows how long ranks ran, what was sampled."""
    if (
        seen.summed("counters")
        or seen.summed("calls")
        or seen.many_callers
        or not (seen.has("ranks", "window") or seen.has("ranks", "init_end"))
    ):
        return _column(seen, "inside_time"), _column(seen, "outside_time")
    position = seen.position("counters")
    return seen.mpi_time[position], seen.useful[position]


def _expanded(seen: Any, part: str, time: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """The count of a part and its variance: a ratio estimate over windows, as for waiting
    (sampled_waits.py)."""
    count, sampled = _column(seen, part), _column(seen, f"{part}_time")
    squares = [_column(seen, f"{part}_{name}") for name in ("squares", "products", "time_squares")]
    some = np.where(sampled > 0, sampled, 1.0)
    rate, scale = count / some, time / some
    variance = squares[0] - 2 * rate * squares[1] + rate**2 * squares[2]
    return rate * time, np.maximum(variance, 0) * scale**2


def _column(seen: Any, name: str) -> np.ndarray:
    return seen.column("counters", name).astype(np.float64)
