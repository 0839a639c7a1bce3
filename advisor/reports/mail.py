"""Document → plain text for the reply to a ticket."""

from __future__ import annotations

from advisor.reports.document import Document
from advisor.reports.first_screen import for_others
from advisor.reports.languages import ENGLISH, Catalogue
from advisor.reports.page import Page
from advisor.reports.terminal_screen import whole_screen

WIDTH = 72
"""Room for the marks of quoting replies."""


def mail(document: Document, ascii_only: bool = False, words: Catalogue = ENGLISH) -> str:
    """The first screen, and what the centre is asked for."""
    page = Page(WIDTH, False, ascii_only, words)
    whole_screen(page, for_others(document.screen))
    for request in document.screen.requests:
        page.blank()
        page.line((words.gettext("Request to the centre"), ""))
        for line in request.split("\n"):
            page.wrapped(line)
    return page.text()
