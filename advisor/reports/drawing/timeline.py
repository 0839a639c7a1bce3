"""The run from left to right: where the time of all ranks went."""

from __future__ import annotations

from markupsafe import Markup

from advisor.reports.drawing.svg import box, stacked
from advisor.reports.figures import Timeline


def time_columns(figure: Timeline) -> Markup:
    """Stacked columns without gaps."""
    words = f"{figure.title}. The table below has the numbers"
    return box(stacked(figure.slices), words, "timeline")
