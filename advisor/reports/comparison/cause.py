"""Why a run is faster or slower, in a word: the factor of its time that changed most, and that the
parts bear out."""

from __future__ import annotations

import math
from typing import Dict, Iterator, Optional, Tuple

from advisor.model.comparison import Comparison, Part

_FACTORS = (
    ("load_balance", "load balance"),
    ("serialisation_efficiency", "serialisation"),
    ("transfer_efficiency", "transfer"),
)
"""POP's: their product with the share of a core is the parallel efficiency."""
_TOGETHER = ("communication_efficiency", "communication")
_BORNE_OUT = {
    "outside": ("load balance", "computation"),
    "waiting": ("load balance", "serialisation", "communication"),
    "moving": ("transfer", "communication"),
    "unsplit": ("serialisation", "transfer", "communication"),
}
"""Factors that move this kind of time."""
_NO_FACTOR = {
    "startup": "start-up and end",
    "no_core": "time without a core",
    "io": "MPI-IO",
    "polling": "polling",
}
"""Kinds of time that no factor is about."""
SEVERAL = "no single cause"
NEARLY_ALL = 0.8
"""Of the change of its kind: from here on one part stands for it."""
Known = Dict[str, Tuple[Optional[float], Optional[float]]]


def cause(comparison: Comparison) -> str:
    """Of elapsed = mean computation / (load balance x serialisation x transfer efficiency), the
    factor that moved elapsed most in the way it went, among those that the largest change is about;
    a kind of time that no factor is about, where that changed most."""
    known = {one.name: (one.before, one.after) for one in comparison.readings}
    moved = dict(_changes(known))
    if not moved:
        return "no cause is known"
    faster = comparison.total.change < 0
    largest = max(
        (part for part in changed(comparison) if part.clear),
        key=lambda part: abs(part.change),
        default=None,
    )
    if largest is None:
        return (min if faster else max)(moved, key=lambda each: moved[each])
    if (largest.change < 0) is not faster:
        return SEVERAL
    if largest.kind in _NO_FACTOR:
        return _NO_FACTOR[largest.kind]
    way = [
        each for each in _BORNE_OUT[largest.kind] if moved.get(each) and (moved[each] < 0) is faster
    ]
    return max(way, key=lambda each: abs(moved[each]), default=SEVERAL)


def changed(comparison: Comparison) -> Tuple[Part, ...]:
    """What may have changed most: each part, and each kind of time as a whole where no part of it
    makes nearly all of its change."""
    known = [part for part in comparison.parts if part.kind != "unattributed"]
    found = list(known)
    for kind in dict.fromkeys(part.kind for part in known):
        parts = [part for part in known if part.kind == kind]
        whole = Part(
            kind,
            (),
            sum(part.before for part in parts),
            sum(part.after for part in parts),
            max(part.noise for part in parts),
        )
        if max(abs(part.change) for part in parts) < NEARLY_ALL * abs(whole.change):
            found.append(whole)
    return tuple(found)


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
