"""Why a run is faster or slower, in a word: the factor of its time that changed most."""

from __future__ import annotations

import math
from typing import Dict, Iterator, Optional, Tuple

from advisor.model.comparison import Comparison

_FACTORS = (
    ("load_balance", "load balance"),
    ("serialisation_efficiency", "serialisation"),
    ("transfer_efficiency", "transfer"),
)
"""POP's: their product with the share of a core is the parallel efficiency."""
_TOGETHER = ("communication_efficiency", "communication")
_STARTUP = "start-up and end"
Known = Dict[str, Tuple[Optional[float], Optional[float]]]


def cause(comparison: Comparison) -> str:
    """Of elapsed = mean computation / (load balance x serialisation x transfer efficiency), the
    factor that moved elapsed most in the way it went; start-up and end where these took more."""
    known = {one.name: (one.before, one.after) for one in comparison.readings}
    moved = {name: change for name, change in _changes(known)}
    if not moved:
        return "no cause is known"
    faster = comparison.total.change < 0
    way = min if faster else max
    name = way(moved, key=lambda each: moved[each])
    startup = sum(part.change for part in comparison.parts if part.kind == "startup")
    if abs(startup) > abs(comparison.total.change) / 2 and (startup < 0) is faster:
        return _STARTUP
    return name


def _changes(known: Known) -> Iterator[Tuple[str, float]]:
    """(factor, logarithm of what it does to elapsed): below 0 it is shorter."""
    split = all(_ratio(known, name) is not None for name, _ in _FACTORS[1:])
    for name, word in _FACTORS if split else (_FACTORS[0], _TOGETHER):
        ratio = _ratio(known, name)
        if ratio is not None:
            yield word, -ratio
    time, useful = _ratio(known, "time"), _ratio(known, "parallel_efficiency")
    if time is not None and useful is not None:
        yield "computation", time + useful


def _ratio(known: Known, name: str) -> Optional[float]:
    before, after = known.get(name, (None, None))
    return math.log(after / before) if before and after and before > 0 < after else None
