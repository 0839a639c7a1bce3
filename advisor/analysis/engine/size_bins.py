"""Size bins of METRICS 6.2: bin 0 holds 0 bytes, bin m sizes from 2^(m-1) to 2^m - 1, bin -1 calls
without data."""

from __future__ import annotations

from typing import Tuple

import numpy as np

MIXED = -2
"""Bin of calls that carry data of sizes that were not kept apart."""
SMALL = 8 << 10
"""Bytes below which a message counts as small while nobody measured n_half: METRICS 6.3."""
SMALL_BINS = 13
"""Bins up to this one hold sizes below SMALL, and only such."""
GROUPS = (
    (0, "0 B"),
    (6, "1 to 63 B"),
    (10, "64 to 1023 B"),
    (13, "1 to 8 KiB"),
    (16, "8 to 64 KiB"),
    (20, "64 KiB to 1 MiB"),
    (24, "1 to 16 MiB"),
)
"""Largest bin and name of the size groups of METRICS 6.2."""


def bounds(bins: np.ndarray) -> Tuple[np.ndarray, np.ndarray]:
    """Smallest and largest size of each bin, as float64 [n]; NaN for calls without data."""
    exponent = np.maximum(bins, 1).astype(np.float64)
    low = np.where(bins > 0, np.exp2(exponent - 1), 0.0)
    high = np.where(bins > 0, np.exp2(exponent) - 1, 0.0)
    return np.where(bins < 0, np.nan, low), np.where(bins < 0, np.nan, high)


def carries_data(bins: np.ndarray) -> np.ndarray:
    """Whether calls of a bin hand in at least one byte, as bool [n]."""
    return bins > 0


def is_small(bins: np.ndarray) -> np.ndarray:
    """Whether calls of a bin carry data of less than SMALL bytes, as bool [n]."""
    return (bins > 0) & (bins <= SMALL_BINS)


def size_group(bin: int) -> str:
    """The name of a bin's size group; empty for calls that carry no data."""
    if bin < 0:
        return "" if bin == -1 else "all sizes"
    return next((name for last, name in GROUPS if bin <= last), "16 MiB and more")
