"""The run from left to right: where the time of all ranks went."""

from __future__ import annotations

from typing import List, Sequence

from markupsafe import Markup

from advisor.reports.drawing.svg import bar, box, inside, path
from advisor.reports.figures import Timeline

FULL = 1000


def time_columns(figure: Timeline) -> Markup:
    """Stacked columns without gaps: outside MPI at the bottom, then moving, not split (the striped
    ground), waiting on top."""
    outside = [part.outside for part in figure.slices]
    moving = [low + part.moving for low, part in zip(outside, figure.slices)]
    waiting = [1 - part.waiting for part in figure.slices]
    shapes = (
        path(_between([0.0] * len(outside), outside), "useful")
        + path(_between(outside, moving), "move")
        + path(_between(waiting, [1.0] * len(waiting)), "wait")
    )
    return box(
        bar(0, 0, 100, 100, "unsplit") + inside(0, 100, (len(outside), FULL), shapes),
        f"{figure.title}. The table below has the numbers",
        "timeline",
    )


def _between(low: Sequence[float], high: Sequence[float]) -> str:
    """The area between two step lines, from 0 (bottom) to 1."""
    forth = "".join(f"V{_height(value)}H{place + 1}" for place, value in enumerate(high))
    back: List[str] = [
        f"V{_height(value)}H{len(low) - 1 - place}" for place, value in enumerate(reversed(low))
    ]
    return f"M0 {_height(low[0])}{forth}{''.join(back)}z"


def _height(share: float) -> int:
    return round(FULL * (1 - min(max(share, 0.0), 1.0)))
