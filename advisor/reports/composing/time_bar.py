"""Where the time went: the whole run, and MPI enlarged. What is not split is said to be not split."""

from __future__ import annotations

from typing import List, Optional, Tuple

import numpy as np

from advisor.reports.composing.verdict import waiting
from advisor.reports.document import TimeBar, TimePart
from advisor.reports.format import nouns
from advisor.reports.lookup import Lookup

SEGMENTS = 6
"""At most so many parts of the enlarged bar: more cannot be labelled."""
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
        rest = total - sum(piece[2] for piece in mine)
        parts += _of_role(role, mine, rest, wide, elapsed)
    return tuple(parts)


def _of_role(role: str, mine: List[tuple], rest: float, wide: float, elapsed: float) -> List[TimePart]:
    """The named pieces of one role, then what is left of it. Too narrow a rest takes the last piece with it."""
    label = _rest_label(role, "")
    if mine and 0.001 * wide < rest < wide:
        rest += mine[-1][2]
        mine, label = mine[:-1], _rest_label(role, mine[0][3] if len(mine) == 1 else "")
    parts = [_part(role, name, value, elapsed, role == "waiting") for _, name, value, _ in mine]
    if rest > 0.001 * wide:
        parts.append(_part(role, label if mine or ", mostly" in label else _ALONE[role], rest, elapsed, role == "waiting"))
    return parts


_ALONE = {"waiting": "waiting", "unsplit": "moving data or waiting"}


def _rest_label(role: str, most: str) -> str:
    if most:
        return f"{_ALONE[role]}, mostly in {most}"
    return "waiting in all other calls" if role == "waiting" else "all other calls: moving or waiting"


def _by_operation(run: Lookup, low: float, mpi: float) -> Tuple[List[tuple], List[tuple]]:
    """(role, label, seconds, operation) of each operation; none if the table does not add up to the run's sums."""
    names, times = run.texts("operation.name"), run.numbers("operation.time")
    if not names or times is None:
        return [], []
    times = np.nan_to_num(times)
    bounds = run.numbers("operation.wait")
    bounds = np.zeros_like(times) if bounds is None else np.minimum(np.nan_to_num(bounds), times)
    if bounds.sum() > low * 1.001 + 1e-9 or times.sum() > mpi * 1.01 + 1e-9:
        return [], []
    waits = [("waiting", f"waiting in {name}", value, name) for name, value in zip(names, bounds) if value > 0]
    return waits, [("unsplit", f"{name}: moving or waiting", value, name) for name, value in zip(names, times - bounds) if value > 0]
