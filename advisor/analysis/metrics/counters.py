"""What processor and system counted, outside MPI and inside: one row for each counter, and what
computing waits for."""

from __future__ import annotations

from typing import Any

import numpy as np

from advisor.analysis.derived.counter_split import DEVIATIONS
from advisor.analysis.engine.arrays import coded, objects, ratio
from advisor.analysis.engine.metric import Unknown, Value, metric, rows
from advisor.model.measures import Quality

ASK = "advisor run --counters"
NOBODY = "no counters were read"
HARDWARE = ("cycles", "instructions", "memory_stalls", "stalls", "cache_misses", "floating_point")


@rows("counter")
def counter_rows(view) -> int:
    """Counters by name, all ranks together."""
    return len(_names(view))


@metric("counter.name", unit="text", quality=Quality.MEASURED)
def name(view):
    """Name of the counter: `cycles`, `instructions`, `memory_stalls` (cycles stalled on memory),
    `stalls` (on anything), `cache_misses` of the last level, `floating_point` operations;
    `cpu_time` in ns, `page_faults`, `voluntary_switches`, `involuntary_switches`; or a name of
    PAPI's. Of the thread that began MPI, in the program and not in the kernel."""
    return objects(_names(view))


@metric("counter.total", unit="count", quality=Quality.MEASURED)
def total(view):
    """Between MPI_Init and MPI_Finalize, all ranks."""
    return _sums(view, view.counted_events.total)


@metric("counter.outside", unit="count", quality=Quality.ESTIMATED)
def outside(view, counter):
    """Of it outside MPI: from readings at the exit and the next entry of some calls, scaled to all
    time outside MPI."""
    value, error = (
        _sums(view, view.counted_events.outside),
        DEVIATIONS * _sums(view, view.counted_events.error),
    )
    return Value(
        value, low=np.maximum(value - error, 0), high=np.minimum(value + error, counter.total)
    )


@metric("counter.inside", unit="count", quality=Quality.ESTIMATED)
def inside(counter):
    """Of it inside MPI: the rest. Waiting ranks spin, so a large count there is no work."""
    return counter.total - counter.outside


@metric("counter.outside_rate", unit="1/s", quality=Quality.ESTIMATED)
def outside_rate(view, counter):
    """counter.outside for each second that ranks were outside MPI."""
    return ratio(counter.outside, np.full(len(counter.outside), float(np.nansum(view.useful))))


@metric("run.instructions_per_cycle", unit="count", quality=Quality.ESTIMATED)
def instructions_per_cycle(view):
    """Instructions for each cycle outside MPI, all ranks: METRICS 13, hw.ipc."""
    return _part(view, "instructions", "cycles")


@metric("run.memory_stalled_share", unit="share", quality=Quality.ESTIMATED)
def memory_stalled_share(view):
    """Cycles in which the processor stood still for memory, as share of its cycles outside MPI, all
    ranks: METRICS 13, hw.membound."""
    return _part(view, "memory_stalls", "cycles")


@metric("run.misses_per_instruction", unit="share", quality=Quality.ESTIMATED)
def misses_per_instruction(view):
    """Misses of the last level of cache for each instruction outside MPI, all ranks. Each moves a
    line of memory, 64 B on most processors."""
    return _part(view, "cache_misses", "instructions")


@metric("rank.instructions_per_cycle", unit="count", quality=Quality.ESTIMATED)
def rank_instructions_per_cycle(view):
    """Its instructions for each cycle outside MPI. Ranks with the same work and more cycles run on
    a slower or a shared core."""
    return ratio(_of_ranks(view, "instructions"), _of_ranks(view, "cycles"))


@metric("rank.frequency", unit="1/s", quality=Quality.ESTIMATED)
def frequency(view):
    """Its cycles for each second of CPU time outside MPI: METRICS 13, hw.freq."""
    return ratio(_of_ranks(view, "cycles"), _of_ranks(view, "cpu_time") * 1e-9)


@metric("rank.page_faults", unit="count", quality=Quality.ESTIMATED)
def page_faults(view):
    """Pages that the thread which began MPI touched for the first time outside MPI."""
    return _of_ranks(view, "page_faults")


def _names(view: Any) -> list:
    if not view.has("counters"):
        raise view.absent(NOBODY, "counters", collect=ASK)
    return list(coded(view.column("counters", "counter"))[0])


def _sums(view: Any, values: np.ndarray) -> np.ndarray:
    """Sums over ranks, by counter."""
    return np.bincount(
        coded(view.column("counters", "counter"))[1], weights=values, minlength=len(_names(view))
    )


def _rows_of(view: Any, wanted: str) -> np.ndarray:
    """Rows of a counter; Unknown, with the reason of its gap, where nobody could read it."""
    found, codes = (_names(view), coded(view.column("counters", "counter"))[1])
    if wanted not in found:
        raise view.absent(f"{wanted} was not counted", f"counters.{wanted}", collect=ASK)
    return codes == found.index(wanted)


def _part(view: Any, above: str, below: str) -> Value:
    """Ratio of two counts outside MPI, with an interval: its error is at most the sum of the
    relative errors."""
    events, parts = view.counted_events, []
    for wanted in (above, below):
        chosen = _rows_of(view, wanted)
        parts.append((events.outside[chosen].sum(), DEVIATIONS * events.error[chosen].sum()))
    (top, top_error), (bottom, bottom_error) = parts
    if not bottom > 0:
        raise Unknown(f"{below} counted nothing outside MPI")
    return Value(
        top / bottom,
        low=max(top - top_error, 0) / (bottom + bottom_error),
        high=(top + top_error) / (bottom - bottom_error) if bottom > bottom_error else np.nan,
    )


def _of_ranks(view: Any, wanted: str) -> np.ndarray:
    """Count outside MPI of each rank, float64 [P]; Unknown where ranks were summed up."""
    chosen = _rows_of(view, wanted)
    value = np.bincount(
        view.position("counters")[chosen],
        weights=view.counted_events.outside[chosen],
        minlength=view.count,
    )
    return value
