"""One row for each communicator that a collective operation was called on."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.arrays import objects, ratio
from advisor.analysis.engine.metric import Unknown, Value, metric, rows
from advisor.model.measures import Quality

FOLDED = "calls on more communicators than the collector had room for were put together"


@rows("communicator")
def communicator_rows(view) -> int:
    """Communicators in use, the longest first."""
    return len(view.communicators.ids)


@metric("communicator.id", unit="text", quality=Quality.MEASURED)
def identity(view):
    """Its identity, equal on all members, in hexadecimal; 0: all that found no room of their
    own."""
    return [f"{value:x}" for value in view.communicators.ids.tolist()]


def _described(view, name: str) -> np.ndarray:
    """A column of `communicators` for each row, object; None where it is not described."""
    values, place = view.column("communicators", name), view.communicators.place
    return objects(
        [
            (
                values[i].item()
                if i >= 0 and hasattr(values[i], "item")
                else (values[i] if i >= 0 else None)
            )
            for i in place
        ]
    )


@metric("communicator.name", unit="text", quality=Quality.MEASURED)
def name(view):
    """Name that the program or the library gave it; empty if none."""
    return Value(_described(view, "name"), reason=FOLDED)


@metric("communicator.size", unit="count", quality=Quality.MEASURED)
def size(view):
    """Members."""
    return Value(
        [np.nan if value is None else value for value in _described(view, "size")], reason=FOLDED
    )


@metric("communicator.nodes", unit="count", quality=Quality.MEASURED)
def nodes(view):
    """Hosts that its members are on."""
    return Value(
        [np.nan if value is None else value for value in _described(view, "nodes")], reason=FOLDED
    )


@metric("communicator.class", unit="text", quality=Quality.MEASURED)
def kind(view):
    """self, intra_node, one_per_node, multi_node, inter."""
    return Value(_described(view, "class"), reason=FOLDED)


@metric("communicator.world", unit="yes/no", quality=Quality.MEASURED)
def world(view):
    """Whether it has the members of MPI_COMM_WORLD."""
    return Value(
        [None if value is None else bool(value) for value in _described(view, "world")],
        reason=FOLDED,
    )


@metric("communicator.calls", unit="count", quality=Quality.MEASURED)
def calls(view):
    """Collective calls on it, of all members."""
    return view.communicators.sum(view.column("members", "count"))


@metric("communicator.time", unit="s")
def time(view):
    """Time in collective calls on it, averaged over its members."""
    return ratio(view.communicators.sum(view.column("members", "time")), view.communicators.members)


@metric("communicator.share", unit="share")
def share(communicator, run):
    """communicator.time as share of run.time."""
    return communicator.time / run.time


@metric("communicator.wait", unit="s", quality=Quality.ESTIMATED)
def wait(view, communicator):
    """Waiting in collective calls on it, averaged over its members: at least this."""
    known = view.communicators.sum(view.waits.known.astype(float)) > 0
    value = np.where(
        known, ratio(view.communicators.sum(view.waits.per_row), view.communicators.members), np.nan
    )
    value = np.minimum(value, communicator.time)
    return Value(
        value,
        low=value,
        high=np.where(known, communicator.time, np.nan),
        note="lower bound",
        reason="durations say nothing about the operations called on it",
    )


@metric("communicator.wait_share", unit="share", quality=Quality.ESTIMATED)
def wait_share(communicator, run):
    """communicator.wait as share of run.time: at least this."""
    value = communicator.wait / run.time
    return Value(
        value,
        low=value,
        high=np.where(np.isnan(value), np.nan, communicator.share),
        note="lower bound",
        reason="durations say nothing about the operations called on it",
    )


@metric("communicator.operations", unit="text")
def operations(view):
    """The operation with the most time on it."""
    names, codes = view.member_operations
    table = view.communicators
    sums = np.zeros((len(table.ids), max(1, len(names))))
    np.add.at(sums, (table.of, codes), view.column("members", "time"))
    return objects(names)[sums.argmax(axis=1)] if len(table.ids) else []


@metric("run.largest_part", unit="count", quality=Quality.MEASURED)
def largest_part(view, communicator):
    """Members of the largest communicator that is not all ranks and was called on: ranks beside it
    have a role of their own, if they are few. A lower bound: 0 where none is known."""
    try:
        used = communicator.size[communicator.calls > 0]
    except Unknown:
        used = np.array([])
    value = float(np.max(used, where=used < view.count, initial=0.0))
    return Value(value, low=value, note="lower bound")
