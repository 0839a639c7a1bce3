"""Shapes as SVG text.

A *box* has no view box: places and sizes are percent of it, so stripes keep their width however a
figure stretches. A *picture* has one and stretches with everything in it.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, Sequence, Tuple

from markupsafe import Markup, escape


def box(body: str, label: str, name: str) -> Markup:
    """A picture in percent. `body` is made by this module; `label` is any text, empty if words
    stand beside it."""
    return Markup(f'<svg class="plot {name}" {_reported(label)}>{body}</svg>')


def picture(width: float, height: float, body: str, label: str = "", name: str = "") -> Markup:
    """A picture in its own coordinates, stretched to its place."""
    size = f'viewBox="0 0 {_short(width)} {_short(height)}" preserveAspectRatio="none"'
    return Markup(f'<svg class="plot {name}" {size} {_reported(label)}>{body}</svg>')


def inside(top: float, height: float, view: Tuple[float, float], body: str) -> str:
    """A stretched picture inside a box; `top` and `height` in percent of the box."""
    return (
        f'<svg y="{_short(top)}%" width="100%" height="{_short(height)}%" viewBox="0 0'
        f' {_short(view[0])} {_short(view[1])}" preserveAspectRatio="none"'
        f' overflow="visible">{body}</svg>'
    )


def _reported(label: str) -> str:
    return f'role="img" aria-label="{escape(label)}"' if label else 'aria-hidden="true"'


def bar(x: float, y: float, width: float, height: float, name: str) -> str:
    """A filled rectangle of a box, in percent."""
    left, top, wide, high = (f"{_short(max(value, 0))}%" for value in (x, y, width, height))
    return f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" class="{name}"/>'


def rect(x: float, y: float, width: float, height: float, name: str) -> str:
    """A filled rectangle of a picture."""
    left, top, wide, high = (_short(max(value, 0)) for value in (x, y, width, height))
    return f'<rect x="{left}" y="{top}" width="{wide}" height="{high}" class="{name}"/>'


def path(d: str, name: str) -> str:
    """A path."""
    return f'<path d="{d}" class="{name}"/>'


def striped_columns(heights: Sequence[float], gap: float, moving: Sequence[float] = ()) -> str:
    """Upright columns, heights from 0 to 1: a ground of stripes, and a cover over what is not a
    column. With `moving`, the heights of their lower parts, the ground is of the colour of
    waiting."""
    step, covers = 1000 / len(heights), []
    lower = "".join(
        f"M{_short(place * step)} 1009V{_short(1000 * (1 - height))}h{_short(step)}V1009z"
        for place, height in enumerate(moving)
    )
    for place, height in enumerate(heights):
        left, right = place * step, (place + 1) * step
        # The outer edges overlap, or a hair of the ground would shine through.
        left, right = (left if place else -9), (right if place + 1 < len(heights) else 1009)
        covers.append(f"M{_short(left)} -9V{_short(1000 * (1 - height))}H{_short(right)}V-9z")
        if gap:
            covers.append(f"M{_short((place + 1 - gap) * step)} 0V1000h{_short(gap * step)}V0z")
    shapes = (path(lower, "move") if lower else "") + path("".join(covers), "cover")
    return bar(0, 0, 100, 100, "wait" if lower else "unsplit") + inside(
        0, 100, (1000, 1000), shapes
    )


def heat(rows: Sequence[Sequence[int]], label: str) -> Markup:
    """A map of levels: one path a level, drawn as strokes one cell high."""
    data: Dict[int, List[str]] = {}
    for y, row in enumerate(rows):
        for start, length, level in runs(row):
            data.setdefault(level, []).append(f"M{start} {y}.5h{length}")
    body = "".join(path("".join(parts), f"h{level}") for level, parts in sorted(data.items()))
    return picture(len(rows[0]), len(rows), body, label, "heat")


def runs(row: Sequence[int]) -> Iterable[Tuple[int, int, int]]:
    """(start, length, level) of equal neighbours that are not 0."""
    start = 0
    for place in range(1, len(row) + 1):
        if place == len(row) or row[place] != row[start]:
            if row[start]:
                yield start, place - start, row[start]
            start = place


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
