"""One bar of the efficiency tree, with the tick at 0.80."""

from __future__ import annotations

from markupsafe import Markup

from advisor.reports.drawing.svg import path, picture, rect
from advisor.reports.figures import Factor


def factor_bar(factor: Factor) -> Markup:
    """From 0 to 1."""
    shapes = (
        rect(0, 4, 200, 6, "useful")
        + rect(0, 4, 200 * min(factor.value or 0, 1), 6, "gain")
        + path("M160 0V14", "cap")
    )
    return picture(200, 14, shapes, f"{factor.text} of 1")
