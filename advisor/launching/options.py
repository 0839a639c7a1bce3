"""How many words an option takes: the ways in which the launchers read their command lines."""

from __future__ import annotations

from typing import Mapping, Optional, Sequence

Words = Mapping[str, int]
"""Option without its dashes → words that follow it. Negative: one that may be missing."""


def is_option(word: str) -> bool:
    """Whether a word is an option: a dash and something after it."""
    return len(word) > 1 and word.startswith("-")


def dashed(words: Sequence[str], at: int, table: Words) -> Optional[int]:
    """Words of the option at `at`, itself included, where -name and --name mean the same; None: not
    in the table.

    Open MPI and Hydra read their lines like this. `--name=value` is one word; of an option that
    takes two, it holds one.
    """
    name, equals, _ = words[at].lstrip("-").partition("=")
    if name not in table:
        return None
    takes = abs(table[name])
    return 1 + max(0, takes - 1 if equals else takes)


def attached(words: Sequence[str], at: int, table: Words) -> Optional[int]:
    """1 if the word at `at` is a one-letter option with its value attached (-n64); None if not."""
    word = words[at]
    return 1 if not word.startswith("--") and len(word) > 2 and table.get(word[1]) == 1 else None


def getopt(
    words: Sequence[str], at: int, table: Words, otherwise: Optional[int] = None
) -> Optional[int]:
    """Words of the option at `at`, itself included, as GNU getopt_long reads it; `otherwise`: for
    those not in the table.

    -n4, -n 4, --ntasks=4, --ntasks 4, and single letters put together (-lu).
    """
    word = words[at]
    if word.startswith("--"):
        takes = table.get(word[2:].partition("=")[0], otherwise)
        return None if takes is None else 1 if "=" in word else 1 + max(0, takes)
    for position, letter in enumerate(word[1:], 2):
        takes = table.get(letter, otherwise)
        if takes is None:
            return None
        if takes:
            return 1 if position < len(word) or takes < 0 else 1 + takes
    return 1


def table(**groups: str) -> Words:
    """A table from lists of names: none="help version", one="n np", two="mca",
    maybe="immediate"."""
    words = {"none": 0, "one": 1, "two": 2, "three": 3, "four": 4, "maybe": -1}
    return {name: words[group] for group, names in groups.items() for name in names.split()}
