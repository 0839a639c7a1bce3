"""Time that no finding explains, in a sentence: how much, most in which call, and for whom."""

from __future__ import annotations

from advisor.model.causes import LIMITS, WAITING, Cause
from advisor.model.finding import Advice
from advisor.model.message import message
from advisor.reports.composing.causes import named
from advisor.reports.lookup import Lookup


def unexplained_sentence(run: Lookup, advice: Advice) -> str:
    """Empty where findings explain all but 5 % of elapsed."""
    left, known = advice.unexplained, run.measures.causes
    if left is None or known is None:
        return ""
    row = run.measures.tables["cause"].row(left.row)
    where = _most_of_it(known.parts[left.row], row["site"], row["rank"])
    return message("No finding explains this time, most of it {where}", where=where)


def _most_of_it(part: Cause, site: object, rank: object) -> str:
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
    if part.operation:
        return message("in {call}", call=call)
    if part.kind == LIMITS:
        return message("before other ranks left MPI_Init")
    return message("without a core")
