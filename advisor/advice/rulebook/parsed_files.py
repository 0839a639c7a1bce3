"""Rule files as parsed TOML, kept for the next report: parsing 170 of them takes longer than
judging by them."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Dict, Mapping, Optional, Sequence

from advisor.base import answer_cache

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MOST_DOTS = 100
"""In a line. The standard library's reader takes minutes for a key of fifty thousand parts."""
Documents = Mapping[str, Mapping[str, object]]
"""Digest of a text → what it holds."""


def digest(text: str) -> str:
    """What a text is known by."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def is_dotted(text: str) -> bool:
    """Whether a text must not be parsed."""
    return any(line.count(".") > MOST_DOTS for line in text.splitlines())


def loads(text: str, known: Documents) -> Mapping[str, object]:
    """The parsed text, from those that are `known` or anew. Raises what tomllib raises."""
    found = known.get(digest(text)) if known else None
    return tomllib.loads(text) if found is None else found


def documents(files: Sequence[Path], largest: int) -> Documents:
    """What all of these files hold that can be parsed; none larger than `largest` is looked at."""
    names = [str(file.absolute()) for file in files]
    text = answer_cache.answer(
        ["rules, parsed", *names], lambda _: names, lambda: _parsed(files, largest)
    )
    return json.loads(text) if text else {}


def _parsed(files: Sequence[Path], largest: int) -> Optional[str]:
    found: Dict[str, object] = {}
    for file in files:
        try:
            if file.stat().st_size <= largest:
                text = file.read_bytes().decode("utf-8")
                found.update({} if is_dotted(text) else {digest(text): tomllib.loads(text)})
        except (OSError, ValueError, OverflowError, RecursionError, MemoryError):
            continue  # Whoever reads this file says what is wrong with it.
    try:
        return json.dumps(found)
    except (TypeError, ValueError, RecursionError):  # A date, which no rule has a place for.
        return None
