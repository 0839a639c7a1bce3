"""Document → plain text to be mailed: the first screen, or with all that a reply to a ticket needs.
docs/SUPPORT.md shows the latter with brackets in place of what a run fills in."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace

from advisor.reports.document import Document
from advisor.reports.first_screen import FirstScreen, for_others, mail_of
from advisor.reports.languages import ENGLISH, Catalogue
from advisor.reports.page import Page, without_quotes
from advisor.reports.terminal_screen import first_screen, whole_screen

SHORT, WIDTH = 80, 72
"""Columns. The full text leaves room for the marks of quoting replies."""


def mail(
    document: Document, ascii_only: bool = False, words: Catalogue = ENGLISH, full: bool = False
) -> str:
    """The first screen, which ends with the command for the full text; or that."""
    page = Page(WIDTH if full else SHORT, False, ascii_only, words)
    name = _name(document.screen)
    screen = for_others(document.screen, name, below=full)
    if full:
        reply(page, screen)
    else:
        first_screen(page, replace(screen, full=mail_of(name), next=("", "")))
    return page.text()


def _name(screen: FirstScreen) -> str:
    """Of the result, without the folders of this machine."""
    (path,) = shlex.split(screen.result) or ("RESULT",)
    return shlex.quote(os.path.basename(path.rstrip("/")) or "RESULT")


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
        page.line((f"   advisor bundle NEW-RESULT{note}", ""))
    for request in screen.requests:
        page.blank()
        page.wrapped(_("Forward to your centre:"))
        for line in request.split("\n"):
            page.wrapped(line)
