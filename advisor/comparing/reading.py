"""Measures of the run as a whole that are read side by side."""

from __future__ import annotations

from typing import Optional, Tuple

from advisor.model.comparison import Reading
from advisor.model.measures import Measures

NAMES = (
    "time",
    "job_time",
    "startup_share",
    "mpi_share",
    "wait_share",
    "transfer_share",
    "io_share",
    "parallel_efficiency",
    "load_balance",
    "communication_efficiency",
    "serialisation_efficiency",
    "transfer_efficiency",
    "call_rate",
    "on_host_share",
    "memory_peak",
    "overhead_share",
)


def readings(before: Measures, after: Measures) -> Tuple[Reading, ...]:
    """Those of NAMES that at least one run knows."""
    found = [
        Reading(name, unit(before, name), value(before, name), value(after, name)) for name in NAMES
    ]
    return tuple(one for one in found if one.before is not None or one.after is not None)


def value(measures: Measures, name: str) -> Optional[float]:
    """A number of the run as a whole; None if it is unknown or only a bound, which cannot be
    compared."""
    found = measures.tables["run"].row(0).get(name)
    if not isinstance(found, (int, float)) or isinstance(found, bool):
        return None
    bounded = name in ("wait_share", "wait_time") and measures.tables["run"].row(0).get(
        "wait_measured"
    ) not in (True, "yes")
    return None if bounded else float(found)


def unit(measures: Measures, name: str) -> str:
    """Its unit."""
    return measures.tables["run"].columns[name].unit
