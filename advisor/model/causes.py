"""Causes: where the elapsed time of a run went, divided without gap or overlap, and what each part
can give back."""

from __future__ import annotations

from typing import NamedTuple, Sequence, Tuple

import numpy as np

WAITING, UNSPLIT, COMPUTING, LIMITS = "waiting", "not split", "computing", "start or end"
POLLING, BETWEEN_POLLS = "polling", "between polls"
HANDED_ON, IN_TURNS, IDLE = "handed on", "in turns", "idle"
PROGRESS = "progress"
LOCAL = "local"
"""State of time in the library: no other rank takes part in the call."""
IMBALANCE, NO_CORE = "imbalance", "no core"
NO_CORE_IN_MPI = "no core in MPI"


class Cause(NamedTuple):
    """One part of the time. `kind`: computing, transfer, waiting, …; of waiting the wait `state`,
    and `origin`: what delayed those who were waited for.

    `path`, `size`: class of the communicator or path to the peer, and size group, of transfers and
    of what is not split; else empty."""

    kind: str
    state: str = ""
    origin: str = ""
    operation: str = ""
    path: str = ""
    size: str = ""


class Causes(NamedTuple):
    """`seconds`: float64 [parts, R]; R is the ranks, or 1 where only means over ranks are known.
    Each column and `rest` add up to `elapsed`."""

    parts: Tuple[Cause, ...]
    seconds: np.ndarray
    most: np.ndarray
    """Upper ends (95 %) of the same; float64 [parts, R]."""
    ranks: int
    elapsed: float

    @property
    def means(self) -> np.ndarray:
        """Seconds of each part, averaged over ranks, float64 [parts]: they add up to `elapsed`."""
        return self.seconds.mean(axis=1)

    def returned(self, chosen: Sequence[int], work_stays: bool = False) -> float:
        """Elapsed seconds that are saved at most if the chosen parts go.

        No rank's time line gets shorter than what remains on it beside waiting; none gets shorter
        by more than the chosen parts and the waiting that calls hand on take on the rank where they
        take most; and no path through the run holds more of them than all ranks together. Who is
        waited for may be made faster: where waiting is chosen, the bound is what the rank that
        waited longest waited (longest minus shortest, not minus mean), and of waiting in turns as
        much again, since each rank is late itself at times.

        `work_stays`: ranks compute as much in all as before, and the run takes as long as the mean
        of that at least."""
        rows = list(dict.fromkeys(chosen))
        if not rows:
            return 0.0
        waits = [row for row in rows if self.parts[row].kind == WAITING]
        own = self.most[rows].sum(axis=0)
        bounds = [
            float((own + self.most[self._with_them(rows)].sum(axis=0)).max())
            + self._let_wait(waits),
            float((own + self._unsplit(waits)).mean()) * self.ranks,
            self.elapsed - (self._computing() if work_stays else 0.0),
        ]
        if not waits:
            others = [
                row
                for row, part in enumerate(self.parts)
                if row not in rows and part.kind in (WAITING, LIMITS, NO_CORE_IN_MPI)
            ]
            bounds.append(float((own + self.most[others].sum(axis=0)).min()))
        return min(bounds)

    def _computing(self) -> float:
        """Mean seconds of computing."""
        rows = [row for row, part in enumerate(self.parts) if part.kind == COMPUTING]
        return float(self.means[rows].sum())

    def _with_them(self, rows: Sequence[int]) -> Sequence[int]:
        """Parts that may go as well: waiting that is handed on, and for the end; time without a
        core in calls, since nobody knows in which; and where waiting is chosen, all time that is
        not split, since it may be the same waiting. Of a killed rank that is nearly all."""
        calls = any(self.parts[row].operation for row in rows)
        waits = any(self.parts[row].kind == WAITING for row in rows)
        return [
            row
            for row, part in enumerate(self.parts)
            if row not in rows
            and (
                part.kind == LIMITS
                or (calls and part.kind == NO_CORE_IN_MPI)
                or part.kind == WAITING
                and part.origin in (HANDED_ON, "")
                or (waits and part.kind == UNSPLIT)
            )
        ]

    def _unsplit(self, waits: Sequence[int]) -> np.ndarray:
        """Seconds of each rank that may be more of the same waiting; float64 [R]."""
        rows = [row for row, part in enumerate(self.parts) if waits and part.kind == UNSPLIT]
        return np.asarray(self.most[rows].sum(axis=0))

    def _let_wait(self, waits: Sequence[int]) -> float:
        """Seconds by which a rank held up others in turns, at most: as long as it, or another,
        waited in turns itself."""
        turns = [row for row in waits if self.parts[row].origin in (IN_TURNS, "")]
        return float(self.most[turns].sum(axis=0).max()) if turns else 0.0
