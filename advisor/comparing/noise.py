"""How much a run differs from the next one of the same configuration: METRICS 15, noise.cv."""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from advisor.model.comparison import Elapsed, Key, Load, Noise
from advisor.model.measures import Measures

ASSUMED = 0.01
"""Of elapsed, one standard deviation: the level under which Intel's tuner ignores a setting
(METRICS 15)."""
FEWEST = 3
"""Runs from which a deviation is told: METRICS 15."""
_QUANTILES = (
    12.71,
    4.303,
    3.182,
    2.776,
    2.571,
    2.447,
    2.365,
    2.306,
    2.262,
    2.228,
    2.201,
    2.179,
    2.160,
    2.145,
    2.131,
    2.120,
    2.110,
    2.101,
    2.093,
    2.086,
)
"""Student's t, 97.5 %, for 1 to 20 degrees of freedom; beyond, 2.0 is near enough."""


class Bands(NamedTuple):
    """`elapsed`, `widths`: half of the interval of a difference of two runs, seconds. What was not
    in all repeats has the width of elapsed."""

    of_elapsed: Noise
    elapsed: float
    widths: Dict[Tuple[str, Key], float]


def noise_of(runs: Sequence[Any]) -> Bands:
    """From runs (compare.Measured) of one configuration, the first being the one that is compared;
    assumed below three of them."""
    splits: List[Elapsed] = [run.elapsed for run in runs]
    if len(splits) < FEWEST:
        band = _QUANTILES[-1] * math.sqrt(2) * ASSUMED * splits[0].run
        return Bands(Noise(ASSUMED, 0), band, {})
    factor = _quantile(len(splits) - 1) * math.sqrt(2)
    timed = all(split.command is not None for split in splits)
    totals = [float(split.command or 0.0) if timed else split.run for split in splits]
    tables = [seconds_of(split) for split in splits]
    keys = set.intersection(*map(set, tables))
    widths = {key: factor * _deviation([table[key] for table in tables]) for key in keys}
    deviation = _deviation(totals)
    return Bands(Noise(deviation / _mean(totals), len(splits)), factor * deviation, widths)


def busiest(measures: Measures) -> Optional[Load]:
    """The node with the most load for each of its cores before the run; None if no load was
    recorded."""
    nodes = measures.tables["node"]
    rows = [nodes.row(index) for index in range(len(nodes))]
    loads = [
        Load(row["load_at_start"], row["cores"])
        for row in rows
        if row["load_at_start"] is not None and row["cores"]
    ]
    return max(loads, key=lambda each: each.load / each.cores, default=None)


def seconds_of(split: Elapsed) -> Dict[Tuple[str, Key], float]:
    """Seconds of each piece by kind and detail."""
    sums: Dict[Tuple[str, Key], float] = {}
    for piece in split.pieces:
        key = (piece.kind, piece.detail)
        sums[key] = sums.get(key, 0.0) + piece.seconds
    return sums


def _quantile(degrees: int) -> float:
    return _QUANTILES[degrees - 1] if degrees <= len(_QUANTILES) else 2.0


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _deviation(values: Sequence[float]) -> float:
    mean = _mean(values)
    return math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
