"""One row for each (operation, class, size bin): METRICS 6.2."""

from __future__ import annotations

from typing import Optional

import numpy as np

from advisor.analysis.derived.profile_columns import RECORD_AGAIN
from advisor.analysis.derived.rank_distribution import most_in_cells
from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Value, metric, rows
from advisor.analysis.engine.size_bins import MIXED, bounds
from advisor.model.measures import Quality

NO_DATA = "these calls carry no data of their own"
NO_CLASS = "on which communicators or to which peers these calls were made was not recorded"
NO_SIZES = "the sizes of these messages were not kept apart"


@rows("cell")
def cell_rows(view) -> int:
    """Cells that were touched, the longest first."""
    return len(view.cells.first)


@metric("cell.operation", unit="text", quality=Quality.MEASURED)
def operation(view):
    """Name of the operation."""
    return view.column("calls", "operation")[view.cells.first]


@metric("cell.group", unit="text")
def group(view):
    """What it belongs to, as operation.group."""
    return view.groups[view.operations[1][view.cells.first]]


@metric("cell.class", unit="text", quality=Quality.MEASURED)
def where(view):
    """Of collective calls the communicator's class: self, intra_node, one_per_node, multi_node,
    inter. Of others the path: self, intra_node, other, any, none."""
    found = view.column("calls", "class")[view.cells.first]
    return Value([name or None for name in found], reason=NO_CLASS, collect=RECORD_AGAIN)


@metric("cell.bin", unit="count", quality=Quality.MEASURED)
def size_bin(view):
    """Size bin: 0 for 0 bytes, m for sizes from 2^(m-1) to 2^m - 1, -1 for calls without data."""
    found = view.column("calls", "bin")[view.cells.first].astype(np.float64)
    return Value(np.where(found == MIXED, np.nan, found), reason=NO_SIZES, collect=RECORD_AGAIN)


def _bounds(cell):
    """Both ends of each row's bin; NaN where there is none or it is not known."""
    return bounds(np.where(np.isnan(cell.bin), MIXED, cell.bin).astype(np.int64))


@metric("cell.size", unit="B")
def size(cell):
    """Mean size; between the two ends of the bin."""
    low, high = _bounds(cell)
    value = np.where(cell.bin != -1, ratio(cell.bytes, cell.calls), np.nan)
    return Value(value, low=low, high=high, reason=NO_DATA)


@metric("cell.size_low", unit="B")
def size_low(cell):
    """Smallest size of the bin."""
    return Value(_bounds(cell)[0], reason=NO_DATA)


@metric("cell.size_high", unit="B")
def size_high(cell):
    """Largest size of the bin."""
    return Value(_bounds(cell)[1], reason=NO_DATA)


@metric("cell.calls", unit="count", quality=Quality.MEASURED)
def calls(view):
    """Calls of all ranks."""
    return view.cells.sum(view.column("calls", "count"))


@metric("cell.calls_per_rank", unit="count")
def calls_per_rank(view, cell):
    """Calls divided by all ranks."""
    return cell.calls / view.count


@metric("cell.bytes", unit="B", quality=Quality.MEASURED)
def payload(view):
    """Payload that all ranks handed in."""
    return Value(view.cells.sum(view.payload), reason=NO_SIZES)


@metric("cell.time", unit="s")
def time(view):
    """Time in these calls, averaged over all ranks."""
    return view.cells.sum(view.column("calls", "time")) / view.count


@metric("cell.time_max", unit="s")
def time_max(view):
    """Time of the rank with the most."""
    if view.summed("calls"):
        return most_in_cells(view)
    return view.cells.largest(view.column("calls", "time"))


@metric("cell.share", unit="share")
def share(cell, run):
    """cell.time as share of run.time."""
    return cell.time / run.time


@metric("cell.tunable_share", unit="share", quality=Quality.ESTIMATED)
def tunable_share(view, run):
    """Largest time of a rank in these calls that is not known to be waiting, as share of run.time:
    an upper bound."""
    # What is known to be waiting is known for the operation; it may lie in any of its cells.
    return _at_most(view, run, view.by_operation.tunable)


@metric("cell.propagated_share", unit="share", quality=Quality.ESTIMATED)
def propagated_share(view, run):
    """Of the waiting in these calls, and in others that came straight from them, the part that they
    cause, of the rank with the most, as share of run.time: METRICS 3.5, an upper bound."""
    view.column("waits", "propagated")
    found = view.by_operation
    return _at_most(view, run, found.propagated, found.inherited)


@metric("cell.alternating_share", unit="share", quality=Quality.ESTIMATED)
def alternating_share(view, run):
    """Of the waiting in these calls, what ranks wait for each other's computing in turns, of the
    rank with the most, as share of run.time: it evens out where they need not meet. METRICS 3.5,
    an upper bound."""
    view.column("waits", "after")
    return _at_most(view, run, view.by_operation.alternating)


@metric("cell.removable_share", unit="share", quality=Quality.ESTIMATED)
def removable_share(view, run):
    """What a rank saves at most if the calls go: as cell.tunable_share, and with it the waiting
    that they cause, where that is known: METRICS 3.5."""
    found = view.by_operation
    return _at_most(view, run, found.removable - found.inherited, found.inherited)


@metric("cell.avoidable_share", unit="share", quality=Quality.ESTIMATED)
def avoidable_share(view, run):
    """What a rank saves at most if the calls go and ranks need not meet there: as
    cell.removable_share, and with it the waiting in turns: METRICS 3.5."""
    found = view.by_operation
    return _at_most(
        view, run, found.removable - found.inherited + found.alternating, found.inherited
    )


def _at_most(view, run, limit: np.ndarray, elsewhere: Optional[np.ndarray] = None) -> Value:
    """Largest over ranks of the lesser of the time in a cell and of its operation's `limit`,
    [operations, P], and what goes with the operation `elsewhere`, as share of run.time."""
    row, position = view.by_operation.row_of, view.position("calls")
    own = np.minimum(view.column("calls", "time"), limit[row, position]) + (
        0.0 if elsewhere is None else elsewhere[row, position]
    )
    value = np.minimum(view.cells.largest(own) / run.time, 1)
    return Value(value, high=value, note="upper bound")
