"""Message sizes: are messages large or small, and where do calls and seconds go."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import numpy as np

from advisor.base.numbers import count, number, size
from advisor.model.message import message
from advisor.reports.figures import Cell, Grid, Heading, SizeBin, SizePanel, Sizes
from advisor.reports.lookup import Lookup

PANELS, ALWAYS, LEAST_SHARE = 4, 2, 0.01
"""At most so many panels; so many in any case; others need this share of their seconds."""
_PATHS = {
    "intra_node": message("Point to point, inside a host"),
    "other": message("Point to point, between hosts"),
    "self": message("Point to point, to itself"),
}
_TWO_SIDED = ("p2p", "p2p_blocking", "point-to-point")
_RECEIVES = ("recv", "probe", "wait", "test")
"""Bytes are counted on the send side: METRICS 6.1."""

Bins = Dict[int, List[float]]


def message_sizes(run: Lookup) -> Optional[Sizes]:
    """One panel a path and top collective; None if no call carries data."""
    panels = sorted(
        (_panel(name, bins) for name, bins in _collect(run).items()),
        key=lambda panel: -_seconds(panel),
    )[:PANELS]
    if not panels:
        return None
    least = LEAST_SHARE * sum(map(_seconds, panels))
    drawn = tuple(
        panel for place, panel in enumerate(panels) if place < ALWAYS or _seconds(panel) >= least
    )
    caption = message(
        "Per rank and power of two of the size: calls upwards in grey, each panel on its own scale;"
        " seconds in these calls downwards, striped, for waiting and transfer are not told apart"
        " by size; one scale for all. Time in MPI_Wait and the like has no size and is not here."
    )
    return Sizes(_title(drawn), caption, drawn, _table(drawn))


def _seconds(panel: SizePanel) -> float:
    return sum(entry.seconds for entry in panel.bins)


def _collect(run: Lookup) -> Dict[str, Bins]:
    bins, calls, times = (run.numbers(f"cell.{name}") for name in ("bin", "calls_per_rank", "time"))
    if bins is None or calls is None or times is None:
        return {}
    panels: Dict[str, Bins] = {}
    rows = zip(
        run.texts("cell.operation"),
        run.texts("cell.group"),
        run.texts("cell.class"),
        bins,
        calls,
        times,
    )
    for operation, group, path, place, number_, value in rows:
        name = _panel_name(operation, group, path)
        if name and place >= 0 and number_ == number_:
            cell = panels.setdefault(name, {}).setdefault(int(place), [0.0, 0.0])
            cell[0] += number_
            cell[1] += float(np.nan_to_num(value))
    return {name: cells for name, cells in panels.items() if any(place > 0 for place in cells)}


def _panel_name(operation: str, group: str, path: str) -> str:
    """Title of the panel that a cell belongs to; empty for receives, whose bytes the sender
    counts."""
    if "coll" in group.lower():
        return f"MPI_{operation}"
    if any(word in operation.lower() for word in _RECEIVES) and "send" not in operation.lower():
        return ""
    if group.lower() in _TWO_SIDED or "send" in operation.lower() or operation == "Start":
        return _PATHS.get(path, message("Point to point"))
    if "rma" in group.lower() or operation in ("Put", "Get", "Accumulate"):
        return message("One-sided")
    return ""


def _panel(name: str, bins: Bins) -> SizePanel:
    return SizePanel(name, tuple(SizeBin(place, *bins[place]) for place in sorted(bins)))


def _title(panels: Tuple[SizePanel, ...]) -> str:
    """Where most seconds are, in words."""
    total = sum(entry.seconds for panel in panels for entry in panel.bins)
    panel, best = max(
        ((panel, entry) for panel in panels for entry in panel.bins),
        key=lambda pair: pair[1].seconds,
    )
    if total <= 0:
        return message("Message sizes")
    low, high = range_of(best.bin)
    return message(
        "Most seconds are in {calls} of {low} to {high}",
        calls=_MESSAGES.get(panel.title, panel.title),
        low=low,
        high=high,
    )


_MESSAGES = {
    "Point to point": message("messages"),
    "Point to point, inside a host": message("messages inside a host"),
    "Point to point, between hosts": message("messages between hosts"),
    "Point to point, to itself": message("messages to itself"),
}
"""Titles of panels as words of a sentence."""


def range_of(place: int) -> Tuple[str, str]:
    """Sizes from … to below … of a bin."""
    return (
        ("0" + "\u00a0B", "1" + "\u00a0B")
        if place == 0
        else (size(1 << (place - 1)), size(1 << place))
    )


def _table(panels: Tuple[SizePanel, ...]) -> Grid:
    headings = (
        Heading(message("Calls")),
        Heading(message("Size from"), True),
        Heading(message("to below"), True),
        Heading(message("Calls a rank"), True),
        Heading(message("Seconds a rank"), True),
    )
    rows = tuple(
        (
            Cell(panel.title),
            *map(Cell, range_of(entry.bin)),
            Cell(count(entry.calls), entry.calls),
            Cell(number(entry.seconds), entry.seconds),
        )
        for panel in panels
        for entry in panel.bins
    )
    return Grid("sizes", message("Message sizes, means over ranks"), headings, rows)
