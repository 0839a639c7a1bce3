"""Calls in which all ranks wait for the last one: whether the same ranks are late each time."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.analysis.engine.operation_groups import ALL_TO_ALL
from advisor.model.measures import Quality


@metric("run.meeting_imbalance_share", unit="share", quality=Quality.ESTIMATED)
def meeting_imbalance_share(view, run):
    """What ranks wait, in calls in which all ranks wait for all, for those that are late in the
    same kind of call (operation, size, communicator) each time, beyond run.imbalance_share and
    run.wait_after_messages_share: phases that are uneven although their sum is not. In each kind
    the mean waiting less the shortest and less what chance makes of that; as share of run.time. A
    lower bound: 0 where waits are not known by kind and rank.

    Chance: of ranks that are late by turns, the shortest sum of n exponential waits lies about
    sqrt(2 ln ranks / n) of the mean below it.
    """
    try:
        waits, calls = _by_kind(view)
        mean = waits.mean(1)
        chance = mean * np.sqrt(2 * np.log(view.count) / np.maximum(calls, 1.0))
        lasting = float(np.maximum(mean - waits.min(1) - chance, 0).sum())
        known = max(run.imbalance_share, 0.0) + run.wait_after_messages_share
        share = max(lasting / run.time - known, 0.0)
    except Unknown:
        share = 0.0
    share = share if np.isfinite(share) else 0.0
    return Value(share, low=share, note="lower bound")


def _by_kind(view) -> "tuple[np.ndarray, np.ndarray]":
    """Seconds that each rank waits in each kind of call of all ranks, float64 [kinds, ranks], and
    how many calls of the kind a rank makes, [kinds]. One kind of nothing where there is none."""
    wait, position = view.sampled.wait, view.position("waits")
    communicators = _of_all(view)
    names = view.column("waits", "operation")
    kinds: dict = {}
    for row, key in enumerate(
        zip(
            view.column("waits", "communicator").tolist(),
            names.tolist(),
            view.column("waits", "bin").tolist(),
        )
    ):
        if key[0] in communicators and key[1] in ALL_TO_ALL:
            kinds.setdefault(key, []).append(row)
    waits, calls = np.zeros((max(1, len(kinds)), view.count)), np.zeros(max(1, len(kinds)))
    counts = view.column("waits", "calls").astype(np.float64)
    for place, rows in enumerate(kinds.values()):
        waits[place] = np.bincount(position[rows], wait[rows], view.count)
        calls[place] = counts[rows].sum() / view.count
    return waits, calls


def _of_all(view) -> "set[int]":
    """Communicators that hold all ranks."""
    sizes = view.column("communicators", "size").tolist()
    return {
        identity
        for identity, size in zip(view.column("communicators", "id").tolist(), sizes)
        if size == view.count
    }
