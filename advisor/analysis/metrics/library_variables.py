"""Performance variables of the MPI library (MPI_T): METRICS 8, proto.unexpected."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.analysis.engine.arrays import coded, objects
from advisor.analysis.engine.metric import Unknown, metric, rows
from advisor.model.measures import Quality
from advisor.model.message import message

NOT_READ = message("performance variables of the library were not read")
UNEXPECTED = ("pml_ob1_unexpected_msgq_length", "unexpected_recvq_length")
"""Lengths of the queue of messages that came before their receive was posted: Open MPI's ob1 (of
MPI_COMM_WORLD), MPICH."""


@rows("variable")
def variable_rows(view) -> int:
    """Variables by name, all ranks together."""
    return len(_names(view))


@metric("variable.name", unit="text", quality=Quality.MEASURED)
def name(view):
    """Name of the variable, as the library has it."""
    return objects(_names(view))


@metric("variable.kind", unit="text", quality=Quality.MEASURED)
def kind(view):
    """`level` (what it is at a moment), `counter` or `timer` (since the start), `highwatermark`."""
    _, first = np.unique(coded(view.column("variables", "variable"))[1], return_index=True)
    return view.column("variables", "kind")[first]


@metric("variable.mean", unit="count", quality=Quality.MEASURED)
def mean(view):
    """Mean over ranks: of levels the mean of all readings, of others what it was at the begin of
    MPI_Finalize. Timers are in seconds, or as the library has them."""
    values, ranks = _values(view), _ranks(view)
    return _by_name(view, values * ranks) / _by_name(view, ranks)


@metric("variable.least", unit="count", quality=Quality.MEASURED)
def least(view):
    """The same of the rank that has least of it; where ranks were summed up, of their mean."""
    return _of_each(view, np.min)


@metric("variable.most", unit="count", quality=Quality.MEASURED)
def most(view):
    """The same of the rank that has most of it."""
    return _of_each(view, np.max)


@metric("variable.peak", unit="count", quality=Quality.MEASURED)
def peak(view):
    """The largest of all readings on all ranks."""
    rows_of = coded(view.column("variables", "variable"))[1]
    return np.array(
        [
            view.column("variables", "most")[rows_of == index].max()
            for index in range(len(_names(view)))
        ],
        dtype=np.float64,
    )


@metric("run.unexpected_length", unit="count", quality=Quality.MEASURED)
def unexpected_length(view):
    """Messages that waited at a rank for their receive to be posted, on average over readings in
    slices of time; of the rank with most. Open MPI counts those of MPI_COMM_WORLD only, small
    ones of collective operations among them. Read on the way if counters were asked for."""
    return float(_values(view)[_on_the_way(view)].max())


@metric("run.unexpected_peak", unit="count", quality=Quality.MEASURED)
def unexpected_peak(view):
    """The most messages that were seen waiting at a rank for their receive to be posted; in between
    there may have been more. As run.unexpected_length."""
    return float(view.column("variables", "most")[_on_the_way(view)].max())


@metric("run.never_received", unit="count", quality=Quality.MEASURED)
def never_received(view):
    """Messages that had come and were still waiting for a receive when their ranks called
    MPI_Finalize, all ranks. Open MPI is asked if counters were asked for."""
    return float(view.column("variables", "last")[_unexpected(view)].sum())


def _names(view: Any) -> list:
    if not view.has("variables"):
        raise view.absent(NOT_READ, "variables")
    return list(coded(view.column("variables", "variable"))[0])


def _values(view: Any) -> np.ndarray:
    """One value for each row: of levels the mean of the readings, of others the last one, for each
    rank."""
    _names(view)
    level = view.column("variables", "kind") == "level"
    total, last, reads = (
        view.column("variables", label).astype(np.float64) for label in ("sum", "last", "reads")
    )
    return np.where(level, total / np.maximum(reads, 1), last / _ranks(view))


def _ranks(view: Any) -> np.ndarray:
    """Ranks that each row stands for; records of single ranks do not say."""
    return (
        np.maximum(view.column("variables", "ranks"), 1).astype(np.float64)
        if view.has("variables", "ranks")
        else np.ones(len(view.column("variables", "rank")))
    )


def _by_name(view: Any, values: np.ndarray) -> np.ndarray:
    return np.bincount(
        coded(view.column("variables", "variable"))[1], weights=values, minlength=len(_names(view))
    )


def _of_each(view: Any, pick: Any) -> np.ndarray:
    rows_of, values = coded(view.column("variables", "variable"))[1], _values(view)
    return np.array(
        [pick(values[rows_of == index]) for index in range(len(_names(view)))], dtype=np.float64
    )


def _on_the_way(view: Any) -> np.ndarray:
    """The same; Unknown where it was read at the end only, when it says nothing of the run."""
    chosen = _unexpected(view)
    if (view.column("variables", "reads")[chosen] <= _ranks(view)[chosen]).all():
        raise Unknown(
            message("the length of the queue of unexpected messages was read at the end only"),
            message("run again with {command}", command="advisor run --counters"),
        )
    return chosen


def _unexpected(view: Any) -> np.ndarray:
    """Rows of that queue; Unknown where the library does not export its length."""
    chosen = np.isin(_names(view), UNEXPECTED)[coded(view.column("variables", "variable"))[1]]
    if not chosen.any():
        raise Unknown(
            message(
                "the MPI library does not export the length of its queue of unexpected messages"
            ),
            "a library that does: Open MPI with ob1, MPICH built with --enable-mpit-pvars=recvq",
        )
    return chosen
