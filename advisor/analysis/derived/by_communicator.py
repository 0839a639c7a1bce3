"""The table `members` put together by communicator."""

from __future__ import annotations

from typing import Any

import numpy as np


class ByCommunicator:
    """Communicators in use, the one with the most time first."""

    def __init__(self, view: Any) -> None:
        identity = view.column("members", "communicator")
        ids, of = np.unique(identity, return_inverse=True)
        totals = np.bincount(of, weights=view.column("members", "time"), minlength=len(ids))
        order = np.argsort(-totals, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        self.ids = ids[order]
        """Their identities, [communicators]."""
        self.of = rank[of] if len(of) else of
        """The communicator of each row of `members`, int [rows]."""
        self.place = self._places(view)
        """Row of each in the profile's table `communicators`, int [communicators]; -1: not there.
        """
        self.members = self._members(view)
        """Members of each, float64 [communicators]; of one that is not described, ranks that called
        it."""

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sums over the rows of each, float64 [communicators]."""
        return np.bincount(self.of, weights=values.astype(np.float64), minlength=len(self.ids))

    def _places(self, view: Any) -> np.ndarray:
        known = {}
        if view.has("communicators"):
            known = {
                value: i for i, value in enumerate(view.column("communicators", "id").tolist())
            }
        return np.array([known.get(value, -1) for value in self.ids.tolist()], dtype=np.int64)

    def _members(self, view: Any) -> np.ndarray:
        if view.summed("members"):
            return np.where(
                self.place >= 0,
                view.column("communicators", "size")[self.place].astype(np.float64),
                np.nan,
            )
        pairs = (
            np.unique(self.of * view.count + view.position("members")) if len(self.of) else self.of
        )
        called = np.bincount(pairs // view.count, minlength=len(self.ids)).astype(np.float64)
        if not view.has("communicators", "size"):
            return called
        sizes = view.column("communicators", "size").astype(np.float64)
        # A member that was killed did not report; it must not make the others' mean larger than it
        # was.
        return (
            np.where(self.place >= 0, np.maximum(sizes[self.place], called), called)
            if len(sizes)
            else called
        )
