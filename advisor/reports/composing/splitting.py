"""MPI time in five parts: wait time, transfer, without a core, polls that found nothing, and time
that is not split."""

from __future__ import annotations

from typing import NamedTuple, Optional, Tuple

from advisor.base.numbers import seconds
from advisor.model.message import joined, message
from advisor.reports.composing.causes_in_mpi import in_files, in_mpi
from advisor.reports.composing.no_core import no_core
from advisor.reports.lookup import Lookup

Bounds = Tuple[Optional[float], Optional[float]]
NOTHING = 1e-9
"""Seconds: less is a rest from rounding."""
NO_BOUNDS: Bounds = (None, None)


class Split(NamedTuple):
    """Seconds, means over ranks. `sampled`: call by call, with 95 % intervals where only some calls
    were sampled (`estimated`); else `waiting` is a lower bound and `moving` 0. `polling`: in
    calls that asked and found nothing, which is neither. `no_core`: ready to run and without a
    core, beyond waiting."""

    waiting: float
    moving: float
    unsplit: float
    sampled: bool
    waiting_bounds: Bounds = NO_BOUNDS
    moving_bounds: Bounds = NO_BOUNDS
    estimated: bool = True
    polling: float = 0.0
    no_core: float = 0.0


def split(run: Lookup, mpi: float) -> Split:
    """The parts add up to `mpi`. Waits below the error of the clocks are not split. Where causes
    are known, the parts are theirs, as on the first screen."""
    alone, known = _alone(run, mpi), in_mpi(run)
    total = sum(float(values.mean()) for values in known.values()) if known else 0.0
    if known is None or not total > 0:
        return alone
    parts = {role: float(values.mean()) * mpi / total for role, values in known.items()}
    divided = parts["waiting"] + parts["moving"] + parts["no_core"]
    return alone._replace(
        waiting=parts["waiting"],
        moving=parts["moving"],
        unsplit=parts["unsplit"],
        polling=parts["polling"],
        no_core=parts["no_core"],
        waiting_bounds=_within(
            alone.waiting_bounds,
            parts["waiting"] - alone.waiting,
            divided - min(in_files(run), parts["moving"]),
        ),
        moving_bounds=_within(alone.moving_bounds, parts["moving"] - alone.moving, divided),
    )


def _within(bounds: Bounds, by: float, most: float) -> Bounds:
    """Moved; and no more than what was divided into these two, or had no core, which who waits
    hardly misses: all else in MPI has a row of its own."""
    low, high = _moved(bounds, by)
    return low, None if high is None else min(high, most)


def _moved(bounds: Bounds, by: float) -> Bounds:
    low, high = (None if end is None else max(end + by, 0.0) for end in bounds)
    return (0.0 if low is not None and low < NOTHING else low), high


def _alone(run: Lookup, mpi: float) -> Split:
    """From the sums of the run."""
    if not sampled(run):
        low = min(lower_bound(run) or 0.0, mpi)
        polling = min(run.number("run.polling_time") or 0.0, mpi - low)
        return Split(low, 0.0, mpi - low - polling, False, polling=polling)
    wait = min(run.number("run.wait_time") or 0.0, mpi)
    unresolved = (run.number("run.wait_unresolved_share") or 0.0) * (run.number("run.time") or 0.0)
    moving = min(max((run.number("run.transfer_time") or 0.0) - unresolved, 0.0), mpi - wait)
    bounds = _bounds(run, "run.wait_time"), _bounds(run, "run.transfer_time")
    lost = min(no_core(run).inside, mpi - wait - moving)
    rest = max(mpi - wait - moving - lost, 0.0)
    polling = min(run.number("run.polling_time") or 0.0, rest)
    return Split(
        wait,
        moving,
        rest - polling,
        True,
        *bounds,
        estimated=bool(sign(run)),
        polling=polling,
        no_core=lost,
    )


def sampled(run: Lookup) -> bool:
    """Whether waiting was told from transfer by sampled calls."""
    return (
        run.truth("run.wait_measured") is True
        and run.number("run.wait_time") is not None
        and run.number("run.transfer_time") is not None
    )


def sign(run: Lookup) -> str:
    """ "~" where waiting is estimated from samples; nothing where the waits of all calls are known,
    as from a trace."""
    return run.mark("run.wait_time")


def lower_bound(run: Lookup) -> Optional[float]:
    """The mean seconds that ranks waited, from samples, or at least; None if nothing is known."""
    low = None if sampled(run) else run.bound("run.wait_time", "low")
    return run.number("run.wait_time") if low is None else low


def in_brackets(bounds: Bounds) -> str:
    """ " (5.1 to 6.2 s)"; empty without bounds."""
    low, high = bounds
    if low is None or high is None or seconds(low) == seconds(high):
        return ""
    span = message("{low} to {high}", low=seconds(low), high=seconds(high))
    return joined("", (" (", span, ")"))


def _bounds(run: Lookup, name: str) -> Bounds:
    return run.bound(name, "low"), run.bound(name, "high")
