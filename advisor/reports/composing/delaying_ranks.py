"""Delaying ranks and nodes, by the wait time that they caused."""

from __future__ import annotations

from typing import Optional, Tuple

import numpy as np

from advisor.base.numbers import counted, number, percent
from advisor.model.message import message
from advisor.reports.figures import Cell, Grid, Heading
from advisor.reports.lookup import Lookup

MOST_ROWS = 10


def delaying_ranks(run: Lookup) -> Tuple[Grid, ...]:
    """Two tables, longest first; none where nobody waited or nothing was sampled, and no hosts if
    there is one."""
    hosts = _hosts(run) if (run.number("run.nodes") or 1) > 1 else None
    return tuple(grid for grid in (_ranks(run), hosts) if grid is not None)


def _ranks(run: Lookup) -> Optional[Grid]:
    delay_cost = run.numbers("rank.delay_cost")
    names, ids = run.texts("rank.node"), run.numbers("rank.id")
    if delay_cost is None or ids is None or not np.nansum(delay_cost) > 0:
        return None
    columns = [
        _percent(run, "rank.delay_cost_share"),
        _percent(run, "rank.last_share"),
        run.numbers("rank.wait_time"),
        run.numbers("rank.useful_time"),
    ]
    order = [
        int(row)
        for row in np.argsort(-np.nan_to_num(delay_cost), kind="stable")[:MOST_ROWS]
        if delay_cost[row] > 0
    ]
    rows = tuple(
        (
            _whole(ids[row]),
            Cell(names[row]),
            _cell(delay_cost[row]),
            *(_at(column, row) for column in columns),
        )
        for row in order
    )
    headings = (
        Heading(message("Rank"), True),
        Heading(message("Host")),
        Heading(message("Others waited for it, s"), True),
        Heading(message("% of all waiting"), True),
    )
    more = (
        Heading(message("Last, % of its calls"), True),
        Heading(message("It waited, s"), True),
        Heading(message("Outside MPI, s"), True),
    )
    return Grid(
        "delaying-ranks",
        _caption(run, len(order), len(delay_cost)),
        headings + more,
        rows,
        _SAMPLED if run.mark("rank.delay_cost") else _NOTE,
    )


_SAMPLED = message(
    "Estimates from sampled calls. Waiting is summed over all who waited. Late in turns, each rank"
    " is last in about its share of the calls."
)
_NOTE = message(
    "Waiting is summed over all who waited. Late in turns, each rank is last in about its share of"
    " the calls."
)


def _caption(run: Lookup, shown: int, ranks: int) -> str:
    share = run.numbers("rank.delay_cost_share")
    known = {"shown": shown, "ranks": counted(ranks, "rank")}
    if share is None:
        return message("Who others waited for. {shown} of {ranks}.", **known)
    return message(
        "Who others waited for: {share} of all waiting was for one rank. {shown} of {ranks}.",
        share=percent(float(np.nanmax(share))),
        **known,
    )


def _hosts(run: Lookup) -> Optional[Grid]:
    delay_cost = run.numbers("node.delay_cost_share")
    if delay_cost is None or not np.nansum(delay_cost) > 0:
        return None
    names = run.texts("node.name")
    columns = [
        _percent(run, "node.delay_cost_share"),
        _percent(run, "node.last_share"),
        run.numbers("node.ranks"),
        run.numbers("node.useful_time"),
    ]
    order = [
        int(row)
        for row in np.argsort(-np.nan_to_num(delay_cost), kind="stable")[:MOST_ROWS]
        if delay_cost[row] > 0
    ]
    rows = tuple((Cell(names[row]), *(_at(column, row) for column in columns)) for row in order)
    texts = (
        message("% of all waiting was for it"),
        message("Last, % of all calls"),
        message("Ranks"),
        message("Outside MPI, s"),
    )
    return Grid(
        "late-hosts",
        message("Hosts that others waited for."),
        (Heading(message("Host")), *(Heading(text, True) for text in texts)),
        rows,
    )


def _percent(run: Lookup, name: str) -> Optional[np.ndarray]:
    values = run.numbers(name)
    return None if values is None else 100 * values


def _at(column: Optional[np.ndarray], row: int) -> Cell:
    return Cell("") if column is None else _cell(column[row])


def _cell(value: float) -> Cell:
    return Cell("") if np.isnan(value) else Cell(number(float(value)), float(value))


def _whole(value: float) -> Cell:
    return Cell(f"{value:.0f}", float(value))
