"""Measures: what follows from a profile by arithmetic. Named columns with units and quality, no
opinion."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, Mapping, Optional, Sequence, Tuple

import numpy as np

from advisor.model.causes import Causes
from advisor.model.profile import Gap, Profile
from advisor.model.unknown import is_unknown


class Quality(IntEnum):
    """How good a value is. A value is as good as the worst it was made from: combine with max()."""

    MEASURED = 0
    DERIVED = 1
    ESTIMATED = 2
    ASSUMED = 3
    UNKNOWN = 4


@dataclass(frozen=True)
class Column:
    """One quantity for all rows of a table.

    `values`: float64, or object for text and booleans; NaN or None is an unknown cell, never zero.
    `unit`: s, B, share, count, 1/s, text, yes/no. `low`, `high`: bounds of each value where one is
    known (95 %, or hard bounds where `note` says so). `reason`, `collect`: why unknown cells are
    unknown, and what to collect so that they are known.
    """

    name: str
    unit: str
    values: np.ndarray
    quality: Quality = Quality.MEASURED
    note: str = ""
    low: Optional[np.ndarray] = None
    high: Optional[np.ndarray] = None
    reason: str = ""
    collect: str = ""


@dataclass(frozen=True)
class Table:
    """Rows of one subject: run, library, node, rank, operation, …"""

    name: str
    columns: Mapping[str, Column]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())).values) if self.columns else 0

    def row(self, index: int) -> Mapping[str, Any]:
        """Plain values of one row; None where unknown."""
        return {name: _plain(column.values[index]) for name, column in self.columns.items()}


@dataclass(frozen=True)
class Measures:
    """All tables of one run, with the profile that they were made from."""

    tables: Mapping[str, Table]
    profile: Profile
    gaps: Sequence[Gap] = field(default_factory=tuple)
    banners: Tuple[str, ...] = ()
    """Sentences that METRICS 1 and 14 ask for (unrepresentative run, cost, missing ranks, cut run).
    """
    causes: Optional[Causes] = None
    """What the table `cause` is made from, rank by rank; None where it is not known."""


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        value = value.item()
    return None if is_unknown(value) else value
