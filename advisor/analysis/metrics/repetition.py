"""How well the calls of one run determine their usual time: METRICS 1, repetition."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.model.measures import Quality
from advisor.model.student import quantile

UNTOLD, AT_STAKE = 1.0, 0.02
"""METRICS 1: from the first on the 95 % interval of a time reaches down to 0; below the second, as
share of run.time, nothing is at stake (METRICS 15)."""
_FREEDOM, _NORMAL = 30, 2.0
"""From 30 degrees of freedom on Student's quantile is within 5 % of the normal one."""
_ONCE = "no time passed in it"


@lru_cache(maxsize=1)
def _quantiles() -> np.ndarray:
    return np.array([np.inf, *(quantile(0.975, freedom) for freedom in range(1, _FREEDOM + 1))])


def half_widths(
    count: np.ndarray, time: np.ndarray, least: np.ndarray, most: np.ndarray
) -> np.ndarray:
    """Half of the 95 % interval of a sum of `count` calls that took `time` in all, the shortest
    `least`, the longest `most`; at most that.

    The variance of values between two ends is at most (most - mean) (mean - least): Bhatia and
    Davis, American Mathematical Monthly 107, 2000. Where even the number of the calls is chance,
    that of the sum is Σ d², at most most × time. A single call may as well not have come: twice its
    time.
    """
    mean = time / np.maximum(count, 1)
    scatter = np.maximum(most - mean, 0) * np.maximum(mean - least, 0)
    freedom = np.maximum(count - 1, 1)
    reported = (
        _quantiles()[np.minimum(freedom, _FREEDOM).astype(int)] * count * np.sqrt(scatter / freedom)
    )
    by_chance = _NORMAL * np.sqrt(most * time)
    return np.where(count > 1, np.minimum(reported, by_chance), by_chance)


def rows_of_calls(view) -> np.ndarray:
    """`half_widths` of each row of `calls`, float64 [rows]. Where ranks are summed up, of an
    average rank, times the ranks."""
    ranks = view.count if view.summed("calls") else 1
    count, time = (
        view.column("calls", name).astype(np.float64) / ranks for name in ("count", "time")
    )
    if view.has("calls", "min") and view.has("calls", "max"):
        ends = (view.column("calls", name).astype(np.float64) for name in ("min", "max"))
        return ranks * half_widths(np.maximum(count, 1), time, *ends)
    # Nobody says how calls differ: as if they came by chance, and each took the mean.
    view.grade.lower(Quality.ASSUMED)
    return ranks * _NORMAL * time / np.sqrt(np.maximum(count, 1))


def _together(view, group: np.ndarray, groups: int) -> np.ndarray:
    """Half-widths of the times of each group of rows, summed over ranks, [groups]: rows of a rank
    are independent, ranks meet and are late together."""
    keep = (group >= 0) & view.counted
    rank = np.zeros(len(group), np.int64) if view.summed("calls") else view.position("calls")
    ranks = 1 if view.summed("calls") else view.count
    squares = np.bincount(
        group[keep] * ranks + rank[keep],
        weights=rows_of_calls(view)[keep] ** 2,
        minlength=groups * ranks,
    )
    return np.sqrt(squares.reshape(groups, ranks)).sum(axis=1)


def _shares(view, group: np.ndarray, groups: int) -> Value:
    time = np.bincount(
        group[group >= 0],
        weights=view.column("calls", "time")[group >= 0].astype(np.float64),
        minlength=groups,
    )
    value = ratio(_together(view, group, groups), time)
    return Value(value, high=value, note="upper bound", reason=_ONCE)


@metric("operation.repetition_error", unit="share", quality=Quality.ESTIMATED)
def of_operation(view):
    """Half of the 95 % interval of operation.time, as share of it, at most: from how often, and how
    evenly, its calls came. From 1 on the interval reaches 0: too few calls to predict from.
    METRICS 1."""
    return _shares(view, view.by_operation.row_of, len(view.by_operation.names))


@metric("cell.repetition_error", unit="share", quality=Quality.ESTIMATED)
def of_cell(view):
    """The same of cell.time."""
    return _shares(view, view.cells.of, len(view.cells.first))


@metric("run.repetition_error", unit="share", quality=Quality.ESTIMATED)
def of_run(view):
    """The same of run.mpi_time."""
    view.all_listed()
    if not view.mpi_total > 0:
        raise Unknown("no time passed in MPI")
    value = float(_together(view, np.where(view.counted, 0, -1), 1)[0] / view.mpi_total)
    return Value(value, high=value, note="upper bound")


@metric("run.least_repeated", unit="text")
def least_repeated(operation):
    """The operation with the largest part in run.repetition_error."""
    widths = np.nan_to_num(operation.repetition_error) * operation.time
    if not len(widths) or not widths.max() > 0:
        raise Unknown("no time passed in MPI")
    return operation.name[int(np.argmax(widths))]


@metric("run.representative", unit="yes/no")
def representative(run):
    """Whether enough is repeated in the run to predict from it: METRICS 1. No, if
    run.repetition_error is 1 or more and 2 % of elapsed are at stake."""
    return bool(run.repetition_error < UNTOLD or run.repetition_error * run.mpi_share < AT_STAKE)
