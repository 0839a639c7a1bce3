"""Bytes to single peers by path: METRICS 7. Collective calls are not in it."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.arrays import coded, objects, ratio
from advisor.analysis.engine.metric import Value, metric, rows
from advisor.analysis.engine.size_bins import bounds, is_small
from advisor.model.measures import Quality

NOTHING_SENT = "nothing was sent to single peers"
NEARLY_ALL = 0.8
"""Of the other ranks: from 16 ranks on, no neighbourhood has so many."""
NEIGHBOURHOOD = 16
ALIKE = 0.5
"""The least that one of its partners gets, as part of the most. In fewer than 16 ranks all others
may be neighbours in three directions, and those at edges and corners get next to nothing."""
FEWEST = 6


@rows("traffic")
def traffic_rows(view) -> int:
    """Paths that were used."""
    return len(coded(view.column("peers", "path"))[0])


def _sum(view, name: str) -> np.ndarray:
    paths, codes = coded(view.column("peers", "path"))
    return np.bincount(
        codes, weights=view.column("peers", name).astype(np.float64), minlength=len(paths)
    )


@metric("traffic.path", unit="text", quality=Quality.MEASURED)
def path(view):
    """self, intra_node (another rank of the same node) or other (a rank of another node)."""
    return objects(coded(view.column("peers", "path"))[0])


@metric("traffic.messages", unit="count", quality=Quality.MEASURED)
def messages(view):
    """Messages sent and one-sided calls."""
    return _sum(view, "messages")


@metric("traffic.bytes", unit="B", quality=Quality.MEASURED)
def payload(view):
    """Their payload."""
    return _sum(view, "bytes")


@metric("traffic.messages_share", unit="share")
def messages_share(traffic):
    """Messages as share of those of all paths."""
    return ratio(traffic.messages, traffic.messages.sum())


@metric("traffic.bytes_share", unit="share")
def bytes_share(traffic):
    """Bytes as share of those of all paths: METRICS 7, loc.intra for the path host."""
    return Value(ratio(traffic.bytes, traffic.bytes.sum()), reason="no message had any bytes")


@metric("traffic.mean_size", unit="B")
def mean_size(traffic):
    """Mean size of a message."""
    return ratio(traffic.bytes, traffic.messages)


@metric("rank.peers", unit="count")
def peers(view):
    """Other ranks that it sent to by messages and one-sided calls. METRICS 7. Unknown where some of
    them found no room."""
    peer, away = (
        view.column("peers", "peer"),
        view.column("peers", "peer") != view.column("peers", "rank"),
    )
    found = np.bincount(view.position("peers")[away], minlength=view.count).astype(np.float64)
    found[view.position("peers")[peer < 0]] = np.nan
    return Value(found, reason="some of the ranks that it sent to were put together")


@metric("rank.sends_to_all", unit="yes/no")
def sends_to_all(view, rank):
    """It sends to four of five other ranks at least, as in an exchange of all with all. Where less
    than 16 ranks run, only if each of its partners gets half as many bytes at least as the one that
    gets most; where less than six do, no rank counts."""
    away = view.column("peers", "peer") != view.column("peers", "rank")
    place, sent = view.position("peers")[away], view.column("peers", "bytes")[away].astype(float)
    most, least = np.zeros(view.count), np.full(view.count, np.inf)
    np.maximum.at(most, place, sent)
    np.minimum.at(least, place, sent)
    is_alike = (view.count >= NEIGHBOURHOOD) | (least >= ALIKE * most)
    found = (rank.peers >= NEARLY_ALL * (view.count - 1)) & is_alike & (view.count >= FEWEST)
    return Value(
        objects(
            [None if unknown else bool(it) for it, unknown in zip(found, np.isnan(rank.peers))]
        ),
        reason="some of the ranks that it sent to were put together",
    )


@metric("rank.received_share", unit="share")
def received_share(view):
    """Of all bytes that went to single peers, the share that went to it; one-sided calls included.
    Unknown where some peers found no room."""
    peer, sent = view.column("peers", "peer"), view.column("peers", "bytes").astype(np.float64)
    if (peer < 0).any() or view.summary("peers", "bytes_sent"):
        return Value(np.full(view.count, np.nan), reason="some of the receivers were put together")
    numbers = view.column("ranks", "rank")
    places = np.searchsorted(numbers, peer)
    known = (places < view.count) & (numbers[np.minimum(places, view.count - 1)] == peer)
    got = np.bincount(places[known], weights=sent[known], minlength=view.count)
    return Value(ratio(got, sent.sum()), reason=NOTHING_SENT)


@metric("run.p2p_bytes", unit="B", quality=Quality.MEASURED)
def p2p_bytes(view):
    """Bytes sent to single peers, one-sided calls included."""
    return float(_sum(view, "bytes").sum())


@metric("run.off_host_bytes", unit="B", quality=Quality.MEASURED)
def off_host_bytes(view):
    """Those of run.p2p_bytes that went to another host."""
    away = view.column("peers", "path") == "other"
    return float(view.column("peers", "bytes")[away].astype(np.float64).sum())


@metric("run.on_host_share", unit="share")
def on_host_share(run):
    """Share of run.p2p_bytes that stayed on its host: METRICS 7, loc.intra."""
    return Value(ratio(run.p2p_bytes - run.off_host_bytes, run.p2p_bytes), reason=NOTHING_SENT)


@metric("run.in_blocks", unit="yes/no")
def in_blocks(view):
    """Whether ranks fill one host after the other: those of each host have consecutive numbers."""
    return bool((np.diff(view.node_of) != 0).sum() + 1 == len(np.unique(view.node_of)))


@metric("run.data_calls", unit="count")
def data_calls(view):
    """Calls that handed in at least one byte, of all ranks."""
    return _calls(view, view.bins > 0)


@metric("run.small_calls_share", unit="share", quality=Quality.ASSUMED)
def small_calls_share(view, run):
    """Calls below 8 KiB as share of run.data_calls: METRICS 6.3, small.calls with the assumed
    s0."""
    from_bins = is_small(view.bins)
    return Value(
        ratio(_calls(view, from_bins), run.data_calls), reason="no call handed in any data"
    )


@metric("run.small_time_share", unit="share", quality=Quality.ASSUMED)
def small_time_share(view, run):
    """Time in calls with 1 B to 8 KiB as share of run.mpi_time: METRICS 6.3 with the assumed s0;
    waiting is not taken off."""
    chosen = is_small(view.bins) & view.counted
    return Value(
        ratio(float(view.column("calls", "time")[chosen].sum()) / view.count, run.mpi_time),
        reason="no time passed in MPI",
    )


@metric("run.largest_message", unit="B", quality=Quality.ESTIMATED)
def largest_message(view):
    """Largest mean size of a rank's calls in the largest size bin; bounds: that mean, and the upper
    end of the bin."""
    bins, calls = view.bins, view.column("calls", "count")
    used = view.counted & (bins > 0) & (calls > 0)
    if not used.any():
        return Value(np.nan, reason="no call handed in any data")
    top = used & (bins == bins[used].max())
    value = float((view.column("calls", "bytes")[top] / calls[top]).max())
    return Value(
        value,
        low=value,
        high=float(bounds(bins[top][:1].astype(np.int64))[1][0]),
        note="from the largest size bin",
    )


def _calls(view, chosen: np.ndarray) -> float:
    return float(view.column("calls", "count")[chosen & view.counted].astype(np.float64).sum())
