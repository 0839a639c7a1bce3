"""Severity as filled bars beside its word."""

from __future__ import annotations

from markupsafe import Markup

from advisor.reports.drawing.svg import rect


def severity(level: int) -> Markup:
    """One to three filled bars beside the word: readable without colour."""
    bars = "".join(
        rect(5 * place, 6 - 3 * place, 4, 5 + 3 * place, "on" if place < level else "off")
        for place in range(3)
    )
    return Markup(f'<svg viewBox="0 0 15 11" aria-hidden="true">{bars}</svg>')
