"""Reports in other languages: one gettext catalogue (.po) each, from the templates of messages to
theirs. What a catalogue lacks stays English, sentence by sentence."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Mapping, Optional, Tuple

from advisor.model.errors import UserError
from advisor.model.message import message_in, translated

LANGUAGES = ("en", "ko", "ja", "zh")
TAGS = {"en": "en", "ko": "ko", "ja": "ja", "zh": "zh-Hans"}
"""As HTML names them: a browser chooses the shapes of characters by them."""
FOLDER = Path(__file__).resolve().parent
Entries = Mapping[Tuple[str, str], str]
"""(context, template) → translation."""


class Catalogue:
    """The words of one report. English has no entries: everything stays."""

    def __init__(self, language: str, entries: Entries) -> None:
        self.language, self.entries = language, entries
        self.unspaced = language in ("ja", "zh")
        """No blanks behind full stops."""

    def text(self, text: str) -> str:
        """A message in this language; any other text as it is."""
        return translated(text, self.find) if self.entries else text

    def gettext(self, template: str, **values: object) -> str:
        """What a renderer says by itself; values that are messages are translated as well."""
        return self.pgettext("", template, **values)

    def pgettext(self, context: str, template: str, **values: object) -> str:
        """The same where one English text has several meanings."""
        return self.text(message_in(context, template, **values))

    def find(self, context: str, template: str) -> Optional[str]:
        """None if there is no translation. Line ends of a rule file are blanks."""
        found = self.entries.get((context, template))
        return found or self.entries.get((context, " ".join(template.split())))


ENGLISH = Catalogue("en", {})


def catalogue(language: str) -> Catalogue:
    """That of one of LANGUAGES. Raises UserError for another."""
    if language not in LANGUAGES:
        raise UserError(
            f'There are no reports in "{language}".', do=f"Choose one of: {', '.join(LANGUAGES)}."
        )
    return ENGLISH if language == "en" else Catalogue(language, _entries(language))


@lru_cache(maxsize=None)
def _entries(language: str) -> Entries:
    from babel.messages.pofile import read_po  # an English report does not wait for it

    with (FOLDER / f"{language}.po").open("rb") as file:
        return {
            (entry.context or "", str(entry.id)): str(entry.string)
            for entry in read_po(file)
            if entry.id and entry.string and not entry.fuzzy
        }
