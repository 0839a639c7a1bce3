"""The table `phases` as arrays by group of ranks and slice of time."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.analysis.engine.metric import Unknown

MOST_SLICES, MOST_GROUPS = 128, 4096
KINDS = ("collective", "messages", "completion", "onesided", "io", "management")
_DAMAGED = "the slices of time in this profile contradict each other"


class Slices:
    """Sums over the ranks of a group, float64 [groups, slices]; seconds, bytes. NaN: not known.

    Slices begin at the end of MPI_Init on each rank. Ranks that ran for different times have slices
    of widths that differ by powers of two: all are brought to the widest, and on to at most 128.
    """

    def __init__(self, view: Any) -> None:
        widths, index = (
            view.column("phases", name).astype(np.float64) for name in ("width", "slice")
        )
        if not len(widths):
            raise Unknown("no call was counted in any slice of time")
        if not (np.isfinite(widths) & (widths > 0) & (widths < 1e9)).all():
            raise Unknown(_DAMAGED)
        self.width = float(widths.max())
        place = np.floor(index * widths / self.width + 1e-6)
        while place.max() >= MOST_SLICES:
            place, self.width = np.floor(place / 2), self.width * 2
        self.first, self.of = np.unique(view.column("phases", "rank"), return_inverse=True)
        """First rank of each group, and the group of each row."""
        self.count = int(place.max()) + 1
        if len(self.first) > MOST_GROUPS or (self.first < 0).any():
            raise Unknown(_DAMAGED)
        self._cell = self.of * self.count + place.astype(np.int64)
        self._view = view
        self.time = self._time()
        """Time of the ranks of each group in each slice, between MPI_Init and MPI_Finalize."""
        # A slice is closed by the first call after it; clocks and roundings must not make more than
        # all of it.
        self.mpi = np.minimum(sum(self.sum(kind) for kind in KINDS), self.time)

    def sum(self, name: str) -> np.ndarray:
        """A column of `phases`, summed."""
        values = self._view.column("phases", name).astype(np.float64)
        return np.bincount(
            self._cell, weights=values, minlength=len(self.first) * self.count
        ).reshape(len(self.first), self.count)

    def _time(self) -> np.ndarray:
        """Windows of the ranks, cut into slices."""
        windows = np.nan_to_num(self._view.window)
        group = np.searchsorted(self.first, self._view.ranks("rank"), side="right") - 1
        if (group < 0).any():
            raise Unknown(_DAMAGED)
        starts = np.arange(self.count) * self.width
        time = np.zeros((len(self.first), self.count))
        for slice_number, start in enumerate(starts):
            inside = np.clip(windows - start, 0, self.width)
            time[:, slice_number] = np.bincount(group, weights=inside, minlength=len(self.first))
        return time

    @property
    def wait(self) -> np.ndarray:
        """Waiting, estimated from samples: their share of waiting, of the time that was split."""
        self._view.grade_waits()
        split = self.sum("split")
        share = np.divide(self.sum("wait"), split, out=np.zeros_like(split), where=split > 0)
        return np.minimum(share, 1.0) * np.minimum(split, self.mpi)

    @property
    def unsplit(self) -> np.ndarray:
        """MPI time of calls of which it is not known what was waiting."""
        return np.maximum(self.mpi - self.sum("split"), 0)
