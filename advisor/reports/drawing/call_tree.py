"""The bar of a branch of the call tree."""

from __future__ import annotations

from markupsafe import Markup

from advisor.reports.drawing.svg import bar, box
from advisor.reports.figures import Branch


def branch_bar(branch: Branch) -> Markup:
    """Its share of the time in all calls, and of that the waiting."""
    whole = bar(0, 20, 100 * branch.share, 60, "move2")
    return box(whole + bar(0, 20, 100 * branch.waiting, 60, "wait"), "", "branch")
