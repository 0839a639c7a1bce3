"""Range bars: solid from low to high, dots to the ceiling, a stop at the ceiling."""

from __future__ import annotations

from typing import Tuple

from markupsafe import Markup

from advisor.reports.document import Gain
from advisor.reports.drawing.svg import path, picture, rect

WIDTH, HEIGHT = 1000, 24


def range_bar(gain: Gain, axis: Tuple[float, ...]) -> Markup:
    """All range bars of a report have the same axis, from zero; what may be lost is said in
    words."""
    low, high, end = (
        WIDTH * max(value, 0.0) / axis[-1] for value in (gain.low, gain.high, gain.ceiling)
    )
    grid = path(
        "".join(f"M{WIDTH * tick / axis[-1]:.0f} 0V{HEIGHT}" for tick in axis[1:-1]), "grid"
    )
    reach = path(f"M{high:.1f} 12H{end:.1f}", "reach") + path(f"M{end:.1f} 4V20", "cap")
    return picture(
        WIDTH,
        HEIGHT,
        grid + reach + rect(low, 8, max(high - low, 3), 8, "gain"),
        f"{gain.text}, {gain.ceiling_text}",
        "span",
    )
