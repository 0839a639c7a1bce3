"""The numbers of a Cube archive by metric, call path and location."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Optional

import numpy as np

from advisor.intake.foreign.cube import archive, tree
from advisor.intake.foreign.cube.tree import Description
from advisor.intake.untrusted.claims import Unpacking
from advisor.intake.untrusted.damage import Damage

_CELLS_AT_LEAST = 1 << 17
"""Numbers of a metric, call paths times locations, that any archive may have; beside them, one for
each byte."""


class Archive(NamedTuple):
    """Members and what they describe. Each metric of it takes a number for each call path and
    location, whether it is stored or not."""

    parts: Dict[str, bytes]
    about: Description
    unpacking: Unpacking

    def values(self, name: str) -> Optional[np.ndarray]:
        """Exclusive values of a metric, float64 [call paths, locations]; None if it is not
        there."""
        metric = tree.metric(self.about, name)
        if metric is None:
            return None
        paths = self.about.paths
        rows = archive.rows(
            self.parts,
            metric.id,
            metric.dtype,
            len(paths),
            len(self.about.locations),
            self.unpacking,
        )
        found = np.zeros((len(paths), len(self.about.locations)))
        order = self.about.wide if metric.inclusive else range(len(paths))
        for position, values in zip(rows.positions, rows.values):
            found[order[position]] = values
        return _exclusive(found, [path.parent for path in paths]) if metric.inclusive else found


def opened(data: bytes) -> Archive:
    """The archive in a file. Raises Damage."""
    parts, unpacking = archive.members(data), Unpacking(len(data))
    about = tree.describe(archive.anchor(parts, unpacking))
    cells = len(about.paths) * len(about.locations)
    if cells > len(data) + _CELLS_AT_LEAST:
        raise Damage(
            f"it claims {cells} numbers for each metric, {len(about.paths)} call paths of"
            f" {len(about.locations)} threads, and has {len(data)} bytes"
        )
    return Archive(parts, about, unpacking)


def _exclusive(values: np.ndarray, parents: List[int]) -> np.ndarray:
    result = values.copy()
    for index, parent in enumerate(parents):
        if parent >= 0:
            result[parent] -= values[index]
    # Differences of rounded numbers may fall below 0 by a little.
    return np.maximum(result, 0)
