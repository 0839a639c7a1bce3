"""Time that no finding explains, in a sentence: how much, most in which call, and for whom."""

from __future__ import annotations

from typing import Tuple

from advisor.base.numbers import percent
from advisor.model.causes import LIMITS, UNSPLIT, WAITING, Cause
from advisor.model.finding import Advice
from advisor.reports.document import Sentence, Span
from advisor.reports.lookup import Lookup


def unexplained_sentence(run: Lookup, advice: Advice) -> Tuple[Sentence, ...]:
    """None where findings explain all but 5 % of elapsed."""
    left, known = advice.unexplained, run.measures.causes
    if left is None or known is None:
        return ()
    row = run.measures.tables["cause"].row(left.row)
    where = _most_of_it(known.parts[left.row], row["site"], row["rank"])
    # Waiting, transfer and what is not split are calls of the program: how it gets there tells
    # more.
    more = (
        " `advisor run --stacks` tells how the program gets there."
        if known.parts[left.row].operation
        else ""
    )
    return ((Span(f"Not explained: {percent(left.share)} of elapsed, most of it {where}.{more}"),),)


def _most_of_it(part: Cause, site: object, rank: object) -> str:
    call = f"MPI_{part.operation}" + (f" at {site}" if site else "")
    if part.kind == WAITING:
        return f"waiting in {call} ({part.state})" + (
            f" for rank {rank:.0f}" if isinstance(rank, float) else ""
        )
    if part.kind == "transfer":
        return f"moving data in {call}"
    if part.kind == UNSPLIT:
        return f"in {call}, not split into waiting and moving data"
    if part.operation:
        return f"in {call}"
    return "before other ranks left MPI_Init" if part.kind == LIMITS else "without a core"
