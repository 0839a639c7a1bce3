"""What nonblocking messages had moved before the calls that completed them: METRICS 10."""

from __future__ import annotations

import math
from typing import Dict, Tuple

from advisor.analysis.metric import Unknown, Value, metric
from advisor.analysis.sampled import DEVIATIONS
from advisor.model.measures import Quality

NOTE = "of the messages whose both ends were sampled; beside messages that were sent back and forth when the job was over: what these may be off is not in the interval"
TOO_LITTLE = "no rank had half a second between posting nonblocking messages and completing them, or the profile has no comparison for them (one of an older version, a trace)"


def _sums(seen) -> Dict[str, float]:
    """Sums over sizes and paths; seconds, `messages` and `starved` counts. Unknown without messages, or where a cell is unknown."""
    if not seen.has("overlap"):
        raise Unknown(TOO_LITTLE)
    sums = {name: float(seen.column("overlap", name).sum()) for name in ("messages", "reference", "possible", "achieved", "most", "starved", "variance")}
    if not (all(map(math.isfinite, sums.values())) and sums["messages"] > 0 and sums["reference"] > 0):
        raise Unknown(TOO_LITTLE)
    return sums


def _achieved(seen) -> Tuple[float, float, float, Dict[str, float]]:
    """Seconds: achieved, its bounds; and all sums."""
    sums = _sums(seen)
    error = DEVIATIONS * sums["variance"] ** 0.5
    return sums["achieved"], max(sums["achieved"] - error, 0.0), max(min(sums["most"] + error, sums["possible"]), sums["achieved"]), sums


@metric("run.overlap_possible", unit="share", quality=Quality.ESTIMATED)
def overlap_possible(seen):
    """Of the time that nonblocking messages take when nothing is in their way, what would have fitted into the time in which their rank did something else:
    METRICS 10."""
    sums = _sums(seen)
    return Value(sums["possible"] / sums["reference"], note=NOTE)


@metric("run.overlap_achieved", unit="share", quality=Quality.ESTIMATED)
def overlap_achieved(seen):
    """Of that same time, what was over when the completing calls began; at the lower end what a call still took is taken off each of its messages, at the upper
    end off one of them: METRICS 10."""
    value, low, high, sums = _achieved(seen)
    return Value(value / sums["reference"], low=low / sums["reference"], high=high / sums["reference"], note=NOTE)


@metric("run.overlap_efficiency", unit="share", quality=Quality.ESTIMATED)
def overlap_efficiency(seen):
    """run.overlap_achieved as share of run.overlap_possible: METRICS 10."""
    value, low, high, sums = _achieved(seen)
    if not sums["possible"] > 0:
        raise Unknown("nothing was done between posting messages and completing them")
    return Value(value / sums["possible"], low=low / sums["possible"], high=high / sums["possible"], note=NOTE)


@metric("run.overlap_starved", unit="share", quality=Quality.ESTIMATED)
def overlap_starved(seen):
    """Share of nonblocking messages for which there was time enough, and of which the completing call still took eight tenths or more: METRICS 10."""
    sums = _sums(seen)
    return Value(sums["starved"] / sums["messages"], note=NOTE)


@metric("run.overlap_missed_share", unit="share", quality=Quality.ESTIMATED)
def overlap_missed_share(seen, run):
    """What could have been over before completing calls began and was not, by the time that such messages take when nothing is in their way; averaged over
    ranks, as share of run.time: METRICS 10."""
    value, low, high, sums = _achieved(seen)
    whole = seen.count * run.time
    return Value((sums["possible"] - value) / whole, low=(sums["possible"] - high) / whole, high=(sums["possible"] - low) / whole, note=NOTE)
