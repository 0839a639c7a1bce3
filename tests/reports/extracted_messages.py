"""What `pybabel extract` finds, by the same configuration: (context, message) → files."""

from __future__ import annotations

import configparser
from functools import lru_cache

from babel.messages.extract import DEFAULT_KEYWORDS, extract

from advisor.advice.rulebook.messages import extracted
from advisor.reports.languages import FOLDER

ROOT = FOLDER.parents[2]
KEYWORDS = {**DEFAULT_KEYWORDS, "message": None, "message_in": ((1, "c"), 2)}
COMMAND = (
    "pybabel extract -F advisor/reports/languages/babel.cfg -k message -k message_in:1c,2"
    " --no-location --no-wrap -o messages.pot ."
)


@lru_cache(maxsize=None)
def messages():
    """Of the sources and the rule book."""
    found = {}
    for method, file in _files():
        with file.open("rb") as opened:
            for _, text, _, context in extract(method, opened, KEYWORDS):
                text = text[0] if isinstance(text, tuple) else text
                found.setdefault((context or "", text), []).append(file.relative_to(ROOT))
    return found


def _files():
    config = configparser.ConfigParser()
    config.read(FOLDER / "babel.cfg")
    methods = {"rules": extracted}
    for section in config.sections()[1:]:
        method, _, pattern = section.partition(": ")
        folder, _, ending = pattern.partition("/**")
        for file in sorted((ROOT / folder).rglob("*" + ending)):
            if method != "python" or any(word in file.read_text() for word in _SPEAKING):
                yield methods.get(method, method), file


_SPEAKING = ("message(", "message_in(", "gettext(", " _(", "(_(")
