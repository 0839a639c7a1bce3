"""Input files of a run: found below or by its folder, bounded in size, decoded without errors."""

from __future__ import annotations

import os
import re
from typing import Iterable, Mapping, Optional, Sequence, Tuple

from advisor.model.profile import Value
from advisor.probing.reading import Facts, fact, read_bytes

LARGEST = 4 << 20


class Inputs:
    """The folder that a run was started in, and the file that it reads as standard input (empty if
    none)."""

    def __init__(self, directory: str, standard_input: str = "") -> None:
        self.directory, self.standard_input = directory, standard_input

    def text(self, name: str) -> Optional[str]:
        """A file that the run names, relative to its folder; None if it is absent, too large or no
        text."""
        if not self.directory and not os.path.isabs(name):
            return None
        data = read_bytes(os.path.join(self.directory, name), LARGEST + 1)
        if data is None or len(data) > LARGEST or b"\0" in data:
            return None
        return data.decode("utf-8", "replace")


def option(words: Sequence[str], names: Iterable[str]) -> Optional[str]:
    """The word after the last of these options, or what follows its `=`."""
    wanted, value = frozenset(names), None
    for word, following in zip(words, tuple(words[1:]) + ("",)):
        name, equals, inline = word.partition("=")
        if word in wanted and following:
            value = following
        elif equals and name in wanted:
            value = inline
    return value


def typed(text: str) -> Value:
    """A setting as a number or a truth value where it is written as one, else as it stands (at most
    200 characters)."""
    word = text.strip().strip("'\"")
    if re.fullmatch(r"[+-]?\d{1,15}", word):
        return int(word)
    if re.fullmatch(
        r"[+-]?(\d{1,15}\.\d{0,15}|\.\d{1,15}|\d{1,15}(?=[eEdD]))([eEdD][+-]?\d{1,3})?", word
    ):
        return float(word.replace("d", "e").replace("D", "e"))
    if word.lower() in (".true.", ".t.", "t", "true"):
        return True
    if word.lower() in (".false.", ".f.", "f", "false"):
        return False
    return word[:200]


def keep(facts: Facts, key: str, text: Optional[str], source: str) -> None:
    """Write a setting down if there is one."""
    if text is not None and text.strip():
        fact(facts, key, typed(text), source)


def keep_options(
    facts: Facts, words: Sequence[str], options: Mapping[str, Tuple[str, ...]]
) -> None:
    """Write down each setting whose option is in the arguments. `options`: key → spellings."""
    for key, names in options.items():
        keep(facts, key, option(words, names), "argument")
