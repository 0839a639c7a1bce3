"""Two split runs → the steps of a waterfall, which add up to the difference exactly."""

from __future__ import annotations

import math
from typing import Dict, Tuple

from advisor.comparing.noise import Bands
from advisor.model.comparison import KINDS, Elapsed, Key, Part, Piece

LEAST = 1e-4
"""Of elapsed: below it rounding and the clock speak, whatever the repeats say."""
_Values = Dict[Tuple[str, Key], Tuple[float, float]]


def attribute(
    before: Elapsed, after: Elapsed, noise: Bands, shares: bool
) -> Tuple[str, str, Part, Tuple[Part, ...]]:
    """(base, unit, total, parts): parts in the order of the kinds, the largest changes of a kind
    first.

    The base is the command where both runs timed it, else the run. `shares`: each run's values as
    shares of its own total.
    """
    timed = before.command is not None and after.command is not None
    split = before.sampled and after.sampled
    totals = [float((one.command if timed else one.run) or 0.0) for one in (before, after)]
    scales = [1.0 / total if shares and total else 1.0 for total in totals]
    first, second = (
        _values(one, timed, split, scale) for one, scale in zip((before, after), scales)
    )
    scale = scales[0] if shares else 1.0
    bands = {
        key: max(LEAST * totals[0], noise.widths.get(key, noise.elapsed)) * scale
        for table in (first, second)
        for key in table
    }
    parts = [_part(key, first, second, band) for key, band in bands.items()]
    parts.sort(key=lambda part: (KINDS.index(part.kind), -abs(part.change)))
    band = max(noise.elapsed * scales[0], noise.elapsed * scales[1] if shares else 0.0)
    total = Part("total", (), totals[0] * scales[0], totals[1] * scales[1], band)
    return "command" if timed else "run", "share" if shares else "s", total, _closed(parts, total)


def _values(run: Elapsed, timed: bool, split: bool, scale: float) -> _Values:
    """(value, error) by kind and detail. Where only one run is split into waiting and moving,
    neither is shown split."""
    sums: _Values = {}
    for piece in run.pieces:
        if piece.kind == "startup" and not timed:
            continue
        key = _key(piece, split)
        value, error = sums.get(key, (0.0, 0.0))
        sums[key] = (value + scale * piece.seconds, error + scale * piece.error)
    return sums


def _key(piece: Piece, split: bool) -> Tuple[str, Key]:
    if split or piece.kind not in ("waiting", "moving", "unsplit"):
        return piece.kind, piece.detail
    # Wait time is known by delaying rank, not by call: there is nothing finer that both runs have.
    return "unsplit", ()


def _part(key: Tuple[str, Key], before: _Values, after: _Values, band: float) -> Part:
    (old, old_error), (new, new_error) = before.get(key, (0.0, 0.0)), after.get(key, (0.0, 0.0))
    return Part(key[0], key[1], old, new, max(band, math.hypot(old_error, new_error)))


def _closed(parts: list, total: Part) -> Tuple[Part, ...]:
    """Rounding of sums goes to what is unattributed, so that the parts add up to the last bit that
    is printed."""
    others = [part for part in parts if part.kind != "unattributed"]
    old, new = (
        total.before - sum(part.before for part in others),
        total.after - sum(part.after for part in others),
    )
    band = next((part.noise for part in parts if part.kind == "unattributed"), 0.0)
    return (*others, Part("unattributed", (), old, new, band))
