"""Advice → Document → terminal, HTML, Markdown, JSON.

`compose` decides what is said and in which order; renderers only render, so that the formats cannot disagree.
"""

from __future__ import annotations

from advisor.model.errors import UserError
from advisor.reports.compose import compose
from advisor.reports.document import Document

__all__ = ["FORMATS", "compose", "render"]
FORMATS = ("terminal", "html", "markdown", "json")


def render(document: Document, format: str, *, width: int = 80, color: bool = False, ascii_only: bool = False, full: bool = False) -> str:
    """The report in one of FORMATS. `width`, `color`, `ascii_only` and `full` (all parts, as in report.txt) are for the terminal.

    Raises UserError for an unknown format.
    """
    # Renderers are imported when they are needed: a panel in the terminal does not wait for the template engine.
    if format == "terminal":
        from advisor.reports.terminal import terminal

        return terminal(document, width, color, ascii_only, full)
    if format == "html":
        from advisor.reports.html import html

        return html(document)
    if format == "markdown":
        from advisor.reports.markdown import markdown

        return markdown(document)
    if format == "json":
        from advisor.reports.data import data

        return data(document)
    raise UserError(f'"{format}" is not a format of a report.', do=f"Choose one of: {', '.join(FORMATS)}.")
