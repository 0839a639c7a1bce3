"""What somebody who made a typing mistake may have meant."""

from __future__ import annotations

from typing import Iterable

_SHORT = 2
"""Letters: words as short are codes, each of which is near each other."""


def nearest(word: str, names: Iterable[str]) -> str:
    """The one that surely was meant; empty if that is not sure."""
    import difflib  # of use to those alone who made a mistake

    return "".join(difflib.get_close_matches(word, names, n=1, cutoff=0.8))


def suggestion(word: str, names: Iterable[str]) -> str:
    """What may have been meant; if nothing is near, all that there is."""
    import difflib

    names = list(names)
    sure = nearest(word, names)
    near = [sure] if sure else difflib.get_close_matches(word, names, n=3, cutoff=0.5)
    near = near if len(word) > _SHORT else []
    return f"Did you mean {' or '.join(near)}?" if near else f"There are: {', '.join(names)}."
