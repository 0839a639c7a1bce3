"""Waiting from durations alone: METRICS 3.4, level 2."""

from __future__ import annotations

from typing import NamedTuple, Tuple

import numpy as np

from advisor.analysis.engine.operation_groups import ALL_TO_ALL, MAY_SKIP


class Waits(NamedTuple):
    """Lower bounds in seconds. `known`: rows of `members` for which durations say something, bool
    [rows]."""

    per_row: np.ndarray
    per_rank: np.ndarray
    known: np.ndarray
    communicators: Tuple[int, ...]
    """Distinct ids, in order of appearance."""
    communicator_of: np.ndarray
    """The number of each row's communicator among them, int [rows]."""


def lower_bounds(
    members,
    operations: Tuple[str, ...],
    codes: np.ndarray,
    position: np.ndarray,
    count: int,
    excluded: np.ndarray,
) -> Waits:
    """D_i - min_j D_j for each rank, communicator and N-to-N operation, where D is the total time.

    Members that leave together waited d_ik - min_j d_jk in instance k. Summed over k that is D_i -
    sum_k min_j d_jk, and sum_k min_j d_jk <= min_j D_j, so D_i - min_j D_j never says too much. It
    also holds when some members did not report. `excluded`: ids of communicators where it does not
    hold.
    """
    ids, communicator_of = np.unique(members["communicator"], return_inverse=True)
    usable = np.isin(codes, [i for i, name in enumerate(operations) if name in ALL_TO_ALL])
    usable &= ~np.isin(members["communicator"], excluded)
    skipping = np.isin(codes, [i for i, name in enumerate(operations) if name in MAY_SKIP])
    if "bytes" in members:
        usable &= ~(skipping & (members["bytes"] == 0))
    group = communicator_of * max(1, len(operations)) + codes
    usable &= _all_called_alike(members["count"], group, usable)
    time = members["time"].astype(np.float64)
    per_row = np.where(usable, time - _least(time, group, usable)[group], 0.0)
    per_rank = np.bincount(position, weights=per_row, minlength=count)
    return Waits(per_row, per_rank, usable, tuple(ids.tolist()), communicator_of)


def _all_called_alike(count: np.ndarray, group: np.ndarray, usable: np.ndarray) -> np.ndarray:
    """Rows whose group has one number of calls in all its members: otherwise they saw different
    instances."""
    size = int(group.max()) + 1 if len(group) else 0
    count = count.astype(np.float64)
    most = np.zeros(size)
    np.maximum.at(most, group[usable], count[usable])
    return (_least(count, group, usable) == most)[group] if size else usable


def _least(values: np.ndarray, group: np.ndarray, usable: np.ndarray) -> np.ndarray:
    least = np.full(int(group.max()) + 1 if len(group) else 0, np.inf)
    np.minimum.at(least, group[usable], values[usable])
    return least
