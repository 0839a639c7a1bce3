"""Counters that Score-P read at each call: of PAPI (SCOREP_METRIC_PAPI) and of getrusage
(SCOREP_METRIC_RUSAGE), inside MPI and outside."""

from __future__ import annotations

import re
from typing import Dict, List

import numpy as np

from advisor.intake.foreign.base.counter_names import ALONE, NAMES, NANOSECONDS, our_name
from advisor.intake.foreign.base.operation_names import LIFECYCLE, operation_of
from advisor.intake.foreign.base.profile_builder import Row
from advisor.intake.foreign.cube.values import Archive

_COUNTER = re.compile(r"PAPI_\w+|[\w.-]+::?[^\s]+|ru_\w+")
"""Presets, names of components and processors (perf::PAGE-FAULTS, CYCLE_ACTIVITY:STALLS_MEM_ANY),
fields of getrusage."""
_POWER = re.compile(r"(10|2)\^(-?\d{1,2}) .*")
"""In front of a unit: "10^-6 s"."""
_NO_COUNT = "ru_maxrss"
"""A level, of which a profile has only how much it rose since the start: neither a count nor the
peak."""


def counters(archive: Archive, time: np.ndarray) -> List[Row]:
    """Rows of `counters` of the thread that began MPI. They were read at each call, so nothing is
    estimated and no square adds to an error."""
    inside, outside = _parts(archive)
    rows: List[Row] = []
    for name, values in _values(archive).items():
        for place, location in enumerate(archive.about.locations):
            if location.first:
                column, seconds = values[:, place], time[:, place]
                rows.append(
                    _row(
                        location.rank,
                        name,
                        [
                            float(part)
                            for chosen in (inside, outside)
                            for part in (column[chosen].sum(), seconds[chosen].sum())
                        ],
                    )
                )
    return rows


def _values(archive: Archive) -> Dict[str, np.ndarray]:
    """By our name, [call paths, locations], those of one name together."""
    found: Dict[str, np.ndarray] = {}
    for metric in archive.about.metrics:
        values = archive.values(metric.name) if _is_counter(metric.title) else None
        name = our_name(metric.title)
        if values is None or np.isnan(values).any() or (name in found and name in ALONE):
            continue
        values = (
            np.maximum(values, 0)
            * _factor(metric.unit)
            * (NANOSECONDS if name == "cpu_time" else 1)
        )
        found[name] = found[name] + values if name in found else values
    return found


def _is_counter(title: str) -> bool:
    return bool(title in NAMES or _COUNTER.fullmatch(title)) and title != _NO_COUNT


def _factor(unit: str) -> float:
    power = _POWER.fullmatch(unit)
    return float(power.group(1)) ** int(power.group(2)) if power else 1.0


def _parts(archive: Archive) -> List[np.ndarray]:
    """Which call paths are inside MPI, and which are outside; starting and ending MPI are neither
    (METRICS 1)."""
    operations = [
        operation_of(path.region.name) if path.region.mpi else None for path in archive.about.paths
    ]
    return [
        np.array(
            [operation is not None and operation not in LIFECYCLE for operation in operations]
        ),
        np.array([operation is None for operation in operations]),
    ]


def _row(rank: int, name: str, sums: List[float]) -> Row:
    inside, inside_time, outside, outside_time = sums
    squares = (
        "inside_squares",
        "inside_products",
        "inside_time_squares",
        "outside_squares",
        "outside_products",
        "outside_time_squares",
    )
    return {
        "rank": rank,
        "counter": name,
        "total": round(inside + outside),
        "inside": inside,
        "inside_time": inside_time,
        "outside": outside,
        "outside_time": outside_time,
        **dict.fromkeys(squares, 0.0),
    }
