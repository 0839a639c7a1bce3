"""Waiting that durations prove, since no network takes so long: in one-sided calls for a target
that does not call MPI, and in calls on messages of which hardly any was sampled. METRICS 3.4."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from advisor.analysis.engine.metric import Unknown
from advisor.analysis.engine.operation_groups import group_of

LONGEST_CALL = 5e-5
"""Seconds that a one-sided call, or one that completes some, takes at most while its target answers
at once, inside a node: below 2 µs by shared memory, 10 to 45 by TCP (own measurements 2026)."""
LONGEST_BETWEEN = 5e-4
"""The same between nodes: a message and its answer take 0.1 ms and more over the Ethernet of
clouds, and several times as long through congested switches."""
SLOWEST = 1e8
"""Bytes a second at least, beyond that: Ethernet of 1 Gbit/s."""
MESSAGES = ("p2p", "completion")
COMPLETING = re.compile(r"Win_(unlock|flush).*")
MOST_FOR_LOCKS = 0.2
"""Of the time of what completes calls: where more is waiting for locks, the rest may be as well,
since samples find as little as half of it (collectors/LOCKS.md)."""


def waits_for_progress(view: Any) -> np.ndarray:
    """Seconds by operation and rank, float64 [operations, P], at least: the time of one-sided calls
    and of what completes them, less what calls and data take on the slowest network, less the
    waiting for locks that was sampled. 0 where ranks were summed up, and in what completes calls
    where it may have waited for others who held a lock."""
    found = view.by_operation
    if view.summed("calls"):
        return np.zeros((len(found.names), 1))
    chosen = np.array([group_of(name) == "rma" for name in found.names], bool)
    completes = np.array([bool(COMPLETING.fullmatch(name)) for name in found.names], bool)
    for_locks, sampled = (
        found.sampled if view.has_sampled else [np.zeros(found.time.shape) for _ in range(2)]
    )
    if _waits_for_nobody(found, completes, for_locks, sampled):
        chosen |= completes
    time = np.where(chosen[:, None], np.maximum(found.time - for_locks, 0), 0.0)
    calls, moved = (found.sums(name)[chosen].sum(axis=0) for name in ("count", "bytes"))
    return _proven(view, time, calls, moved)


def waits_for_messages(view: Any) -> np.ndarray:
    """The same of messages, in operations of which less than half was sampled, as between groups of
    ranks (intercommunicators): less what calls take, and what all messages of the run take, since
    nobody counts what a rank receives."""
    found = view.by_operation
    waits = np.zeros((len(found.names), 1 if view.summed("calls") else view.count))
    if view.summed("calls") or not view.has("ranks", "event_overhead"):  # ours has all bytes
        return waits
    chosen = np.array([group in MESSAGES for group in found.groups], bool)
    whole, split = found.time, found.sampled[1] if view.has_sampled else waits
    chosen &= split.sum(axis=1) < whole.sum(axis=1) / 2
    time = np.where(chosen[:, None], np.maximum(whole - split, 0), 0.0)
    calls = found.sums("count")[chosen].sum(axis=0)
    moved = found.sums("bytes")[[group == "p2p" for group in found.groups]].sum()
    return _proven(view, time, calls, moved)


def _proven(view: Any, time: np.ndarray, calls: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Of the time of each operation and rank. A call may also have lost its core: all that a rank
    lost in MPI is taken off, and nothing is proven of a rank that does not know."""
    whole = time.sum(axis=0)
    try:
        lost = np.where(view.no_core.reported, view.no_core.inside, np.inf)
    except Unknown:
        return np.zeros_like(time)
    longest = LONGEST_BETWEEN if len(view.profile.nodes) > 1 else LONGEST_CALL
    least = np.maximum(whole - longest * calls - moved / SLOWEST - lost, 0)
    return time * np.divide(least, whole, out=np.zeros_like(whole), where=whole > 0)


def _waits_for_nobody(
    found: Any, completes: np.ndarray, for_locks: np.ndarray, sampled: np.ndarray
) -> bool:
    """Whether what completes calls waits for no lock of others: there are no locks but those of all
    ranks at once, or samples tell."""
    time = found.time[completes].sum()
    if "Win_lock" not in found.names:
        return True
    return bool(
        sampled[completes].sum() >= time / 2 and for_locks[completes].sum() <= MOST_FOR_LOCKS * time
    )
