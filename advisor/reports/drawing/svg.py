"""Shapes as SVG text.

A *box* has no view box: places and sizes are percent of it, so stripes keep their width however a
figure stretches. A *picture* has one and stretches with everything in it.
"""

from __future__ import annotations

from typing import Dict, Iterable, List, Mapping, Sequence, Tuple

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


FILLS = {
    "outside": "useful",
    "waiting": "wait",
    "moving": "move",
    "no_core": "nocore",
    "polling": "nocore",
    "unsplit": "unsplit",
}
"""Class of each area. Stripes are a ground that the others cover: in a stretched picture they would
be stretched too."""


def stacked(parts: Mapping[str, Sequence[float]], gap: float = 0.0) -> str:
    """Upright columns of parts on each other, 1 being the full height, as the body of a box."""
    count = len(next(iter(parts.values())))
    low, shapes = [0.0] * count, ""
    for role, values in parts.items():
        high = [base + value for base, value in zip(low, values)]
        if role != "unsplit":
            shapes += path(_between(low, high), FILLS[role])
        low = high
    if min(low) < 0.9995:
        shapes += path(_between(low, [1.01] * count), "cover")
    if gap:
        wide = _short(gap)
        gaps = "".join(f"M{_short(at + 1 - gap)} -9V1009h{wide}V-9z" for at in range(count))
        shapes += path(gaps, "cover")
    ground = bar(0, 0, 100, 100, "unsplit") if "unsplit" in parts else ""
    return ground + inside(0, 100, (count, 1000), shapes)


def _between(low: Sequence[float], high: Sequence[float]) -> str:
    """The area between two step lines, from 0 (bottom) to 1. Steps of one height are one stroke."""
    forth = _steps(high, range(len(high)), 1)
    back = _steps(low, range(len(low) - 1, -1, -1), 0)
    return f"M0 {_height(low[0])}{forth}{back}z"


def _steps(values: Sequence[float], order: Sequence[int], end: int) -> str:
    heights = [_height(value) for value in values]
    made = []
    for here, after in zip(order, [*order[1:], None]):
        if after is None or heights[after] != heights[here]:
            made.append(f"V{heights[here]}H{here + end}")
    return "".join(made)


def _height(share: float) -> int:
    return round(1000 * (1 - min(max(share, 0.0), 1.01)))


def heat(rows: Sequence[Sequence[int]], label: str) -> Markup:
    """A map of levels: one path a level, drawn as strokes one cell high."""
    data: Dict[int, List[str]] = {}
    for y, row in enumerate(rows):
        for start, length, level in runs(row):
            data.setdefault(level, []).append(f"M{start} {y}h{length}")
    body = "".join(path("".join(parts), f"h{level}") for level, parts in sorted(data.items()))
    # A stroke lies half above its line.
    body = f'<g transform="translate(0 .5)">{body}</g>'
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
