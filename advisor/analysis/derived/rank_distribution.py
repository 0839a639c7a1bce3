"""How ranks spread around the mean, of jobs of so many ranks that calls are summed up over them."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Tuple

import numpy as np

from advisor.analysis.engine.arrays import coded


class Spread(NamedTuple):
    """float64 [operations], in the order of ByOperation. `ranks` that called it; the `least` and
    the `most` time of one of them, in seconds."""

    ranks: np.ndarray
    least: np.ndarray
    most: np.ndarray


def spread(view: Any) -> Spread:
    """From the rows of `rank_distribution` that are of whole operations; Unknown without that
    table."""
    names, codes = coded(view.column("rank_distribution", "operation"))
    place = {name: index for index, name in enumerate(view.by_operation.names)}
    row = np.array([place.get(name, -1) for name in names] or [-1])[codes] if len(codes) else codes
    keep = (
        (view.column("rank_distribution", "class") == "")
        & (view.column("rank_distribution", "bin") == -2)
        & (row >= 0)
    )
    ranks, least, most = np.zeros(len(place)), np.full(len(place), np.inf), np.zeros(len(place))
    np.add.at(ranks, row[keep], view.column("rank_distribution", "ranks")[keep].astype(np.float64))
    np.minimum.at(least, row[keep], view.column("rank_distribution", "min")[keep])
    np.maximum.at(most, row[keep], view.column("rank_distribution", "max")[keep])
    return Spread(ranks, np.where(ranks > 0, least, np.nan), most)


def most_in_cells(view: Any) -> np.ndarray:
    """The largest time of a rank in the calls of each cell, float64 [cells], seconds."""
    columns = [
        view.column("rank_distribution", name).tolist()
        for name in ("operation", "class", "bin", "max")
    ]
    most: Dict[Tuple[str, str, int], float] = {}
    for *key, longest in zip(*columns):
        most[tuple(key)] = max(longest, most.get(tuple(key), 0.0))
    first = view.cells.first
    keys = zip(
        *(view.column("calls", name)[first].tolist() for name in ("operation", "class", "bin"))
    )
    return np.array([most.get(key, np.nan) for key in keys], dtype=np.float64)
