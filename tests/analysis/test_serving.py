"""Ranks that answer nearly all others, and those that send to all alike."""

from __future__ import annotations

import numpy as np
import pytest

from advisor.analysis import measure

from .profiles import cell, profile, table


def with_messages(rows, ranks):
    """Rows: (rank, peer, messages, bytes)."""
    rank, peer, messages, size = zip(*rows)
    paths = ["intra_node"] * len(rows)
    peers = table("peers", rank=rank, peer=peer, path=paths, messages=messages, bytes=size)
    return measure(profile([1.0] * ranks, tables={"peers": peers}))


def column(measures, name):
    return [
        row[name] for row in map(measures.tables["rank"].row, range(len(measures.tables["rank"])))
    ]


def pairs(ranks):
    return [(rank, rank ^ 1, 100, 800) for rank in range(ranks)]


def star(ranks, down=100, up=100, first=0):
    """The last of these ranks gets `up` messages of each other one and sends it `down`."""
    last = first + ranks - 1
    others = range(first, last)
    return [
        *((last, one, down, 8 * down) for one in others),
        *((one, last, up, 8 * up) for one in others),
    ]


def ring(ranks):
    return [(rank, (rank + way) % ranks, 100, 800) for rank in range(ranks) for way in (-1, 1)]


@pytest.mark.parametrize(
    "rows, ranks, who",
    [
        pytest.param(star(5), 5, [4], id="one answers four"),
        pytest.param(
            star(5) + 2 * ring(5), 5, [], id="among halos its answers are less than a third"
        ),
        pytest.param(star(5, up=1), 5, [], id="it sends, and nobody asks: a broadcast by hand"),
        pytest.param(star(5, down=1), 5, [], id="it only collects"),
        pytest.param(star(3), 3, [], id="three ranks"),
        pytest.param(ring(6), 6, [], id="halos"),
        pytest.param(star(4) + star(4, first=4), 8, [3, 7], id="the last of each four serves them"),
        pytest.param(pairs(8), 8, [], id="pairs"),
    ],
)
def test_who_serves(rows, ranks, who):
    assert np.flatnonzero(column(with_messages(rows, ranks), "serves")).tolist() == who


def test_messages_to_and_from_a_rank_without_those_to_itself():
    found = with_messages([(0, 1, 5, 50), (1, 0, 2, 20), (1, 1, 9, 90)], 2)
    assert column(found, "messages_out") == [5, 2]
    assert column(found, "messages_in") == [2, 5]


def test_who_got_messages_is_unknown_where_some_receivers_were_put_together():
    found = with_messages([(0, 1, 5, 50), (1, -1, 2, 20)], 2)
    assert column(found, "messages_in") == [None, None]


def all_to_all(ranks, near=1):
    """To all others alike, but `near` times as much to the next one."""
    return [
        (rank, peer, 10, 100 * (near if peer == (rank + 1) % ranks else 1))
        for rank in range(ranks)
        for peer in range(ranks)
        if peer != rank
    ]


@pytest.mark.parametrize(
    "rows, ranks, it_does",
    [
        pytest.param(all_to_all(8), 8, True, id="eight ranks, equal pieces"),
        pytest.param(all_to_all(8, near=50), 8, False, id="eight ranks: faces and corners"),
        pytest.param(all_to_all(16, near=50), 16, True, id="sixteen: no neighbourhood has so many"),
        pytest.param(all_to_all(4), 4, False, id="four"),
        pytest.param(ring(8), 8, False, id="a ring"),
    ],
)
def test_who_sends_to_all(rows, ranks, it_does):
    assert set(column(with_messages(rows, ranks), "sends_to_all")) == {it_does}


def waits_for_the_last(ranks):
    delays = table(
        "delays",
        rank=range(ranks),
        delay_cost=[0.0] * (ranks - 1) + [1.0],
        last=[0] * (ranks - 1) + [9],
        instances=[9] * ranks,
    )
    return {"delays": delays}


def test_waiting_for_a_rank_that_serves_is_known_only_with_its_messages():
    # A server that nobody waits for, and no table of messages: at least nothing
    for found in (with_messages(star(5), 5), measure(profile([1.0] * 5))):
        assert cell(found, "run.served_wait_share") == 0
        assert found.tables["run"].columns["served_wait_share"].low[0] == 0


@pytest.mark.parametrize(
    "size, longer, share",
    [
        pytest.param(3e8, 2.0, 0.3, id="it gets 0.9 GB and adds for 2 s longer than the others"),
        pytest.param(3e6, 2.0, 0.0, id="9 MB are no work of 2 s"),
        pytest.param(3e8, 0.0, 0.3, id="it computes no longer than the others"),
    ],
)
def test_waiting_for_who_takes_the_bytes_of_all(size, longer, share):
    """Three ranks wait 4 s of 10 s for the fourth in MPI_Allreduce."""
    waits = [4.0, 4.0, 4.0, 0.0]
    ranks = range(4)
    kinds = {"class": ["multi_node"] * 4, "bin": [3] * 4, "operation": ["Allreduce"] * 4}
    tables = {
        "peers": table(
            "peers",
            rank=range(3),
            peer=[3] * 3,
            path=["intra_node"] * 3,
            messages=[10] * 3,
            bytes=[int(size)] * 3,
        ),
        "waits": table(
            "waits",
            rank=ranks,
            communicator=[1] * 4,
            calls=[10] * 4,
            sampled=[10] * 4,
            time=waits,
            duration=waits,
            wait=waits,
            unresolved=[0.0] * 4,
            **kinds,
        ),
        "calls": table("calls", rank=ranks, count=[10] * 4, bytes=[80] * 4, time=waits, **kinds),
        "delays": table(
            "delays",
            rank=ranks,
            delay_cost=[0.0, 0.0, 0.0, 12.0],
            last=[0, 0, 0, 10],
            instances=[10] * 4,
            **{"class": ["multi_node"] * 4},
        ),
    }
    windows = [10.0, 10.0, 10.0, 6.0 + longer]
    found = measure(profile(windows, tables=tables))
    assert cell(found, "run.taken_wait_share") == pytest.approx(share, abs=0.001)
