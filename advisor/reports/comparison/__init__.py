"""Comparison → terminal, HTML, Markdown, JSON, JUnit, SARIF. `story` finds the words; the others
only lay them out."""

from __future__ import annotations

from typing import Sequence

from advisor.model.comparison import Comparison, Outcome
from advisor.model.errors import UserError
from advisor.reports.comparison.story import story

__all__ = ["FORMATS", "as_junit", "as_sarif", "render"]
FORMATS = ("terminal", "html", "markdown", "json")


def render(
    comparison: Comparison,
    outcomes: Sequence[Outcome],
    format: str,
    *,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
    full: bool = False,
) -> str:
    """The comparison in one of FORMATS. `outcomes`: of the conditions, in their order. Raises
    UserError for an unknown format."""
    if format == "terminal":
        from advisor.reports.comparison.terminal import terminal

        return terminal(story(comparison, outcomes), width, color, ascii_only, full)
    if format == "html":
        from advisor.reports.comparison.html import html

        return html(story(comparison, outcomes), comparison, outcomes)
    if format == "markdown":
        from advisor.reports.comparison.markdown import markdown

        return markdown(story(comparison, outcomes))
    if format == "json":
        from advisor.reports.comparison.data import data

        return data(comparison, outcomes)
    raise UserError(
        f'"{format}" is not a format of a comparison.', do=f"Choose one of: {', '.join(FORMATS)}."
    )


def as_junit(comparison: Comparison, outcomes: Sequence[Outcome]) -> str:
    """One test case a condition, as continuous integration reads it."""
    from advisor.reports.comparison.junit import junit

    return junit(story(comparison, outcomes), comparison, outcomes)


def as_sarif(comparison: Comparison, outcomes: Sequence[Outcome]) -> str:
    """SARIF 2.1.0: conditions that hold, and findings with their base-line state."""
    from advisor.reports.comparison.sarif import sarif

    return sarif(comparison, outcomes)
