"""Time without a core: a row of its own in the waterfall, and whether it leaves anything to be said
of the program."""

from __future__ import annotations

from dataclasses import replace
from typing import Iterator, Optional, Tuple

from advisor.model.comparison import Elapsed, NoCore, Piece
from advisor.model.measures import Measures

STARVED = 0.05
"""Of elapsed time, the limit of the condition "cores" of the rules: beyond it the times of a run
say more about what else ran on its nodes than about the program."""
FROM_CPU_TIME = 0.10
"""The same where only CPU times bound it: a library that sleeps while it waits looks alike."""
_WITH_A_CORE = ("waiting", "startup", "unattributed", "outside")
"""Kinds that hold no time without a core inside MPI: who waits anyway loses nothing by it."""
Span = Tuple[float, Optional[float], Optional[float]]
"""Seconds, and their lower and upper end."""


def no_core(measures: Measures) -> Optional[NoCore]:
    """Of all ranks on average; None if it is not known."""
    found, row = _span(measures, "run", 0), measures.tables["run"].row(0)
    time = row.get("time")
    if found is None or not isinstance(time, (int, float)) or not time:
        return None
    value, low, high = found
    told = row.get("no_core_outside") is not None
    starved = value > STARVED * time if told else (low or 0.0) > FROM_CPU_TIME * time
    whole = max(float(time), row.get("job_time") or 0.0)
    return NoCore(
        share=value / whole if told else None,
        low=None if low is None else low / whole,
        high=None if high is None else high / whole,
        starved=starved,
        crowded=(row.get("oversubscription") or 0.0) > 1,
    )


def known(measures: Measures, elapsed: Elapsed) -> bool:
    """Whether the pieces of this run can be divided into time with a core and without."""
    return _lost(measures, elapsed) is not None


def divided(measures: Measures, elapsed: Elapsed) -> Elapsed:
    """The same time with what had no core as a piece of its own: outside MPI as the kernel counted
    it, inside MPI shared by all that is no waiting, as the table `cause` shares it."""
    lost = _lost(measures, elapsed)
    if lost is None:
        return elapsed
    outside, inside, error = lost
    others = [piece.seconds for piece in elapsed.pieces if piece.kind not in _WITH_A_CORE]
    part = min(1.0, inside / sum(others)) if sum(others) > 0 else 0.0
    kept = tuple(_less(elapsed, outside, part))
    taken = sum(piece.seconds for piece in elapsed.pieces) - sum(piece.seconds for piece in kept)
    return replace(elapsed, pieces=(*kept, Piece("no_core", (), taken, error)))


def _less(elapsed: Elapsed, outside: float, part: float) -> Iterator[Piece]:
    for piece in elapsed.pieces:
        if piece.kind == "outside":
            yield replace(piece, seconds=max(0.0, piece.seconds - outside))
        elif piece.kind in _WITH_A_CORE:
            yield piece
        else:
            yield replace(piece, seconds=piece.seconds * (1 - part))


def _lost(measures: Measures, elapsed: Elapsed) -> Optional[Tuple[float, float, float]]:
    """Seconds outside MPI, inside beyond waiting, and half of the interval of both together: of the
    rank that the pieces are of, or means. None where the kernel did not tell."""
    table, row = "run", 0
    if elapsed.rank is not None:
        ids = measures.tables["rank"].columns["id"].values
        table, row = "rank", next(at for at, one in enumerate(ids) if int(one) == elapsed.rank)
    outside = measures.tables[table].row(row).get("no_core_outside")
    found = _span(measures, table, row)
    if outside is None or found is None:
        return None
    value, low, high = found
    error = 0.0 if low is None or high is None else (high - low) / 2
    return float(outside), max(0.0, value - float(outside)), error


def _span(measures: Measures, table: str, row: int) -> Optional[Span]:
    column = measures.tables[table].columns.get("no_core_lost")
    if column is None:
        return None
    value, low, high = (
        None
        if cells is None or cells[row] is None or cells[row] != cells[row]
        else float(cells[row])
        for cells in (column.values, column.low, column.high)
    )
    return None if value is None else (value, low, high)
