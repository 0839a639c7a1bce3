"""Counters of a trace by the names that our own collector gives them."""

from __future__ import annotations

from dataclasses import replace
from typing import Mapping, Sequence, Tuple

import numpy as np

from advisor.intake.foreign.base.counter_names import ALONE, NANOSECONDS, our_name
from advisor.model.profile import Columns, Gap

_SUBJECT = "counters."
_COUNTS, _SQUARES = (
    ("inside", "outside", "inside_products", "outside_products"),
    (
        "inside_squares",
        "outside_squares",
    ),
)
_TIMES = ("inside_time", "outside_time", "inside_time_squares", "outside_time_squares")

_MOST = 2.0**62


def named(columns: Columns) -> Columns:
    """The table `counters` as the reader wrote it, with our names and units; rows of one name are
    parts of a sum, over the same time."""
    names = columns["counter"]
    ours = np.array([our_name(str(name)) for name in names], dtype=object)
    known: dict = {}
    first = np.array(
        [
            known.setdefault((rank, our), str(name)) == str(name)
            for rank, our, name in zip(columns["rank"].tolist(), ours, names)
        ]
    )
    kept = first | ~np.isin(ours, ALONE)
    factor = np.where((ours == "cpu_time") & (names != ours), NANOSECONDS, 1.0)
    scaled = {
        label: values * factor ** (1 if label in _COUNTS else 2 if label in _SQUARES else 0)
        for label, values in columns.items()
        if values.dtype.kind == "f"
    }
    for label in _TIMES:
        scaled[label] = np.where(first, scaled[label], 0.0)
    total = np.where(
        factor > 1,
        np.minimum(np.rint(scaled["inside"] + scaled["outside"]), _MOST),
        columns["total"],
    ).astype(np.uint64)
    return {
        label: values[kept]
        for label, values in {**columns, **scaled, "counter": ours, "total": total}.items()
    }


def gaps(found: Sequence[Gap], tables: Mapping[str, Columns]) -> Tuple[Gap, ...]:
    """Those of counters under our names, without what another counter of the trace tells."""
    there = set(tables["counters"]["counter"]) if "counters" in tables else set()
    ours = {
        gap: (
            _SUBJECT + our_name(gap.subject[len(_SUBJECT) :])
            if gap.subject.startswith(_SUBJECT)
            else gap.subject
        )
        for gap in found
    }
    return tuple(
        replace(gap, subject=subject)
        for gap, subject in ours.items()
        if not subject.startswith(_SUBJECT) or subject[len(_SUBJECT) :] not in there
    )
