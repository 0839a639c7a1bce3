"""The communication matrix: traffic of point-to-point and one-sided calls, without collectives."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

import numpy as np

from advisor.base.numbers import count, counted, percent, traffic
from advisor.model.message import joined, message
from advisor.reports.figures import Cell, Grid, Heading, Matrix
from advisor.reports.lookup import Lookup

RANKS, HOSTS, NAMED, STROKES = 256, 64, 8, 9000
"""Rank matrix up to so many ranks; hosts grouped to so many; numbers written for so many; strokes
that fit a page."""
STEPS = (1e-4, 0.01, 0.1, 0.4, 0.8)
"""Lower ends of the five shades, as shares of the largest cell."""


def matrix(run: Lookup) -> Optional[Matrix]:
    """None if no point-to-point or one-sided call sent bytes."""
    peers = run.profile.tables.get("peers")
    ranks = int(run.number("run.ranks") or 0)
    if (
        not peers
        or ranks < 2
        or not len(peers.get("bytes", ()))
        or not np.asarray(peers["bytes"]).sum()
    ):
        return None
    sent = np.asarray(peers["bytes"], dtype=float)
    known = (
        (np.asarray(peers["peer"]) >= 0)
        & (np.asarray(peers["peer"]) < ranks)
        & (np.asarray(peers["rank"]) < ranks)
    )
    edges = (
        np.asarray(peers["rank"])[known].astype(int),
        np.asarray(peers["peer"])[known].astype(int),
        sent[known],
    )
    rest = float(sent[~known].sum())
    note = (
        message("{bytes} went to partners that are not kept apart.", bytes=traffic(rest))
        if rest
        else ""
    )
    if ranks == 2:
        return _sentence(edges, np.asarray(peers["messages"], dtype=float), note)
    return _drawn(run, edges, ranks, note)


def _sentence(edges: tuple, messages: np.ndarray, note: str) -> Matrix:
    there, back = (edges[2][(edges[0] == rank) & (edges[1] == 1 - rank)].sum() for rank in (0, 1))
    title = message(
        "Rank 0 sends {there} to rank 1 and gets {back} back",
        there=traffic(there),
        back=traffic(back),
    )
    caption = message(
        "{count} point-to-point messages and one-sided calls in all; collective operations are not"
        " in it.",
        count=count(messages.sum()),
    )
    return Matrix(title, caption, (), (), (), (), note)


def _drawn(run: Lookup, edges: tuple, ranks: int, note: str) -> Matrix:
    places = _host_of(run, ranks)
    hosts, names = int(places.max()) + 1, list(dict.fromkeys(run.texts("rank.node")))
    sender, receiver, sent = edges
    inside = float(sent[places[sender] == places[receiver]].sum() / sent.sum())
    title = _title(inside, hosts, len(sent) / ranks)
    by_rank = ranks <= RANKS
    tables: Tuple[Grid, ...] = ()
    if ranks <= NAMED:
        tables += (
            _table(
                "by-rank",
                message("By rank: bytes sent from (row) to (column)"),
                _ranks(ranks),
                _sums(sender, receiver, sent, ranks),
            ),
        )
    if 1 < hosts <= NAMED:
        sums = _sums(places[sender], places[receiver], sent, hosts)
        title_ = message("By host: bytes sent from (row) to (column)")
        tables += (_table("by-host", title_, names, sums),)
    if ranks <= NAMED:
        return Matrix(title, _BY_RANK, (), (), (), tables, note)
    cells = (
        _drawable(_sums(sender, receiver, sent, ranks))
        if by_rank
        else _by_group(places, edges, hosts)
    )
    labels = tuple(_ranks(ranks)) if by_rank else _group_names(names, len(cells))
    caption = (
        _caption(ranks, "rank", len(cells)) if by_rank else _caption(hosts, "host", len(cells))
    )
    return Matrix(title, caption, labels, _levels(cells), _limits(cells), tables, note)


def _by_group(places: np.ndarray, edges: tuple, hosts: int) -> np.ndarray:
    """Traffic between at most 64 groups of neighbouring hosts; a matrix of all hosts might not fit
    into memory."""
    side = min(hosts, HOSTS)
    group = places * side // hosts
    return _sums(group[edges[0]], group[edges[1]], edges[2], side)


def _host_of(run: Lookup, ranks: int) -> np.ndarray:
    names = run.texts("rank.node") or [""] * ranks
    numbers = {name: place for place, name in enumerate(dict.fromkeys(names))}
    places = np.zeros(ranks, dtype=int)
    ids = run.numbers("rank.id")
    for row, name in enumerate(names):
        rank = row if ids is None else int(ids[row])
        if rank < ranks:
            places[rank] = numbers[name]
    return places


def _sums(rows: np.ndarray, columns: np.ndarray, values: np.ndarray, side: int) -> np.ndarray:
    cells = np.zeros((side, side))
    np.add.at(cells, (rows, columns), values)
    return cells


def _drawable(cells: np.ndarray) -> np.ndarray:
    """The same, or neighbours put together until it takes few enough strokes."""
    while sum((np.diff(row) != 0).sum() for row in np.array(_levels(cells))) > STROKES:
        cells = _grouped(cells, -(-len(cells) // 2))
    return cells


def _grouped(cells: np.ndarray, side: int) -> np.ndarray:
    """At most `side` groups of neighbours."""
    if len(cells) <= side:
        return cells
    group = np.arange(len(cells)) * side // len(cells)
    rows, columns = np.indices(cells.shape)
    return _sums(group[rows].ravel(), group[columns].ravel(), cells.ravel(), side)


def _group_names(names: List[str], side: int) -> Tuple[str, ...]:
    if len(names) == side:
        return tuple(names)
    return tuple(names[-(-place * len(names) // side)] + " …" for place in range(side))


def _levels(cells: np.ndarray) -> Tuple[Tuple[int, ...], ...]:
    shares = cells / cells.max()
    return tuple(tuple(row) for row in sum((shares >= step).astype(int) for step in STEPS).tolist())


def _limits(cells: np.ndarray) -> Tuple[str, ...]:
    return tuple(traffic(step * cells.max()) for step in STEPS)


def _title(inside: float, hosts: int, partners: float) -> str:
    if hosts > 1:
        return message(
            "{share} of the point-to-point bytes stay inside a host", share=percent(inside)
        )
    return message(
        "A rank sends to {partners} on average", partners=counted(round(partners), "partner")
    )


def _ranks(ranks: int) -> List[str]:
    return [message("rank {rank}", rank=rank) for rank in range(ranks)]


_BY_RANK = message(
    "Point-to-point and one-sided bytes sent, from rank (down) to rank (across). Collective"
    " operations are not in it."
)
_BY_HOST = message(
    "Point-to-point and one-sided bytes sent, from host (down) to host (across). Collective"
    " operations are not in it."
)


def _caption(members: int, noun: str, side: int) -> str:
    caption = _BY_RANK if noun == "rank" else _BY_HOST
    if side == members:
        return caption
    group = counted(-(-members // side), noun)
    return joined(" ", (caption, message("A cell is a group of {members}.", members=group)))


def _table(name: str, caption: str, names: Sequence[str], cells: np.ndarray) -> Grid:
    headings = (Heading(message("From")), *(Heading(each, True) for each in names))
    rows = tuple(
        (Cell(each), *(Cell(traffic(value) if value else "", float(value)) for value in row))
        for each, row in zip(names, cells)
    )
    return Grid(name, caption, headings, rows)
