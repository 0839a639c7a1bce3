"""Time in MPI that no finding explains: how much, most in which call, and for whom. Time without a
core and start-up are rows of their own on the first screen."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional, Tuple

from advisor.base.numbers import seconds
from advisor.model.causes import WAITING, Cause
from advisor.model.finding import Advice
from advisor.model.message import message
from advisor.reports.composing.causes import named
from advisor.reports.composing.stake import rows_of
from advisor.reports.composing.whole_run import IN_MPI, role_of
from advisor.reports.lookup import Lookup

LEAST = 0.05
"""Of elapsed: less needs no sentence."""
MOST = 0.5
"""Of it: from here on a call has most of it."""

_MOSTLY = message("{time} that no check explains, mostly {where}")
_LARGEST = message("{time} that no check explains, the largest part {where}")


class Left(NamedTuple):
    """`rows`: seconds by row of the first screen."""

    rows: Dict[str, float]
    sentence: str

    @property
    def seconds(self) -> float:
        """All of it."""
        return sum(self.rows.values())


def unexplained(run: Lookup, advice: Advice) -> Optional[Left]:
    """None where findings explain all but 5 % of elapsed."""
    known = run.measures.causes
    if advice.unexplained is None or known is None:
        return None
    alike: Dict[Tuple[str, str, str], List[int]] = {}
    for row in advice.unexplained.rows:
        part = known.parts[row]
        if role_of(part) in IN_MPI and part.operation:
            alike.setdefault((part.kind, part.state, part.operation), []).append(row)
    rows = rows_of(run, [row for group in alike.values() for row in group])
    amount = sum(rows.values())
    if not amount or amount < LEAST * known.elapsed:
        return None
    longest = max(alike.values(), key=lambda group: float(known.means[group].sum()))
    means = {row: float(known.means[row]) for row in longest}
    part = known.parts[longest[0]]
    where = _where(part, *(_of_most(run, means, name, amount) for name in ("site", "rank")))
    time = seconds(amount)
    if sum(means.values()) >= MOST * amount:
        return Left(rows, _MOSTLY.of(time=time, where=where))
    return Left(rows, _LARGEST.of(time=time, where=where))


def _of_most(run: Lookup, means: Dict[int, float], name: str, amount: float) -> object:
    """The call site, or the rank, that most of the amount is of; None: there is none."""
    sums: Dict[object, float] = {}
    for row, value in means.items():
        cell = run.measures.tables["cause"].row(row)[name]
        if cell is not None and cell != "" and cell == cell:
            sums[cell] = sums.get(cell, 0.0) + value
    first = max(sums, key=lambda cell: sums[cell], default=None)
    return first if first is not None and sums[first] >= MOST * amount else None


def _where(part: Cause, site: object, rank: object) -> str:
    call: str = f"MPI_{part.operation}"
    if site:
        call = message("{call} at {place}", call=call, place=site)
    if part.kind == WAITING and isinstance(rank, float):
        return message(
            "waiting in {call} ({state}) for rank {rank}",
            call=call,
            state=named(part.state),
            rank=f"{rank:.0f}",
        )
    if part.kind == WAITING:
        return message("waiting in {call} ({state})", call=call, state=named(part.state))
    if part.kind == "transfer":
        return message("transfer in {call}", call=call)
    return message("in {call}", call=call)
