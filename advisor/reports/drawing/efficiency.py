"""One bar of the efficiency tree, with the tick at 0.80."""

from __future__ import annotations

from markupsafe import Markup

from advisor.reports.document import Factor
from advisor.reports.drawing.svg import path, picture, rect


def factor_bar(factor: Factor) -> Markup:
    """From 0 to 1."""
    shapes = rect(0, 4, 200, 6, "useful") + rect(0, 4, 200 * min(factor.value or 0, 1), 6, "gain") + path("M160 0V14", "cap")
    return picture(200, 14, shapes, f"{factor.text} of 1")


def severity(level: int) -> Markup:
    """One to three filled bars beside the word: readable without colour."""
    bars = "".join(rect(5 * place, 6 - 3 * place, 4, 5 + 3 * place, "on" if place < level else "off") for place in range(3))
    return Markup(f'<svg viewBox="0 0 15 11" aria-hidden="true">{bars}</svg>')
