"""Where the time went: the whole run, and MPI enlarged. What is not split is said to be not split."""

from __future__ import annotations

from typing import List, Optional, Tuple

import numpy as np

from advisor.reports.composing.verdict import waiting
from advisor.reports.document import TimeBar, TimePart
from advisor.reports.format import nouns
from advisor.reports.lookup import Lookup

SEGMENTS = 6
"""At most so many parts of the enlarged bar: REPORTS 6."""
NARROW = 0.02
"""Parts below this share of MPI are put together: they would be too narrow for their words."""


def time_bar(run: Lookup) -> Optional[TimeBar]:
    """Mean seconds over ranks: outside MPI, waiting (a lower bound) and the rest of MPI, which is not split."""
    elapsed, mpi = run.number("run.time"), run.number("run.mpi_time")
    if not elapsed or mpi is None:
        return None
    mpi = min(mpi, elapsed)
    low = min(waiting(run) or 0.0, mpi)
    whole = (_part("outside", "outside MPI", elapsed - mpi, elapsed), *_in_mpi(low, mpi, elapsed))
    return TimeBar(elapsed, mpi, whole, _enlarged(run, low, mpi, elapsed), _note(run, low))


def _in_mpi(low: float, mpi: float, elapsed: float) -> Tuple[TimePart, ...]:
    wait = (_part("waiting", "waiting", low, elapsed, True),) if low > 0 else ()
    return (*wait, _part("unsplit", "moving data or waiting", mpi - low, elapsed))


def _part(role: str, label: str, value: float, elapsed: float, at_least: bool = False) -> TimePart:
    return TimePart(role, label, value, value / elapsed, at_least)


def _note(run: Lookup, low: float) -> str:
    mean = f"Means over {nouns(run.number('run.ranks'), 'rank')}."
    if low <= 0:
        return f"{mean} Striped: moving data or waiting; from durations alone the two cannot be told apart."
    return f"{mean} Orange: waiting, a lower bound. Striped: moving data or more waiting; durations alone cannot tell them apart."


def _enlarged(run: Lookup, low: float, mpi: float, elapsed: float) -> Tuple[TimePart, ...]:
    """Waiting and the rest, each by operation; together MPI."""
    waits, rests = _by_operation(run, low, mpi)
    wide = NARROW * mpi
    room = SEGMENTS - (1 if low > 0 else 0) - 1
    pieces = sorted(waits + rests, key=lambda piece: -piece[2])[:room]
    named = [piece for piece in pieces if piece[2] >= wide]
    parts: List[TimePart] = []
    for role, total in (("waiting", low), ("unsplit", mpi - low)):
        mine = [piece for piece in named if piece[0] == role]
        parts += [_part(role, label, value, elapsed, role == "waiting") for _, label, value in mine]
        rest = total - sum(value for _, _, value in mine)
        if rest > 1e-9 * mpi:
            parts.append(_part(role, _rest_label(role, bool(mine)), rest, elapsed, role == "waiting"))
    return tuple(parts)


def _rest_label(role: str, after_others: bool) -> str:
    if role == "waiting":
        return "waiting in all other calls" if after_others else "waiting"
    return "in all other calls" if after_others else "moving data or waiting"


def _by_operation(run: Lookup, low: float, mpi: float) -> Tuple[List[tuple], List[tuple]]:
    """(role, label, seconds) of each operation; none if the table does not add up to the run's sums."""
    names, times = run.texts("operation.name"), run.numbers("operation.time")
    if not names or times is None:
        return [], []
    times = np.nan_to_num(times)
    bounds = run.numbers("operation.wait")
    bounds = np.zeros_like(times) if bounds is None else np.minimum(np.nan_to_num(bounds), times)
    if bounds.sum() > low * 1.001 + 1e-9 or times.sum() > mpi * 1.01 + 1e-9:
        return [], []
    waits = [("waiting", f"waiting in {name}", value) for name, value in zip(names, bounds) if value > 0]
    return waits, [("unsplit", f"in {name}", value) for name, value in zip(names, times - bounds) if value > 0]
