"""One row for each cause of elapsed time: what `run.time` went into. METRICS 15a."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.arrays import objects
from advisor.analysis.engine.metric import Value, metric, rows
from advisor.analysis.engine.operation_groups import group_of
from advisor.model.causes import WAITING
from advisor.model.measures import Quality

NOBODY = "nobody is waited for in it, or nobody knows for whom"


@rows("cause")
def cause_rows(view) -> int:
    """Parts of run.time, the longest first: they add up to it."""
    return len(view.causes.parts)


def _text(name: str):
    return lambda view: objects([getattr(part, name) for part in view.causes.parts])


for _name, _meaning in (
    (
        "kind",
        (
            "What the time went into: computing, between polls (waiting or computing, nothing tells"
            " which), asleep or no core outside MPI, start or end, waiting, transfer, not split, polling, I/O, library, no core in MPI."
        ),
    ),
    (
        "state",
        (
            "Of waiting: late sender, late receiver, wait in completion, wait at collective, lock,"
            " wait at window, wait for progress, wait at the end. Of the library: local, where no"
            " other rank takes part; else empty."
        ),
    ),
    (
        "origin",
        (
            "Of waiting, what delayed who was waited for: imbalance of computing, no core, handed"
            " on from call to call, ranks in turns, or progress (targets of one-sided calls that"
            " do not call MPI); empty: not known."
        ),
    ),
    ("operation", "The MPI operation; empty outside MPI."),
    ("size", "Size group of transfers and of what is not split; else empty."),
):
    metric(f"cause.{_name}", unit="text", meaning=_meaning)(_text(_name))


@metric("cause.class", unit="text")
def path(view):
    """Class of the communicator, or path to the peer, of transfers and of what is not split; else
    empty."""
    return objects([part.path for part in view.causes.parts])


@metric("cause.group", unit="text")
def group(view):
    """Group of the operation, as operation.group; empty outside MPI."""
    return objects(
        [group_of(part.operation) if part.operation else "" for part in view.causes.parts]
    )


@metric("cause.time", unit="s")
def time(view):
    """Time that went into it, averaged over ranks. All causes add up to run.time."""
    return view.causes.means


@metric("cause.share", unit="share")
def share(cause, run):
    """cause.time as share of run.time."""
    return cause.time / run.time


@metric("cause.most", unit="s", quality=Quality.ESTIMATED)
def most(view):
    """What run.time can lose at most if this part alone goes: METRICS 15a."""
    found = view.causes
    return np.array([found.returned([row]) for row in range(len(found.parts))])


@metric("cause.site", unit="text")
def site(cause, operation):
    """operation.site of its operation; unknown outside MPI, and where call sites were not
    recorded."""
    places = dict(zip(operation.name, operation.site))
    return Value(
        [places.get(name) for name in cause.operation],
        reason="outside MPI, or call sites were not recorded",
    )


@metric("cause.rank", unit="count")
def rank(view, rank, run):
    """Of waiting in calls of this class: the rank that others waited for longest, if it is more
    than half of the waiting; else unknown."""
    lead = run.delaying_rank if run.delaying_rank_share > 0.5 else np.nan
    return Value(
        [lead if part.kind == WAITING else np.nan for part in view.causes.parts], reason=NOBODY
    )
