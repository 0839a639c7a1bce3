"""Reports in other languages: catalogues of messages, and how they are looked up.

A catalogue is a JSON file, from English to its language. `{name}` stands for any text, `{#name}`
for a number with its unit; what they stand for is put in as it is, or translated if it is a message
itself; `{parts}` are messages with commas between them. What a catalogue lacks stays English.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Pattern

from advisor.model.errors import UserError

LANGUAGES = ("en", "ko", "ja", "zh")
TAGS = {"en": "en", "ko": "ko", "ja": "ja", "zh": "zh-Hans"}
"""As HTML names them: a browser chooses the shapes of characters by them."""
STOPS = {"en": ".", "ko": ".", "ja": "。", "zh": "。"}
PLACE = re.compile(r"\{(#?)([a-z_]+)\}")
_AMOUNT = (
    r"[~≥≤<*+\u2212?]?[ \u00a0]?(?:\d[\d.,\u202f]*(?: \d{3}(?!\d))*|\?)(?:["
    r" \u00a0](?:%|s|ms|µs|B|KiB|MiB|GiB|kB|MB|GB|thousand|million|billion))?\*?"
)
_NUMBER = rf"(?:at (?:least|most) )?{_AMOUNT}(?: to {_AMOUNT})?"
"""A number, or the interval that stands in its place: what the place holds is a message itself
then."""
_SPACE = "[ \u00a0\u202f]"
_PLURAL = re.compile(rf"^({re.escape(_SPACE)}(?:[\w-]+{re.escape(_SPACE)})?[\w-]+[^s\W])s\b")
_LISTS = {"parts": ", ", "reasons": "; ", "reason": "; "}
"""Places that hold several messages, and what stands between them."""
_COLUMN = re.compile(r"[a-z]+\.[a-z_]+: ")
_DEEPEST = 3
"""A message in a message in a message."""


class Form(NamedTuple):
    """A message with places in it."""

    key: str
    word: str
    """Its longest word: a text without it is another message, which is told faster than by its
    pattern, which is made when it is needed."""
    translation: str


class Translator:
    """Looks up messages of one language. `language` en: everything stays."""

    def __init__(self, language: str, messages: Dict[str, str]) -> None:
        self.language = language
        self.unspaced = STOPS[language] == "。"
        """No blanks behind full stops."""
        self._whole = {_plain(key): text for key, text in messages.items() if not PLACE.search(key)}
        # The more of a message is fixed, the surer it is meant.
        ordered = sorted(
            (key for key in messages if PLACE.search(key)), key=lambda key: -len(PLACE.sub("", key))
        )
        self._forms: List[Form] = [Form(key, _word(key), messages[key]) for key in ordered]

    def text(self, text: str, depth: int = 0) -> str:
        """The text in this language; as it is where there is no translation. Blanks around it
        stay."""
        core = text.strip(" \n")
        if not core or depth > _DEEPEST or (not self._whole and not self._forms):
            return text
        found = self._found(core, depth)
        if found is None and core.endswith("."):
            # A sentence of the rules stands in a list without a full stop and in the verdict with
            # one.
            found = self._found(core[:-1], depth)
            found = None if found is None else found.rstrip(".。") + STOPS[self.language]
        return text if found is None else text.replace(core, found, 1)

    def _found(self, core: str, depth: int) -> Optional[str]:
        whole = self._whole_of(_plain(core))
        if whole is not None:
            return whole
        form = self._form_of(core)
        if form is None:
            return None
        places = pattern(form.key).fullmatch(core).groupdict()  # type: ignore[union-attr]
        values = {name: self._value(name, value, depth + 1) for name, value in places.items()}
        return PLACE.sub(lambda place: values[place.group(2)], form.translation)

    def _whole_of(self, core: str) -> Optional[str]:
        return self._whole.get(core)

    def _form_of(self, core: str) -> Optional[Form]:
        return next(
            (
                form
                for form in self._forms
                if form.word in core and pattern(form.key).fullmatch(core)
            ),
            None,
        )

    def _value(self, name: str, value: str, depth: int) -> str:
        """What stands in a place; a list is of messages, each perhaps behind the name of a column;
        a question is a heading in small letters."""
        if name == "question":
            found = self.text(value[:1].upper() + value[1:], depth)
            return found if found[1:] != value[1:] else value
        separator = _LISTS.get(name)
        return (
            separator.join(self._part(part, depth) for part in value.split(separator))
            if separator
            else self.text(value, depth)
        )

    def _part(self, part: str, depth: int) -> str:
        column = _COLUMN.match(part)
        opening = column.group() if column else ""
        return opening + self.text(part[len(opening) :], depth)


@lru_cache(maxsize=None)
def pattern(key: str) -> Pattern[str]:
    """What a message looks like with its places filled in."""
    parts, end, number, seen = [], 0, "", set()
    for place in PLACE.finditer(key):
        name = place.group(2)
        parts += [
            _behind(number, key[end : place.start()]),
            (
                f"(?P={name})"
                if name in seen
                else f"(?P<{name}>{_NUMBER if place.group(1) else '.+?'})"
            ),
        ]
        seen.add(name)
        end, number = place.end(), place.group(1)
    return re.compile("".join(parts) + _behind(number, key[end:]), re.DOTALL)


def _word(key: str) -> str:
    return max(re.findall(r"\w+", PLACE.sub(" ", key)), key=len, default="").rstrip("s")


def _behind(number: str, text: str) -> str:
    """Behind a number a noun may have lost its s: "{#nodes} hosts" is also "1 host"."""
    return _PLURAL.sub(r"\1s?", _literal(text)) if number else _literal(text)


def _literal(text: str) -> str:
    return re.escape(text).replace("\\ ", " ").replace(" ", _SPACE)


def _plain(text: str) -> str:
    return text.replace("\u00a0", " ").replace("\u202f", " ")


@lru_cache(maxsize=None)
def translator(language: str) -> Translator:
    """The translator of one of LANGUAGES. Raises UserError for another."""
    if language not in LANGUAGES:
        raise UserError(
            f'There are no reports in "{language}".', do=f"Choose one of: {', '.join(LANGUAGES)}."
        )
    return Translator(language, {} if language == "en" else messages(language))


def messages(language: str) -> Dict[str, str]:
    """All messages of a catalogue: English → translation."""
    content = json.loads(
        (Path(__file__).resolve().parent / f"{language}.json").read_text(encoding="utf-8")
    )
    found = {**content["words"], **content["intents"], **content["limits"]}
    for sentences in content["rules"].values():
        found.update(sentences)
    return found
