"""No sentence of what was found twice on a page: what stood before is pointed to. What to do stands
whole in each finding."""

from __future__ import annotations

import re
from typing import Dict, List

LEAST_WORDS = 5
"""Shorter ones are labels, which may stand anywhere."""
_END = re.compile(r"(?<=[.;]) (?=[A-Z])")


class Once:
    """The sentences of one page so far, each with the words that point to its place."""

    def __init__(self) -> None:
        self._places: Dict[str, str] = {}

    def __call__(self, text: str, here: str) -> str:
        """The text without sentences that stood before; if nothing is left, where they stand.
        `here` points to the place that it will stand at now."""
        left: List[str] = []
        before = ""
        for part in _END.split(str(text)):
            key = part.strip(" .;:").lower()
            if len(key.split()) >= LEAST_WORDS and key in self._places:
                before = self._places[key]
                continue
            self._places[key] = here
            left.append(part)
        return " ".join(left) or before
