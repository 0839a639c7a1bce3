"""The words of a heat map's cells as attributes, short enough for a page, for the script to show
under the pointer."""

from __future__ import annotations

from itertools import groupby
from typing import Dict, List

from markupsafe import Markup

from advisor.reports.figures import Layer

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def cells(layer: Layer) -> Markup:
    """`data-words`: each word once; `data-cells`: which one each cell has, row after row, and how
    often in a row, in base 36: "0*1e 3 2*2"."""
    numbers: Dict[str, int] = {"": 0}
    tokens: List[str] = []
    for word, same in groupby(word for row in layer.words for word in row):
        often = len(list(same))
        token = _base_36(numbers.setdefault(str(word), len(numbers)))
        tokens.append(token + ("*" + _base_36(often) if often > 1 else ""))
    return Markup('data-words="{}" data-cells="{}"').format("|".join(numbers), " ".join(tokens))


def _base_36(value: int) -> str:
    text = ""
    while value or not text:
        value, digit = divmod(value, 36)
        text = _DIGITS[digit] + text
    return text
