"""What nonblocking messages had moved before the calls that completed them: METRICS 10."""

from __future__ import annotations

import math
from typing import Dict

from advisor.analysis.derived.sampled_waits import DEVIATIONS
from advisor.analysis.engine.metric import Unknown, Value, metric
from advisor.model.measures import Quality

NOTE = (
    "of the messages whose both ends were sampled; beside messages that two ranks sent each other"
    " when the job was over, again and again, and at the other end of the range after a pause"
)
TOO_LITTLE = (
    "no rank had half a second between posting nonblocking messages and completing them, or the"
    " profile has no comparison for them (one of an older version, a trace)"
)
SUMS = (
    "messages",
    "reference",
    "possible",
    "achieved",
    "without_progress",
    "variance",
    "longer_reference",
    "longer_possible",
    "longer_achieved",
)


def _sums(view) -> Dict[str, float]:
    """SUMS over sizes and paths; seconds, `messages` and `without_progress` counts. Unknown without
    messages, or where a cell is unknown."""
    if not all(view.has("overlap", name) for name in SUMS):
        raise Unknown(TOO_LITTLE)
    sums = {name: float(view.column("overlap", name).sum()) for name in SUMS}
    if not (
        all(map(math.isfinite, sums.values()))
        and min(sums["messages"], sums["reference"], sums["longer_reference"]) > 0
    ):
        raise Unknown(TOO_LITTLE)
    return sums


def _between(shorter: float, longer: float, error: float, most: float) -> Value:
    """What holds if messages take the shorter times; the range to what holds if they take the
    longer ones, each with the error of sampling, within 0 to `most`."""
    low, high = min(shorter, longer) - error, max(shorter, longer) + error
    return Value(
        shorter, low=min(max(low, 0.0), shorter), high=max(min(high, most), shorter), note=NOTE
    )


def _error(sums: Dict[str, float]) -> float:
    """Seconds of achieved that sampling may be off."""
    return DEVIATIONS * sums["variance"] ** 0.5


@metric("run.overlap_possible", unit="share", quality=Quality.ESTIMATED)
def overlap_possible(view):
    """Of the time that nonblocking messages take when nothing is in their way, what would have
    fitted into the time in which their rank did something else: METRICS 10."""
    sums = _sums(view)
    return _between(
        sums["possible"] / sums["reference"],
        sums["longer_possible"] / sums["longer_reference"],
        0.0,
        1.0,
    )


@metric("run.overlap_achieved", unit="share", quality=Quality.ESTIMATED)
def overlap_achieved(view):
    """Of that same time, what was over when the completing calls began: METRICS 10."""
    sums = _sums(view)
    return _between(
        sums["achieved"] / sums["reference"],
        sums["longer_achieved"] / sums["longer_reference"],
        _error(sums) / sums["reference"],
        1.0,
    )


@metric("run.overlap_efficiency", unit="share", quality=Quality.ESTIMATED)
def overlap_efficiency(view):
    """run.overlap_achieved as share of run.overlap_possible: METRICS 10."""
    sums = _sums(view)
    if not min(sums["possible"], sums["longer_possible"]) > 0:
        raise Unknown("nothing was done between posting messages and completing them")
    return _between(
        sums["achieved"] / sums["possible"],
        sums["longer_achieved"] / sums["longer_possible"],
        _error(sums) / sums["possible"],
        1.0,
    )


@metric("run.overlap_without_progress", unit="share", quality=Quality.ESTIMATED)
def overlap_without_progress(view):
    """Share of nonblocking messages for which there was time enough, and of which the completing
    call still took eight tenths or more: METRICS 10."""
    sums = _sums(view)
    return Value(sums["without_progress"] / sums["messages"], note=NOTE)


@metric("run.overlap_missed_share", unit="share", quality=Quality.ESTIMATED)
def overlap_missed_share(view, run):
    """What could have been over before completing calls began and was not, by the time that such
    messages take when nothing is in their way; averaged over ranks, as share of run.time:
    METRICS 10."""
    sums, whole = _sums(view), view.count * run.time
    return _between(
        (sums["possible"] - sums["achieved"]) / whole,
        (sums["longer_possible"] - sums["longer_achieved"]) / whole,
        _error(sums) / whole,
        sums["longer_possible"] / whole,
    )
