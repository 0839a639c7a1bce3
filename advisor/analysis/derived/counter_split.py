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


def counted(view: Any) -> Counted:
    """The rows of `counters`; Unknown without that table."""
    inside_time, outside_time = _times(view)
    inside, inside_variance = _expanded(view, "inside", inside_time)
    outside, outside_variance = _expanded(view, "outside", outside_time)
    total, both = _column(view, "total"), inside + outside
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


def _times(view: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Seconds inside and outside MPI of each row; where ranks were summed up, several threads call
    MPI, or nobody knows how long ranks ran, what was sampled."""
    if (
        view.summed("counters")
        or view.summed("calls")
        or view.many_callers
        or not (view.has("ranks", "window") or view.has("ranks", "init_end"))
    ):
        return _column(view, "inside_time"), _column(view, "outside_time")
    position = view.position("counters")
    return view.mpi_time[position], view.useful[position]


def _expanded(view: Any, part: str, time: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """The count of a part and its variance: a ratio estimate over windows, as for waiting
    (sampled_waits.py)."""
    count, sampled = _column(view, part), _column(view, f"{part}_time")
    squares = [_column(view, f"{part}_{name}") for name in ("squares", "products", "time_squares")]
    some = np.where(sampled > 0, sampled, 1.0)
    rate, scale = count / some, time / some
    variance = squares[0] - 2 * rate * squares[1] + rate**2 * squares[2]
    return rate * time, np.maximum(variance, 0) * scale**2


def _column(view: Any, name: str) -> np.ndarray:
    return view.column("counters", name).astype(np.float64)
