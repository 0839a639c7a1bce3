"""What a setting of one library is called in another: by the intents of the rule book."""

from __future__ import annotations

from functools import lru_cache
from typing import Mapping, NamedTuple, Optional, Sequence, Tuple

from advisor.base import resource_paths
from advisor.model.intent import (
    FOLDER,
    Intent,
    IntentMistake,
    Words,
    meanings,
    read_intents,
    translated,
)
from advisor.model.profile import Library, Setting

Known = Mapping[str, Tuple[Intent, Words]]


class Here(NamedTuple):
    """`means`: what one wants; `words`: how the library of this run says it, or `none`: why it
    cannot."""

    means: str
    words: str = ""
    none: str = ""


def found(setting: Setting, library: Library, intents: Sequence[Intent] = ()) -> Optional[Here]:
    """What this library has for the intent of a setting; None if the setting is in no intent. Never
    raises.

    `intents`: the book and what a site added to it; empty: the book.
    """
    return here(setting, library, known(intents))


def known(intents: Sequence[Intent] = ()) -> Known:
    """Variables by what they are for; of the book if no intents are given."""
    return meanings(intents or _book())


def here(setting: Setting, library: Library, known: Known) -> Optional[Here]:
    """As found, of many settings."""
    if setting.name not in known:
        return None
    intent, words = known[setting.name]
    for own in intent.of(library.name, library.version):
        if setting.name in own.variables():
            return Here(intent.means)
        if own.kind == "none":
            return Here(intent.means, none=own.text)
        text = translated(words, setting.name, setting.value, own)
        if text:
            return Here(intent.means, text)
    return Here(intent.means)


@lru_cache(maxsize=1)
def _book() -> Tuple[Intent, ...]:
    try:
        return read_intents(resource_paths.rules() / FOLDER)
    except IntentMistake:
        return ()
