"""How many words an option takes: the ways in which launchers and wrappers read their command
lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import FrozenSet, Mapping, Optional, Pattern, Sequence

Words = Mapping[str, int]
"""Option without its dashes → words that follow it. Negative: one that may be missing."""


@dataclass(frozen=True)
class Options:
    """The options of one program. `reading`: "dashed" or "getopt".

    `variable`: options that take NAME=value or NAME value. `value_if`: options that take the next
    word if it looks like this. `otherwise`: words that an option takes which is not listed; None:
    it is not known. `attached`: -n64 is one word.
    """

    reading: str
    following: Words
    variable: FrozenSet[str] = frozenset()
    value_if: Mapping[str, Pattern[str]] = field(default_factory=dict)
    otherwise: Optional[int] = None
    attached: bool = False

    def consumed(self, words: Sequence[str], at: int) -> Optional[int]:
        """Words of the option at `at`, itself included; None if it is not known."""
        if self.reading == "getopt":
            return _getopt(words, at, self.following, self.otherwise)
        return (
            self._special(words, at)
            or _dashed(words, at, self.following)
            or self._attached(words[at])
        )

    def _special(self, words: Sequence[str], at: int) -> Optional[int]:
        name, equals, value = words[at].lstrip("-").partition("=")
        following = words[at + 1] if at + 1 < len(words) else ""
        if name in self.variable and equals:
            return 1 if "=" in value else 2
        if name in self.variable:
            return 2 if "=" in following else 3
        if name in self.value_if:
            return 2 if not equals and self.value_if[name].fullmatch(following) else 1
        return None

    def _attached(self, word: str) -> Optional[int]:
        is_one = self.attached and not word.startswith("--") and len(word) > 2
        return 1 if is_one and self.following.get(word[1]) == 1 else None


def is_option(word: str) -> bool:
    """Whether a word is an option: a dash and something after it."""
    return len(word) > 1 and word.startswith("-")


def _dashed(words: Sequence[str], at: int, following: Words) -> Optional[int]:
    """-name and --name mean the same: Open MPI and Hydra read their lines like this.

    `--name=value` is one word; of an option that takes two, it holds one.
    """
    name, equals, _ = words[at].lstrip("-").partition("=")
    if name not in following:
        return None
    takes = following[name]
    return 1 + max(0, takes - 1 if equals else takes)


def _getopt(
    words: Sequence[str], at: int, following: Words, otherwise: Optional[int]
) -> Optional[int]:
    """As GNU getopt_long reads it: -n4, -n 4, --ntasks=4, --ntasks 4, and single letters put
    together (-lu)."""
    word = words[at]
    if word.startswith("--"):
        takes = following.get(word[2:].partition("=")[0], otherwise)
        return None if takes is None else 1 if "=" in word else 1 + max(0, takes)
    for position, letter in enumerate(word[1:], 2):
        takes = following.get(letter, otherwise)
        if takes is None:
            return None
        if takes:
            return 1 if position < len(word) or takes < 0 else 1 + takes
    return 1
