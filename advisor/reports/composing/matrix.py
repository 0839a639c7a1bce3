"""The communication matrix: traffic of point-to-point and one-sided calls, without collectives."""

from __future__ import annotations

from typing import List, Optional, Sequence, Tuple

import numpy as np

from advisor.base.numbers import count, counted, percent, size, traffic
from advisor.model.message import joined, message
from advisor.reports.composing.heat_layers import even_ends, group_names, group_of, layer, quotient
from advisor.reports.figures import Cell, Grid, Heading, HeatMap, Layer
from advisor.reports.lookup import Lookup

RANKS, HOSTS, NAMED, CELLS = 256, 64, 8, 4096
"""Rank matrix up to so many ranks; hosts grouped to so many; numbers written for so many; cells
with something in them that fit a page."""


def matrix(run: Lookup) -> Optional[HeatMap]:
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
        np.asarray(peers["messages"], dtype=float)[known],
    )
    rest = float(sent[~known].sum())
    note = (
        message("{bytes} went to partners that are not kept apart.", bytes=traffic(rest))
        if rest
        else ""
    )
    if ranks == 2:
        return _sentence(edges, note)
    return _drawn(run, edges, ranks, note)


def _sentence(edges: tuple, note: str) -> HeatMap:
    there, back = (edges[2][(edges[0] == rank) & (edges[1] == 1 - rank)].sum() for rank in (0, 1))
    title = message(
        "Rank 0 sends {there} to rank 1 and gets {back} back",
        there=traffic(there),
        back=traffic(back),
    )
    caption = message(
        "{count} point-to-point messages and one-sided calls in all; collective operations are not"
        " in it.",
        count=count(float(edges[3].sum())),
    )
    return HeatMap("matrix", title, caption, (), (), (), (), note)


def _drawn(run: Lookup, edges: tuple, ranks: int, note: str) -> HeatMap:
    places = _host_of(run, ranks)
    hosts, names = int(places.max()) + 1, list(dict.fromkeys(run.texts("rank.node")))
    sender, receiver, sent, _ = edges
    inside = float(sent[places[sender] == places[receiver]].sum() / sent.sum())
    title = _title(inside, hosts, len(sent) / ranks)
    tables: Tuple[Grid, ...] = ()
    if ranks <= NAMED:
        tables += _tables("rank", _ranks(ranks), edges, np.arange(ranks))
    if 1 < hosts <= NAMED:
        tables += _tables("host", names, edges, places)
    if ranks <= NAMED:
        return HeatMap("matrix", title, _captions(_BY_RANK), (), (), (), tables, note)
    noun, labels, group = (
        _by_rank(edges, ranks) if ranks <= RANKS else _by_host(places, hosts, names)
    )
    members = ranks if noun == "rank" else hosts
    caption = _caption(members, noun, len(labels))
    layers = _layers(edges, group, len(labels))
    return HeatMap("matrix", title, caption, labels, labels, layers, tables, note)


def _by_rank(edges: tuple, ranks: int) -> Tuple[str, Tuple[str, ...], np.ndarray]:
    """Ranks, or neighbours put together until few enough cells have something in them."""
    side = ranks
    while len(set(zip(*(group_of(ranks, side)[each].tolist() for each in edges[:2])))) > CELLS:
        side = -(-side // 2)
    return "rank", group_names(ranks, side), group_of(ranks, side)


def _by_host(
    places: np.ndarray, hosts: int, names: List[str]
) -> Tuple[str, Tuple[str, ...], np.ndarray]:
    """At most 64 groups of neighbouring hosts; a matrix of all hosts might not fit into memory."""
    side = min(hosts, HOSTS)
    return "host", _group_names(names, side), places * side // hosts


def _layers(edges: tuple, group: np.ndarray, side: int) -> Tuple[Layer, ...]:
    sent, messages = (_sums(group[edges[0]], group[edges[1]], values, side) for values in edges[2:])
    means = quotient(sent, messages)
    return (
        layer(message("Bytes"), sent, traffic),
        layer(message("Messages"), messages, count),
        layer(message("Bytes a message"), means, size, even_ends(means)),
    )


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


def _group_names(names: List[str], side: int) -> Tuple[str, ...]:
    if len(names) == side:
        return tuple(names)
    return tuple(names[-(-place * len(names) // side)] + " …" for place in range(side))


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
        return _captions(caption)
    group = counted(-(-members // side), noun)
    return _captions(caption, message("A cell is a group of {members}.", members=group))


_NO_TIME = message("How long the messages of a pair took is not recorded.")


def _captions(*sentences: str) -> str:
    return joined(" ", (*sentences, _NO_TIME))


_CELLS = {
    "rank": (
        message("By rank: bytes sent from (row) to (column)"),
        message("By rank: messages sent from (row) to (column)"),
    ),
    "host": (
        message("By host: bytes sent from (row) to (column)"),
        message("By host: messages sent from (row) to (column)"),
    ),
}


def _tables(noun: str, names: Sequence[str], edges: tuple, group: np.ndarray) -> Tuple[Grid, ...]:
    """Bytes and messages in numbers."""
    headings = (Heading(message("From")), *(Heading(each, True) for each in names))
    made = []
    for caption, values, write in zip(_CELLS[noun], edges[2:], (traffic, count)):
        cells = _sums(group[edges[0]], group[edges[1]], values, len(names))
        rows = tuple(
            (Cell(each), *(Cell(write(value) if value else "", value) for value in row))
            for each, row in zip(names, cells.tolist())
        )
        made.append(Grid(f"by-{noun}", caption, headings, rows))
    return tuple(made)
