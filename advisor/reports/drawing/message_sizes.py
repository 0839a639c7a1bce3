"""Message sizes: calls upwards, seconds downwards, a column a power of two."""

from __future__ import annotations

from typing import List, Tuple

from markupsafe import Markup

from advisor.base.numbers import HARD, count, seconds, size
from advisor.model.message import message
from advisor.reports.drawing.svg import bar, box
from advisor.reports.figures import SizeBin, SizePanel, Sizes

RIGHT, APART = 82, 22
"""Percent of the width: where a mark at the right edge begins; least distance of two marks."""
AXIS, UP, DOWN = 46, 37, 44
"""Percent of the height: place of the axis, tallest column above and below it; labels need the
rest."""


def bounds(figure: Sizes) -> Tuple[int, int]:
    """First and last bin of all panels, at least eight wide: one axis for all."""
    bins = [entry.bin for panel in figure.panels for entry in panel.bins]
    low = max(0, min(bins) - 1)
    return low, max(max(bins) + 1, low + 7)


def size_columns(panel: SizePanel, figure: Sizes) -> Markup:
    """One panel."""
    low, high = bounds(figure)
    step = 100 / (high - low + 1)
    most_calls, most_seconds = max(entry.calls for entry in panel.bins) or 1, _most_seconds(figure)
    shapes = ""
    for entry in panel.bins:
        x, up, down = (
            (entry.bin - low) * step,
            UP * entry.calls / most_calls,
            DOWN * entry.seconds / most_seconds,
        )
        shapes += bar(x + 0.08 * step, AXIS - up, 0.84 * step, up, "calls") + bar(
            x + 0.08 * step, AXIS + 1, 0.84 * step, down, "unsplit"
        )
    label = f"{panel.title}: " + "; ".join(
        f"{_name(entry.bin)} {count(entry.calls)} calls {seconds(entry.seconds)}"
        for entry in panel.bins
    )
    return box(shapes + bar(0, AXIS, 100, 0.6, "base"), label, "sizes")


def notes(panel: SizePanel, figure: Sizes) -> List[Tuple[str, float, float, str]]:
    """(edge, percent from the left, percent from the top, text): the largest of each direction, at
    its column."""
    calls = max(panel.bins, key=lambda entry: entry.calls)
    time = max(panel.bins, key=lambda entry: entry.seconds)
    depth = AXIS + 1 + DOWN * time.seconds / _most_seconds(figure)
    return [
        _note(calls, figure, 0, _calls(calls.calls)),
        _note(time, figure, depth + 0.5, seconds(time.seconds)),
    ]


def _calls(calls: float) -> str:
    if calls == 1:
        return message("{count} call", count=count(calls))
    return message("{count} calls", count=count(calls))


def _note(entry: SizeBin, figure: Sizes, top: float, text: str) -> Tuple[str, float, float, str]:
    low, high = bounds(figure)
    middle = 100 * (entry.bin - low + 0.5) / (high - low + 1)
    return (
        ("l", 0, top, text)
        if middle < 18
        else ("r", 100, top, text)
        if middle > 82
        else ("", middle, top, text)
    )


def labels(figure: Sizes) -> List[Tuple[float, str]]:
    """(percent from the left, size) of marks on the axis, from the right, none so near to the next
    that words touch."""
    low, high = bounds(figure)
    marks = [place for place in (1, 11, 17, 21, 25, 31) if low < place <= high] or [low + 1]
    chosen: List[Tuple[float, str]] = []
    for place in reversed(marks):
        left = 100 * (place - low) / (high - low + 1)
        if not chosen or min(chosen[-1][0], RIGHT) - left >= APART:
            chosen.append((left, size(1 << (place - 1))))
    return chosen


def _most_seconds(figure: Sizes) -> float:
    return max((entry.seconds for panel in figure.panels for entry in panel.bins), default=0) or 1


def _name(place: int) -> str:
    return f"0{HARD}B" if place == 0 else f"from {size(1 << (place - 1))}"
