"""Time per rank: wide bars, columns by host, or a strip of quantiles."""

from __future__ import annotations

from typing import Mapping, Sequence, Tuple

from markupsafe import Markup

from advisor.base.numbers import HARD, seconds
from advisor.reports.drawing.svg import FILLS, bar, box, stacked
from advisor.reports.figures import RankPanel, RankTimes

CROWDED = 24
"""Beyond so many ranks columns touch each other."""


def rank_bar(panel: RankPanel, place: int, top: float) -> Markup:
    """One rank: outside MPI, then in MPI. Its numbers stand beside it."""
    x, shapes = 0.0, ""
    for role, values in {"outside": panel.outside, **panel.parts}.items():
        wide = 100 * values[place] / top
        shapes += bar(x, 10, wide, 80, FILLS[role])
        x += wide
    return box(shapes, "", "rankbar")


def rank_columns(panel: RankPanel, top: float) -> Markup:
    """One host: a column a rank."""
    shapes = stacked(_scaled(panel.parts, top), 0 if len(panel.mpi) > CROWDED else 0.12)
    return box(shapes, f"{panel.name}, {len(panel.mpi)} ranks: {panel.note}", "ranks")


def rank_strip(figure: RankTimes) -> Markup:
    """All ranks in order of their time in MPI, as quantiles."""
    least, middle, most = strip_ends(figure)
    words = f"Least {seconds(least)}, median {seconds(middle)}, most {seconds(most)}"
    return box(stacked(_scaled(figure.strip, figure.top)), words, "ranks")


def strip_ends(figure: RankTimes) -> Tuple[float, float, float]:
    """Least, median and most time in MPI of the strip."""
    totals = [sum(column) for column in zip(*figure.strip.values())]
    return totals[0], totals[len(totals) // 2], totals[-1]


def _scaled(parts: Mapping[str, Sequence[float]], top: float) -> Mapping[str, Sequence[float]]:
    return {role: [value / top for value in values] for role, values in parts.items()}


def ticks(top: float) -> Tuple[Tuple[float, str], ...]:
    """(percent from the top, label) of three lines across the columns."""
    return tuple((100 * (1 - part), _whole(seconds(top * part))) for part in (1.0, 2 / 3, 1 / 3))


def _whole(text: str) -> str:
    """300 s, 1.5 s: a round step has no zeros behind its point."""
    value, _, unit = text.partition(HARD)
    return (value.rstrip("0").rstrip(".") if "." in value else value) + HARD + unit
