"""Where lines may end between characters: Japanese and Chinese have no spaces between words."""

from __future__ import annotations

import re

BREAK = "\x1f"
"""Marks such a place while lines are wrapped: white space of no width, which never comes from a
document."""
_WIDE = "\u2e80-\ua4cf\uf900-\ufaff\uff00-\uffef"
_NOT_FIRST = "、。，．・：；？！）」』】〉》％／～…ーっゃゅょぁぃぅぇぉッャュョァィゥェォ々ヵヶ"
_NOT_LAST = "（「『【〈《～／"
_BEHIND_WIDE = rf"(?<=[{_WIDE}])(?<![{_NOT_LAST}])(?=[^\s{_NOT_FIRST}.,;:!?)\]])"
_BEFORE_WIDE = rf"(?<=[^\s{_NOT_LAST}(\[])(?=[{_WIDE}])(?![{_NOT_FIRST}])"
_PLACES = re.compile(rf"(?:{_BEHIND_WIDE}|{_BEFORE_WIDE})(?<![ァ-ヺー](?=[ァ-ヺー]))")
_AFTER_STOP = re.compile(rf"(?<=[。：；，、）」]) (?=[{_WIDE}])")


def breakable(text: str) -> str:
    """The text with a mark wherever a line may end, and without the blanks behind wide full stops.
    Hangul is broken at its spaces, and no word of katakana."""
    return _PLACES.sub(BREAK, _AFTER_STOP.sub("", text))
