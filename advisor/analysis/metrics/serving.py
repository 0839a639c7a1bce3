"""Ranks that answer the messages of the others, or of a group: managers, servers of data."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.model.measures import Quality

FEWEST = 4
"""Of three ranks each has a third of the messages if all exchange halos."""
PARTNERS = 0.8
"""Of the other ranks, to how many it sends."""
PART = 1 / 3
"""Of all messages, both of those that come to it and of those that it sends: where one rank alone
answers, both are half."""
MOSTLY = 0.5
"""Of the messages of a rank: more than half go to one other rank at most."""
IDLE = 0.2
"""Of elapsed. A rank that itself waits for longer has time left: others wait for what it waits for,
as workers do at the end of the list for the manager, and it for the last of them."""
TAKER = 0.8
"""Of all bytes between ranks, as in messages-to-one-rank: all others together get a quarter of
that."""
SLOW_WORK = 1e8
"""Bytes a second that a rank takes apart, adds or writes, at the slowest: 10 ns a byte, such as for
numbers as text. Who computes for longer than that has other work. Ours."""
LOWER_BOUND = "lower bound"
PUT_TOGETHER = "some of the ranks that messages went to were put together"


@metric("rank.messages_out", unit="count", quality=Quality.MEASURED)
def messages_out(view):
    """Messages and one-sided calls to other ranks."""
    return np.bincount(view.position("peers"), weights=_messages(view), minlength=view.count)


@metric("rank.messages_in", unit="count", quality=Quality.MEASURED)
def messages_in(view):
    """Messages and one-sided calls of other ranks to it. Unknown where some peers found no room."""
    peer = view.column("peers", "peer")
    if (peer < 0).any():
        return Value(np.full(view.count, np.nan), reason=PUT_TOGETHER)
    places = _places(view)
    known = places >= 0
    return np.bincount(places[known], weights=_messages(view)[known], minlength=view.count)


def _places(view) -> np.ndarray:
    """Row of each peer in `ranks`; -1: it is not there."""
    peer, numbers = view.column("peers", "peer"), view.column("ranks", "rank")
    places = np.minimum(np.searchsorted(numbers, peer), view.count - 1)
    return np.where(numbers[places] == peer, places, -1)


def _messages(view) -> np.ndarray:
    away = view.column("peers", "peer") != view.column("peers", "rank")
    return np.where(away, view.column("peers", "messages"), 0).astype(np.float64)


@metric("rank.serves", unit="yes/no")
def serves(view, rank):
    """It answers others. Either it sends to four of five other ranks at least, and a third at least
    of all messages come to it, and a third go from it. Or three others at least send most of their
    messages to it, and it sends them a third as many at least as it gets, and not three times as
    many: the server of a group. Of fewer than four ranks none serves; unknown peers are none."""
    all_messages, count = np.nansum(rank.messages_out), len(rank.messages_out)
    sent, came = ratio(rank.messages_out, all_messages), ratio(rank.messages_in, all_messages)
    of_all = (rank.peers >= PARTNERS * (count - 1)) & (sent >= PART) & (came >= PART)
    clients, asked, answered = _clients(view, rank.messages_out)
    of_group = (clients >= FEWEST - 1) & (answered >= PART * asked) & (asked >= PART * answered)
    return (of_all | of_group) & (count >= FEWEST)


def _clients(view, sent: np.ndarray) -> "tuple[np.ndarray, np.ndarray, np.ndarray]":
    """For each rank, how many others send it more than half of their messages, how many messages
    these are, and how many it sends them."""
    places, rank, messages = _places(view), view.position("peers"), _messages(view)
    mainly = (places >= 0) & (messages > MOSTLY * sent[rank])
    server = np.full(view.count, -1)
    server[rank[mainly]] = places[mainly]
    answers = (places >= 0) & (server[places] == rank)
    return (
        np.bincount(places[mainly], minlength=view.count),
        np.bincount(places[mainly], messages[mainly], view.count),
        np.bincount(rank[answers], messages[answers], view.count),
    )


@metric("run.served_wait_share", unit="share", quality=Quality.ESTIMATED)
def served_wait_share(rank, run):
    """The part of run.wait_share that is known to be for ranks that serve and are busy themselves,
    by rank.delay_cost_share. A lower bound: 0 where it is not known who sent to whom, or for whom
    ranks waited."""
    try:
        busy = rank.serves.astype(bool) & (rank.wait_share <= IDLE)
        share = float(np.nansum(rank.delay_cost_share[busy]) * run.wait_share)
    except Unknown:
        share = 0.0
    share = share if np.isfinite(share) else 0.0
    return Value(share, low=share, note=LOWER_BOUND)


@metric("run.taken_wait_share", unit="share", quality=Quality.ESTIMATED)
def taken_wait_share(rank, run):
    """The part of run.wait_share that is known to be for a rank that gets four of five bytes that
    go between ranks, and computes longer than the others for no longer than work on these bytes may
    take. A lower bound: 0 where it is not known who sent to whom, or for whom ranks waited."""
    try:
        longer = np.maximum(rank.useful_excess, 0) * run.time
        takes = (rank.received_share >= TAKER) & (
            rank.received_share * run.p2p_bytes >= SLOW_WORK * longer
        )
        share = float(np.nansum(rank.delay_cost_share[takes]) * run.wait_share)
    except Unknown:
        share = 0.0
    share = share if np.isfinite(share) else 0.0
    return Value(share, low=share, note=LOWER_BOUND)
