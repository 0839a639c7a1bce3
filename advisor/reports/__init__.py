"""Advice → Document → terminal, HTML, Markdown, mail, JSON.

`compose` decides what is said and in which order; renderers only render, so that the formats cannot
disagree.
"""

from __future__ import annotations

from advisor.model.errors import UserError
from advisor.reports.compose import compose
from advisor.reports.document import Document
from advisor.reports.languages import ENGLISH, LANGUAGES, Catalogue, catalogue
from advisor.reports.plain import all_texts

__all__ = ["FORMATS", "LANGUAGES", "compose", "render"]
FORMATS = ("terminal", "html", "markdown", "mail", "json")


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
    """The report in one of FORMATS. `width` and `color` are for the terminal, `ascii_only` for
    mail too; `full` (all parts, as in report.txt) for the terminal, Markdown and mail.

    `language`: one of languages.LANGUAGES; what its catalogue lacks stays English, JSON always
    does. Raises UserError for an unknown format or language.
    """
    words = catalogue(language)
    # Renderers are imported when they are needed: a panel in the terminal does not wait for the
    # template engine.
    if format == "terminal":
        from advisor.reports.terminal import terminal

        words = ENGLISH if ascii_only else words  # no other language can be written in ASCII
        return terminal(_in(words, document), width, color, ascii_only, full, words)
    if format == "html":
        from advisor.reports.html import html

        return html(document, _in(words, document), words)
    if format == "markdown":
        from advisor.reports.markdown import markdown

        return markdown(_in(words, document), words, full)
    if format == "mail":
        from advisor.reports.mail import mail

        words = ENGLISH if ascii_only else words
        return mail(_in(words, document), ascii_only, words, full)
    if format == "json":
        from advisor.reports.data import data

        return data(document)
    raise UserError(
        f'"{format}" is not a format of a report.', do=f"Choose one of: {', '.join(FORMATS)}."
    )


def _in(words: Catalogue, document: Document) -> Document:
    return document if words is ENGLISH else all_texts(document, words.text)
