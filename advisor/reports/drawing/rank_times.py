"""Time per rank: wide bars, columns by host, or a strip of quantiles."""

from __future__ import annotations

from typing import Tuple

from markupsafe import Markup

from advisor.base.numbers import HARD, seconds
from advisor.reports.drawing.svg import bar, box, striped_columns
from advisor.reports.figures import RankPanel, RankTimes

CROWDED = 24
"""Beyond so many ranks columns touch each other."""


def rank_bar(panel: RankPanel, place: int, top: float) -> Markup:
    """One rank: outside MPI, then in MPI. Its numbers stand beside it."""
    scale, outside, mpi = 100 / top, panel.outside[place], panel.mpi[place]
    waiting = panel.waiting[place] if panel.waiting else 0.0
    inside = bar(
        outside * scale, 10, (mpi - waiting) * scale, 80, "move" if panel.waiting else "unsplit"
    )
    return box(
        bar(0, 10, outside * scale, 80, "useful")
        + inside
        + bar((outside + mpi - waiting) * scale, 10, waiting * scale, 80, "wait"),
        "",
        "rankbar",
    )


def rank_columns(panel: RankPanel, top: float) -> Markup:
    """One host: a column a rank."""
    moving = [(mpi - wait) / top for mpi, wait in zip(panel.mpi, panel.waiting)]
    shapes = striped_columns(
        [value / top for value in panel.mpi], 0 if len(panel.mpi) > CROWDED else 0.12, moving
    )
    return box(shapes, f"{panel.name}, {len(panel.mpi)} ranks: {panel.note}", "ranks")


def rank_strip(figure: RankTimes) -> Markup:
    """All ranks in order of their time in MPI, as quantiles."""
    strip = figure.strip
    words = (
        f"Least {seconds(strip[0])}, median {seconds(strip[len(strip) // 2])}, most"
        f" {seconds(strip[-1])}"
    )
    return box(striped_columns([value / figure.top for value in strip], 0), words, "ranks")


def ticks(top: float) -> Tuple[Tuple[float, str], ...]:
    """(percent from the top, label) of three lines across the columns."""
    return tuple((100 * (1 - part), _whole(seconds(top * part))) for part in (1.0, 2 / 3, 1 / 3))


def _whole(text: str) -> str:
    """300 s, 1.5 s: a round step has no zeros behind its point."""
    value, _, unit = text.partition(HARD)
    return (value.rstrip("0").rstrip(".") if "." in value else value) + HARD + unit
