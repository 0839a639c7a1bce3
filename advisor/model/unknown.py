"""Unknown values are None or NaN: one test for both, and None for both in written cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List

import numpy as np

if TYPE_CHECKING:
    from typing_extensions import TypeIs


def is_unknown(value: object) -> TypeIs[None]:
    """Whether a single value is missing:

    None, or NaN, which alone differs from itself. Text is known.
    """
    return value is None or value != value  # noqa: PLR0124


def plain_cells(values: np.ndarray) -> List[Any]:
    """The cells as Python has them, None where they are unknown."""
    return [None if is_unknown(value) else value for value in values.tolist()]
