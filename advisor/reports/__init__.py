"""Advice → Document → terminal, HTML, Markdown, JSON.

`compose` decides what is said and in which order; renderers only render, so that the formats cannot
disagree.
"""

from __future__ import annotations

from advisor.model.errors import UserError
from advisor.reports.compose import compose
from advisor.reports.document import Document
from advisor.reports.languages import LANGUAGES, translator
from advisor.reports.languages.document import translated
from advisor.reports.languages.words import lines
from advisor.reports.languages.words import page as document_page

__all__ = ["FORMATS", "LANGUAGES", "compose", "render"]
FORMATS = ("terminal", "html", "markdown", "json")


def render(
    document: Document,
    format: str,
    *,
    width: int = 80,
    color: bool = False,
    ascii_only: bool = False,
    full: bool = False,
    language: str = "en",
) -> str:
    """The report in one of FORMATS. `width`, `color`, `ascii_only` and `full` (all parts, as in
    report.txt) are for the terminal.

    `language`: one of languages.LANGUAGES; what its catalogue lacks stays English, JSON always
    does. Raises UserError for an unknown format or language.
    """
    to = translator(language)
    # Renderers are imported when they are needed: a panel in the terminal does not wait for the
    # template engine.
    if format == "terminal":
        from advisor.reports.terminal import terminal

        spoken = None if ascii_only else to  # No other language of ours can be written in ASCII.
        return terminal(
            translated(document, to) if spoken else document, width, color, ascii_only, full, spoken
        )
    if format == "html":
        from advisor.reports.html import html

        return document_page(html(document, translated(document, to)), to)
    if format == "markdown":
        from advisor.reports.markdown import markdown

        return lines(markdown(translated(document, to)), to)
    if format == "json":
        from advisor.reports.data import data

        return data(document)
    raise UserError(
        f'"{format}" is not a format of a report.', do=f"Choose one of: {', '.join(FORMATS)}."
    )
