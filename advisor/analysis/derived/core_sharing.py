"""Which ranks of a host may run on the same CPUs."""

from __future__ import annotations

from functools import lru_cache
from typing import Dict, FrozenSet, List, NamedTuple, Tuple

import numpy as np


class Places(NamedTuple):
    """Per rank, float64 [P]: overlapping ranks short of CPUs; ranks with the same mask; size of the
    mask. NaN: no mask."""

    shared: np.ndarray
    same: np.ndarray
    sizes: np.ndarray


Kind = Tuple[FrozenSet[int], List[int]]
"""CPUs of a mask, and the ranks of one host that have it."""
_MOST_CPUS = 1 << 16


@lru_cache(maxsize=4096)
def cpus_of(text: str) -> FrozenSet[int]:
    """CPUs of a list such as 0-3,8. Empty if it cannot be read."""
    cpus: List[int] = []
    try:
        for part in filter(None, text.split(",")):
            first, _, last = part.partition("-")
            low, high = int(first), int(last or first)
            if not 0 <= low <= high < _MOST_CPUS:
                return frozenset()
            cpus.extend(range(low, high + 1))
    except ValueError:
        return frozenset()
    return frozenset(cpus)


def places(masks: np.ndarray, node_of: np.ndarray, threads: np.ndarray) -> Places:
    """Places from the masks (text [P]), hosts (int [P]) and threads (float64 [P])."""
    kinds: Dict[Tuple[int, str], List[int]] = {}
    for index, key in enumerate(zip(node_of.tolist(), masks.tolist())):
        kinds.setdefault(key, []).append(index)
    found = np.full((3, len(masks)), np.nan)
    by_node: Dict[int, List[Kind]] = {}
    for (node, mask), members in kinds.items():
        if cpus_of(mask):
            by_node.setdefault(node, []).append((cpus_of(mask), members))
    worked_out: Dict[object, np.ndarray] = {}
    counts = threads.tolist()
    for on_node in by_node.values():
        # Thousands of hosts have the same masks and threads.
        like = tuple((cpus, tuple(counts[index] for index in members)) for cpus, members in on_node)
        if like not in worked_out:
            worked_out[like] = np.repeat(
                [_place(cpus, members, on_node, threads) for cpus, members in on_node],
                [len(members) for _, members in on_node],
                axis=0,
            )
        found[:, [index for _, members in on_node for index in members]] = worked_out[like].T
    return Places(*found)


def _place(
    cpus: FrozenSet[int], members: List[int], on_node: List[Kind], threads: np.ndarray
) -> Tuple[int, int, int]:
    """Of the ranks with this mask, as in Places."""
    near = [(other, theirs) for other, theirs in on_node if cpus & other]
    everyone = [index for _, theirs in near for index in theirs]
    available = len(frozenset().union(*(other for other, _ in near)))
    return len(everyone) - 1 if available < threads[everyone].sum() else 0, len(members), len(cpus)
