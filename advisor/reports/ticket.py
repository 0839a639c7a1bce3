"""A report as a ticket: the same page, with a list of what was removed, and the profile inside."""

from __future__ import annotations

from typing import Sequence

from markupsafe import escape

from advisor.base.numbers import counted
from advisor.model.removal import Removal

_BEFORE_LIST, _BEFORE_DATA = (
    '<details class="part" id="measured">',
    '<script type="application/json" id="advisor-data">',
)
_KINDS = {
    "users": "names of users",
    "hosts": "names of hosts",
    "paths": "paths",
    "accounts": "accounts and projects",
    "addresses": "network addresses",
    "arguments": "arguments of the program",
    "words": "words that advisor does not know",
}
KEPT = (
    "Kept, because findings need it: names of the program, of libraries, source files, functions,"
    " call sites, regions and communicators, but for users, hosts and accounts in them; names of"
    " settings that the MPI library lists; numbers, such as that of the job; options of known"
    " programs; words that advisor itself has: of rules, settings, launchers and hardware. What"
    " else stood in a setting, a launch line, a fact or a message was replaced."
)
MEANING = (
    "host1, user1, /path1, word1 and the like stand for one name each, the same everywhere in this"
    " page; hosts are numbered in the order of the profile. The names are not in this page. Whoever"
    " made it looks them up with: advisor bundle RESULT --names."
)
KEPT_ARGUMENTS = " The arguments of the program were kept, as asked for."


def ticket(
    page: str, removals: Sequence[Removal], holder: str, kept: str = KEPT, note: str = ""
) -> str:
    """The page with the list in front of how it was measured, and `holder`, the element with the
    profile, in front of the data.

    The holder is base64: it can end no element, and no browser runs it.
    """
    for marker in (_BEFORE_LIST, _BEFORE_DATA):
        if page.count(marker) != 1:
            raise ValueError(f"the page has {page.count(marker)} places like {marker}")
    written = f'<h2 id="note">Note</h2>\n<p>{escape(note)}</p>\n' if note else ""
    page = page.replace(_BEFORE_LIST, written + _section(removals, kept) + _BEFORE_LIST)
    return page.replace(_BEFORE_DATA, holder + "\n" + _BEFORE_DATA)


def sentences(removals: Sequence[Removal]) -> Sequence[str]:
    """What was removed, a sentence a kind; a sentence as well where nothing was."""
    if not removals:
        return (
            (
                "Nothing was removed: no names of users, hosts or paths were found, and no word"
                " that advisor does not know."
            ),
        )
    return tuple(
        f"{_KINDS[one.kind]}: {one.names} replaced by {one.alias} in {counted(one.places, 'place')}"
        for one in removals
    )


def _section(removals: Sequence[Removal], kept: str) -> str:
    said = [*sentences(removals), *([MEANING] if removals else [])]
    items = "".join(f"<li>{escape(text)}</li>" for text in said)
    return (
        f'<h2 id="removed">What was removed before sharing</h2>\n<ul>{items}</ul>\n<p class="quiet'
        f' small">{escape(kept)} The profile is inside this page: <code>advisor report</code> with'
        " this file judges it again, <code>advisor compare</code> compares two.</p>\n"
    )
