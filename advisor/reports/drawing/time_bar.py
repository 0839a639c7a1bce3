"""The whole run as one bar, and MPI enlarged below it."""

from __future__ import annotations

from typing import Sequence

from markupsafe import Markup

from advisor.base.numbers import seconds
from advisor.reports.document import TimeBar, TimePart
from advisor.reports.drawing.svg import bar, box, inside, path

BAR, LOWER = 30, 70
"""Height of both rows and top of the lower one, in percent."""
NARROW = 0.09
"""Below this share of MPI a label does not fit under its part."""
_FILLS = {
    "outside": "useful",
    "waiting": "wait",
    "moving": "move",
    "no_core": "nocore",
    "polling": "unsplit",
    "unsplit": "unsplit",
}


def time_bar(time: TimeBar) -> Markup:
    """Two rows that share no scale: the fan between them says so."""
    begin = 100 * (1 - time.mpi / time.elapsed)
    fan = inside(BAR, LOWER - BAR, (100, 100), path(f"M{begin:.2f} 0L0 100H100V0z", "fan"))
    lower = _row(time.enlarged, time.mpi, LOWER, 0.15) if time.mpi else ""
    words = "; ".join(f"{part.seconds_text} {part.label}" for part in time.whole)
    return box(
        _row(time.whole, time.elapsed, 0, 0) + fan + lower,
        f"Of {seconds(time.elapsed)} elapsed: {words}",
        "where",
    )


def crowded(time: TimeBar) -> bool:
    """Whether labels stand in a list below instead of under their parts."""
    return any(part.seconds < NARROW * time.mpi for part in time.enlarged)


def fill(parts: Sequence[TimePart], place: int) -> str:
    """Class of a part: the second tint for all but the first waiting part, so that neighbours can
    be told apart."""
    name = _FILLS[parts[place].role]
    later = any(part.role == parts[place].role for part in parts[:place])
    return name + "2" if later and name in ("wait", "move") else name


def _row(parts: Sequence[TimePart], total: float, top: float, gap: float) -> str:
    x, shapes = 0.0, ""
    for place, part in enumerate(parts):
        wide = 100 * part.seconds / total
        shapes += bar(x, top, wide - gap, BAR, fill(parts, place))
        x += wide
    return shapes
