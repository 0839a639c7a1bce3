"""Which calls the library cannot hand to its fast paths: data with gaps, and reductions with an
operator of the program's own: METRICS 6.4."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.metric import Value, metric
from advisor.model.measures import Quality

_GAPS, _COMMUTATIVE, _ORDERED = 1, 2, 3
"""Words of the column `handling`: collectors/schema/tables.txt."""


def _sum(view, column: str, *words: int) -> np.ndarray:
    """A column of the table by operation, of all ranks."""
    names = view.column("handling", "operation")
    values = np.where(
        np.isin(view.column("handling", "handling"), words), view.column("handling", column), 0
    )
    found = dict.fromkeys(view.by_operation.names, 0.0)
    for name, value in zip(names, values):
        if name in found:
            found[name] += float(value)
    return np.array(list(found.values()), dtype=np.float64)


def _tunable_share(view, operation, *words: int):
    """The part of operation.tunable_share that goes with these calls, if their calls wait as long
    as the others."""
    time = operation.time * view.count
    part = np.divide(_sum(view, "time", *words), time, out=np.zeros(len(time)), where=time > 0)
    value = operation.tunable_share * np.minimum(part, 1)
    return Value(value, high=value, note="upper bound")


@metric("operation.gaps_calls", unit="count", quality=Quality.MEASURED)
def gaps_calls(view):
    """Calls of all ranks that were handed data with gaps, which the library packs or moves piece by
    piece. Of an exchange either side counts, of a collective call what it was given to send."""
    return _sum(view, "count", _GAPS)


@metric("operation.gaps_tunable_share", unit="share", quality=Quality.ESTIMATED)
def gaps_tunable_share(view, operation):
    """operation.tunable_share, by the part of the operation's time that is in calls with such
    data."""
    return _tunable_share(view, operation, _GAPS)


@metric("operation.own_operator_calls", unit="count", quality=Quality.MEASURED)
def own_operator_calls(view):
    """Reductions of all ranks with an operator of the program's own (MPI_Op_create)."""
    return _sum(view, "count", _COMMUTATIVE, _ORDERED)


@metric("operation.ordered_operator_calls", unit="count", quality=Quality.MEASURED)
def ordered_operator_calls(view):
    """Of operation.own_operator_calls, those whose operator was created as not commutative."""
    return _sum(view, "count", _ORDERED)


@metric("operation.own_operator_tunable_share", unit="share", quality=Quality.ESTIMATED)
def own_operator_tunable_share(view, operation):
    """operation.tunable_share, by the part of the operation's time that is in such reductions."""
    return _tunable_share(view, operation, _COMMUTATIVE, _ORDERED)
