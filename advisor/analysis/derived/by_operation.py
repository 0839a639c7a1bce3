"""The table `calls` summed by operation and rank, and by operation and size bin."""

from __future__ import annotations

from typing import Any, NamedTuple, Tuple

import numpy as np

from advisor.analysis.derived.sampled_waits import explained, inherited, operation_rows, propagated
from advisor.analysis.engine.arrays import objects
from advisor.analysis.engine.operation_groups import ALL_TO_ALL
from advisor.analysis.engine.size_bins import MIXED, carries_data


class Sizes(NamedTuple):
    """Data-carrying calls. `bins` int [B] ascending; `calls`, `bytes`, `time` float64 [operations,
    B], NaN if sizes were not kept apart."""

    bins: np.ndarray
    calls: np.ndarray
    bytes: np.ndarray
    time: np.ndarray


class ByOperation:
    """Operations ordered by their time, the longest first. Matrices are float64 [operations, P]."""

    def __init__(self, view: Any) -> None:
        self._view = view
        names, codes = view.operations
        chosen = view.counted
        present = np.unique(codes[chosen])
        totals = np.bincount(
            codes[chosen], weights=view.column("calls", "time")[chosen], minlength=len(names)
        )
        order = present[np.argsort(-totals[present], kind="stable")]
        self._row = np.full(max(1, len(names)), -1)
        self._row[order] = np.arange(len(order))
        self._row_of = self._row[codes] if len(codes) else np.zeros(0, np.int64)
        self.names = objects([names[i] for i in order])
        self.groups = objects([view.groups[i] for i in order])

    @property
    def time(self) -> np.ndarray:
        """Time by operation and rank."""
        return self.sums("time")

    @property
    def row_of(self) -> np.ndarray:
        """The row of each row of `calls`, int [rows of calls]; -1: not MPI time."""
        return self._row_of

    def sums(self, name: str) -> np.ndarray:
        """Sums of a column of `calls` by operation and rank."""
        return self._matrix(
            self._view.column("calls", name).astype(np.float64),
            self._row_of,
            self._view.position("calls"),
        )

    def sum_rows(self, values: np.ndarray) -> np.ndarray:
        """Sums of one value a row of `calls` by operation, float64 [operations]."""
        keep = self._row_of >= 0
        return np.bincount(self._row_of[keep], weights=values[keep], minlength=len(self.names))

    def _matrix(self, values: np.ndarray, row: np.ndarray, position: np.ndarray) -> np.ndarray:
        keep, count = row >= 0, self._view.count
        size = len(self.names) * count
        return np.bincount(
            row[keep] * count + position[keep], weights=values[keep], minlength=size
        ).reshape(-1, count)

    @property
    def waits(self) -> Tuple[np.ndarray, np.ndarray]:
        """Whether durations bound the waiting of each operation, bool [operations]; the bounds
        [operations, P]."""
        names, codes = self._view.member_operations
        index = {name: i for i, name in enumerate(self.names)}
        row = (
            np.array([index.get(name, -1) for name in names] or [-1])[codes]
            if len(codes)
            else codes
        )
        waits = self._view.waits
        known = np.zeros(len(self.names), bool)
        known[row[waits.known & (row >= 0)]] = True
        return known, self._matrix(waits.per_row, row, self._view.position("members"))

    @property
    def sampled(self) -> Tuple[np.ndarray, np.ndarray]:
        """Waiting from samples and the time of the kinds of calls that were sampled, [operations,
        P]."""
        row, position = operation_rows(self._view, self.names), self._view.position("waits")
        found = self._view.sampled
        return self._matrix(found.wait, row, position), self._matrix(found.time, row, position)

    @property
    def propagated(self) -> np.ndarray:
        """Waiting that goes with the calls themselves, [operations, P]; 0 where no profile tells
        it."""
        if not self._view.has("waits", "propagated") or not self._view.has_sampled:
            return np.zeros((len(self.names), self._view.count))
        return self._matrix(
            propagated(self._view),
            operation_rows(self._view, self.names),
            self._view.position("waits"),
        )

    @property
    def inherited(self) -> np.ndarray:
        """Time in other operations that goes with these calls, which those came straight from,
        [operations, P]; 0 where no profile tells it."""
        if not self._tells_others:
            return np.zeros((len(self.names), self._view.count))
        return self._matrix(
            inherited(self._view),
            operation_rows(self._view, self.names, "after"),
            self._view.position("waits"),
        )

    @property
    def alternating(self) -> np.ndarray:
        """Waiting for computing in operations in which all wait for all, beyond what the rank with
        the most computing has more than this one over the whole run, [operations, P]: what evens
        out if ranks do not meet there. 0 where no profile tells it."""
        if not self._tells_others:
            return np.zeros((len(self.names), self._view.count))
        waited = self._matrix(
            explained(self._view),
            operation_rows(self._view, self.names),
            self._view.position("waits"),
        )
        useful = self._view.useful
        lasting = np.where(np.isfinite(useful).all(), np.nanmax(useful) - useful, np.inf)
        return np.where(
            np.isin(self.names, sorted(ALL_TO_ALL))[:, None], np.maximum(waited - lasting, 0), 0
        )

    @property
    def _tells_others(self) -> bool:
        return self._view.has("waits", "after") and self._view.has_sampled

    @property
    def removable(self) -> np.ndarray:
        """What a rank saves, at most, if the calls go: `tunable` and, of the waiting, `propagated`;
        in other calls `inherited`; [operations, P]."""
        return np.minimum(self.tunable + self.propagated, self.time) + self.inherited

    @property
    def tunable(self) -> np.ndarray:
        """Time minus known waiting, [operations, P]; without the table of members, all of the
        time."""
        if self._view.has_sampled:
            return np.maximum(self.time - self.sampled[0], 0)
        if not self._view.has("members"):
            return self.time
        return np.maximum(self.time - self.waits[1], 0)

    @property
    def sizes(self) -> Sizes:
        """Data-carrying calls by size bin."""
        bin_of = self._view.column("calls", "bin").astype(np.int64)
        keep = carries_data(bin_of) & (self._row_of >= 0)
        mixed = np.isin(np.arange(len(self.names)), self._row_of[bin_of == MIXED])
        bins, code = np.unique(bin_of[keep], return_inverse=True)
        place, size = self._row_of[keep] * len(bins) + code, len(self.names) * len(bins)
        sums = [
            np.bincount(
                place,
                weights=self._view.column("calls", name)[keep].astype(np.float64),
                minlength=size,
            ).reshape(len(self.names), len(bins))
            for name in ("count", "bytes", "time")
        ]
        return Sizes(bins, *(np.where(mixed[:, None], np.nan, values) for values in sums))
