"""What a message costs at both of its ends: a setting or a packed message spares the sender's call
and the receiver's."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.analysis.engine.metric import Value, metric
from advisor.analysis.engine.operation_groups import receives, sends
from advisor.model.measures import Quality


@metric("operation.pairwise_share", unit="share", quality=Quality.ESTIMATED)
def of_operation(view, run):
    """As operation.tunable_share; of calls that send to single ranks with all calls that receive,
    complete or test, of those with all that send: what cheaper messages can save at both ends,
    at most."""
    own = view.by_operation.tunable
    return _share((own + _other_end(view, own)).max(axis=1), run)


@metric("operation.pairwise_removable_share", unit="share", quality=Quality.ESTIMATED)
def removable(view, run):
    """As operation.pairwise_share, and with it the waiting that these calls cause each other,
    where that is known: METRICS 3.5."""
    own = view.by_operation.removable
    return _share((own + _other_end(view, own)).max(axis=1), run)


@metric("operation.pairwise_propagated_share", unit="share", quality=Quality.ESTIMATED)
def propagated(view, run):
    """Of the waiting in these calls and in those at the other end of messages, the part that they
    cause each other, of the rank with the most: METRICS 3.5."""
    view.column("waits", "propagated")
    own = view.by_operation.propagated
    return _share((own + _other_end(view, own)).max(axis=1), run)


@metric("cell.pairwise_share", unit="share", quality=Quality.ESTIMATED)
def of_cell(view, run):
    """As cell.tunable_share, with the calls at the other end of messages as in
    operation.pairwise_share: which of those belong to messages of this size is not known, so
    all of the ranks that make these calls are in it."""
    row, position = view.by_operation.row_of, view.position("calls")
    limit = view.by_operation.tunable[row, position]
    own = np.minimum(view.column("calls", "time"), limit)
    return _share(
        view.cells.largest(own + _other_end(view, view.by_operation.tunable)[row, position]), run
    )


def _other_end(view: Any, tunable: np.ndarray) -> np.ndarray:
    """Of `tunable` seconds, [operations, P], those of the calls at the other end, by operation and
    rank, [operations, P]; 0 where no single message is sent."""
    names = view.by_operation.names
    out, back = (
        np.array([is_end(name) for name in names], dtype=bool) for is_end in (sends, receives)
    )
    of_senders, of_receivers = tunable[out & ~back].sum(axis=0), tunable[back & ~out].sum(axis=0)
    return np.where((out & ~back)[:, None], of_receivers, 0.0) + np.where(
        (back & ~out)[:, None], of_senders, 0.0
    )


def _share(seconds: np.ndarray, run: Any) -> Value:
    value = np.minimum(seconds / run.time, 1)
    return Value(value, high=value, note="upper bound")
