"""Document → plain text for the reply to a ticket. docs/SUPPORT.md shows the same with brackets in
place of what a run fills in."""

from __future__ import annotations

import shlex

from advisor.reports.document import Document
from advisor.reports.first_screen import FirstScreen, for_others
from advisor.reports.languages import ENGLISH, Catalogue
from advisor.reports.page import Page, without_quotes
from advisor.reports.terminal_screen import whole_screen

WIDTH = 72
"""Room for the marks of quoting replies."""


def mail(document: Document, ascii_only: bool = False, words: Catalogue = ENGLISH) -> str:
    """The whole reply."""
    page = Page(WIDTH, False, ascii_only, words)
    reply(page, for_others(document.screen))
    return page.text()


def reply(page: Page, screen: FirstScreen) -> None:
    """The first screen with how to check and undo each action; what was not checked; what to send
    next; and what the reader is to forward to the centre."""
    _ = page.gettext
    whole_screen(page, screen, reply=True)
    if screen.unchecked:
        page.wrapped(without_quotes(_("Not checked: {checks}", checks=screen.unchecked)))
    if screen.actions:
        note = f" --note {shlex.quote(screen.ticket)}" if screen.ticket else ""
        page.blank()
        page.wrapped(_("Then run the job again with advisor run, and send the new ticket:"))
        page.line((f"   advisor bundle RESULT{note}", ""))
    for request in screen.requests:
        page.blank()
        page.wrapped(_("Forward to your centre:"))
        for line in request.split("\n"):
            page.wrapped(line)
