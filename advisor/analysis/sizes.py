"""One row for each (operation, class, size bin): METRICS 6.2."""

from __future__ import annotations

import numpy as np

from advisor.analysis.arrays import ratio
from advisor.analysis.binning import MIXED, bounds
from advisor.analysis.loaded import RECORD_AGAIN
from advisor.analysis.metric import Value, metric, rows
from advisor.analysis.spread import most_in_cells
from advisor.model.measures import Quality

NO_DATA = "these calls carry no data of their own"
NO_CLASS = "on which communicators or to which peers these calls were made was not recorded"
NO_SIZES = "the sizes of these messages were not kept apart"


@rows("cell")
def cell_rows(seen) -> int:
    """Cells that were touched, the longest first."""
    return len(seen.cells.first)


@metric("cell.operation", unit="text", quality=Quality.MEASURED)
def operation(seen):
    """Name of the operation."""
    return seen.column("calls", "operation")[seen.cells.first]


@metric("cell.group", unit="text")
def group(seen):
    """What it belongs to, as operation.group."""
    return seen.groups[seen.operations[1][seen.cells.first]]


@metric("cell.class", unit="text", quality=Quality.MEASURED)
def where(seen):
    """Of collective calls the communicator's class: self, host, leaders, spread, inter. Of others the path: self, host, other, any, none."""
    found = seen.column("calls", "class")[seen.cells.first]
    return Value([name or None for name in found], reason=NO_CLASS, collect=RECORD_AGAIN)


@metric("cell.bin", unit="count", quality=Quality.MEASURED)
def size_bin(seen):
    """Size bin: 0 for 0 bytes, m for sizes from 2^(m-1) to 2^m - 1, -1 for calls without data."""
    found = seen.column("calls", "bin")[seen.cells.first].astype(np.float64)
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
def calls(seen):
    """Calls of all ranks."""
    return seen.cells.sum(seen.column("calls", "count"))


@metric("cell.calls_per_rank", unit="count")
def calls_per_rank(seen, cell):
    """Calls divided by all ranks."""
    return cell.calls / seen.count


@metric("cell.bytes", unit="B", quality=Quality.MEASURED)
def payload(seen):
    """Payload that all ranks handed in."""
    return Value(seen.cells.sum(seen.payload), reason=NO_SIZES)


@metric("cell.time", unit="s")
def time(seen):
    """Time in these calls, averaged over all ranks."""
    return seen.cells.sum(seen.column("calls", "time")) / seen.count


@metric("cell.time_max", unit="s")
def time_max(seen):
    """Time of the rank with the most."""
    if seen.summed("calls"):
        return most_in_cells(seen)
    return seen.cells.largest(seen.column("calls", "time"))


@metric("cell.share", unit="share")
def share(cell, run):
    """cell.time as share of run.time."""
    return cell.time / run.time


@metric("cell.tunable_share", unit="share", quality=Quality.ESTIMATED)
def tunable_share(seen, run):
    """Largest time of a rank in these calls that is not known to be waiting, as share of run.time: an upper bound."""
    # What is known to be waiting is known for the operation; it may lie in any of its cells.
    limit = seen.by_operation.tunable[seen.by_operation.row_of, seen.position("calls")]
    value = np.minimum(seen.cells.largest(np.minimum(seen.column("calls", "time"), limit)) / run.time, 1)
    return Value(value, high=value, note="upper bound")
