"""Operations by rank: time, calls, bytes, and bytes a second inside the calls."""

from __future__ import annotations

import math
from typing import List, NamedTuple, Optional, Tuple

import numpy as np

from advisor.base.numbers import count, counted, number, percent, seconds, traffic
from advisor.model.message import joined, message
from advisor.reports.composing.heat_layers import (
    COLUMNS,
    even_ends,
    group_names,
    layer,
    means,
    most_first,
    quotient,
)
from advisor.reports.figures import Cell, Grid, Heading, HeatMap, Layer
from advisor.reports.lookup import Lookup

ROWS, SEEN = 12, 1e-4
"""Operations at most, and their least share of the time in all of them."""
EVEN = 0.1
"""Of the mean: ranks closer together than this are told to be alike."""


class _Sums(NamedTuple):
    """[operations, ranks]; the operations with most time first."""

    names: Tuple[str, ...]
    time: np.ndarray
    calls: np.ndarray
    bytes: np.ndarray


def operation_map(run: Lookup) -> Optional[HeatMap]:
    """None with one rank, or where the profile has sums over ranks alone."""
    ranks = int(run.number("run.ranks") or 0)
    found = _sums(run, ranks) if ranks > 1 else None
    if found is None:
        return _by_distribution(run, ranks)
    return HeatMap(
        "operations",
        _title(found),
        _caption(ranks),
        found.names,
        group_names(ranks, COLUMNS),
        _layers(found),
        (_table(found),),
    )


def _sums(run: Lookup, ranks: int) -> Optional[_Sums]:
    calls = run.profile.tables.get("calls")
    if not calls or not len(calls["rank"]):
        return None
    rank = np.asarray(calls["rank"]).astype(int)
    listed = (rank >= 0) & (rank < ranks)
    if len(np.unique(rank[listed])) < 2:
        return None
    names, of = np.unique(np.asarray(calls["operation"]).astype(str), return_inverse=True)
    cells = np.zeros((3, len(names), ranks))
    for place, column in enumerate(("time", "count", "bytes")):
        if column not in calls:
            continue
        values = np.nan_to_num(np.asarray(calls[column], dtype=float))[listed]
        np.add.at(cells[place], (of[listed], rank[listed]), values)
    totals = cells[0].sum(1)
    order = most_first(np.where(totals >= SEEN * totals.sum(), totals, 0).tolist(), ROWS)
    return _Sums(tuple(f"MPI_{names[at]}" for at in order), *cells[:, order]) if order else None


def _layers(found: _Sums) -> Tuple[Layer, ...]:
    time, calls, sent = (means(cells, COLUMNS) for cells in found[1:])
    layers = [
        layer(message("Time in the call"), time, seconds),
    ]
    if calls.any():
        layers.append(_calls(calls))
    if sent.any():
        layers.append(layer(message("Bytes handed in"), sent, traffic))
        rate = quotient(sent, time)
        layers.append(layer(message("Bytes a second in the call"), rate, _rate, even_ends(rate)))
    return tuple(layers)


def _calls(calls: np.ndarray) -> Layer:
    """Shades end at whole calls: nobody calls 0.03 times."""
    first, *ends = even_ends(calls)
    whole = (math.ceil(end) if end > 1 else end for end in ends)
    return layer(message("Calls"), calls, count, (first, *whole))


def _rate(value: float) -> str:
    return f"{traffic(value)}/s"


def _caption(ranks: int) -> str:
    told = message(
        "Operations with most time (down) on all ranks (across). In the bytes a second waiting is"
        " in the time."
    )
    if ranks <= COLUMNS:
        return told
    group = counted(-(-ranks // COLUMNS), "rank")
    return joined(" ", (told, message("A column is the mean of {members}.", members=group)))


def _title(found: _Sums) -> str:
    """The operation in which ranks are furthest apart."""
    spread = found.time.max(1) - found.time.min(1)
    row = int(spread.argmax())
    times = found.time[row]
    if spread[row] <= EVEN * times.mean():
        return message("Ranks spend about as long in each operation")
    return message(
        "{call} takes {low} on rank {first} and {high} on rank {last}",
        call=found.names[row],
        low=seconds(float(times.min())),
        first=int(times.argmin()),
        high=seconds(float(times.max())),
        last=int(times.argmax()),
    )


_HEADINGS = (
    Heading(message("Call")),
    Heading(message("Mean, s"), True),
    Heading(message("Shortest rank, s"), True),
    Heading(message("which"), True),
    Heading(message("Longest rank, s"), True),
    Heading(message("which"), True),
)


def _table(found: _Sums) -> Grid:
    headings = (
        *_HEADINGS,
        Heading(message("Calls a rank"), True),
        Heading(message("Bytes a rank"), True),
        Heading(message("Bytes a second"), True),
    )
    rows = tuple(
        (
            *_spread(name, time, (int(time.argmin()), int(time.argmax()))),
            Cell(count(float(calls.mean())), float(calls.mean())),
            _measured(float(sent.mean()), traffic),
            _measured(float(sent.sum() / time.sum()) if time.any() else 0.0, _rate),
        )
        for name, time, calls, sent in zip(*found)
    )
    return Grid("operations-by-rank", message("Operations over ranks"), headings, rows)


def _spread(name: str, time: np.ndarray, ranks: Tuple[int, int]) -> Tuple[Cell, ...]:
    mean, least, most = (float(value) for value in (time.mean(), time.min(), time.max()))
    return (
        Cell(name),
        Cell(number(mean), mean),
        Cell(number(least), least),
        Cell(str(ranks[0]), ranks[0]),
        Cell(number(most), most),
        Cell(str(ranks[1]), ranks[1]),
    )


def _measured(value: float, write) -> Cell:
    return Cell(write(value), value) if value else Cell("")


def _by_distribution(run: Lookup, ranks: int) -> Optional[HeatMap]:
    """Where calls are summed up over ranks: groups of ranks that took about as long, in order of
    their time in each operation."""
    table = run.profile.tables.get("rank_distribution")
    if not table or ranks < 2 or "min" not in table:
        return None
    whole = (np.asarray(table["class"]) == "") & (np.asarray(table["bin"]) == -2)
    names = np.asarray(table["operation"]).astype(str)
    times: List[np.ndarray] = []
    found = sorted(set(names[whole].tolist()))
    for name in found:
        rows = np.flatnonzero(whole & (names == name))
        rows = rows[np.argsort(np.asarray(table["min"])[rows], kind="stable")]
        members = np.asarray(table["ranks"])[rows].astype(float)
        each = np.asarray(table["time"], dtype=float)[rows] / np.maximum(members, 1)
        places = (np.arange(COLUMNS) + 0.5) / COLUMNS * members.sum()
        times.append(each[np.minimum(np.searchsorted(members.cumsum(), places), len(rows) - 1)])
    order = most_first([float(each.sum()) for each in times], ROWS)
    if not order:
        return None
    cells = np.array([times[at] for at in order])
    quantiles = tuple(
        message("{share} of the ranks take less", share=percent((at + 0.5) / COLUMNS))
        for at in range(COLUMNS)
    )
    caption = message(
        "Operations with most time (down). This many ranks are summed up: in each row they stand in"
        " order of their time in the operation, in {columns} columns.",
        columns=COLUMNS,
    )
    return HeatMap(
        "operations",
        message("How far ranks are apart in each operation"),
        caption,
        tuple(f"MPI_{found[at]}" for at in order),
        quantiles,
        (layer(message("Time in the call"), cells, seconds),),
        (),
    )
