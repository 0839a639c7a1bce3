"""When: the run in slices of time."""

from __future__ import annotations

from typing import List, Mapping, Optional, Tuple

import numpy as np

from advisor.base.numbers import number, percent, seconds, traffic
from advisor.model.message import joined, message
from advisor.reports.composing.areas import Parts, left_in, over_time
from advisor.reports.composing.splitting import sampled, sign
from advisor.reports.figures import Cell, Grid, Heading, Timeline
from advisor.reports.lookup import Lookup

LEAST_SHARE, LEAST_SLICES, TABLE_ROWS = 0.02, 8, 16
APART = 0.1
"""Shares further apart than ten points are told apart in words, as analysis does for the warm-up.
"""
STEPS = (0.05, 0.2, 0.4, 0.6, 0.8)
"""Lower ends of the five shades."""
LEAST_WAIT = 0.05
"""Below this share of elapsed nobody asks for whom ranks waited: medium severity begins here."""


def timeline(run: Lookup) -> Optional[Timeline]:
    """None if MPI took less than 2 % of elapsed, or the run is too short to be cut."""
    share, begin, end = (run.numbers(f"phase.{name}") for name in ("mpi_share", "begin", "end"))
    if (
        share is None
        or begin is None
        or end is None
        or len(share) < LEAST_SLICES
        or (run.number("run.mpi_share") or 0) < LEAST_SHARE
    ):
        return None
    levels, labels = _map(run, "mpi_share", len(share))
    delay_cost = (
        _caused(run, len(share))
        if (run.number("run.wait_share") or 0) >= LEAST_WAIT and sampled(run)
        else ()
    )
    parts = _slices(run, share)
    return Timeline(
        _title(run),
        _caption(run, float(end[0] - begin[0]), parts),
        {role: tuple(values.tolist()) for role, values in parts.items()},
        (seconds(0.0), seconds(float(end[-1]) / 2), seconds(float(end[-1]))),
        labels,
        levels,
        tuple(f"{100 * step:.0f} %" for step in STEPS),
        delay_cost,
        _table(run, share, begin, end),
    )


def _slices(run: Lookup, share: np.ndarray) -> Parts:
    """Shares by role in each slice. What slices tell of waiting is no more than a part of what the
    whole run tells: the sums are those of the run."""
    share = np.nan_to_num(share).clip(0, 1)
    column = run.column("phase.wait_share")
    wait = np.zeros_like(share) if column is None else np.nan_to_num(column.values)
    high = wait if column is None or column.high is None else np.nan_to_num(column.high)
    starved = run.numbers("phase.no_core_share")
    rest = np.maximum(share - high, 0)
    first = {
        "waiting": wait,
        "unsplit": high - wait,
        "no_core": rest * (1 if starved is None else np.nan_to_num(starved)),
        "moving": rest,
    }
    return {"outside": 1 - share, **over_time(run, share, first)}


def _grid(run: Lookup, name: str, slices: int) -> np.ndarray:
    values = run.numbers(f"slice.{name}")
    return np.zeros((0, slices)) if values is None else np.nan_to_num(values).reshape(-1, slices)


def _map(
    run: Lookup, name: str, slices: int
) -> Tuple[Tuple[Tuple[int, ...], ...], Tuple[str, ...]]:
    cells = _grid(run, name, slices)
    ranks = run.numbers("slice.rank")
    if len(cells) < 2 or ranks is None:
        return (), ()
    first = ranks.reshape(-1, slices)[:, 0].astype(int)
    return _levels(cells), (
        message("rank {rank}", rank=first[0]),
        (
            message("rank {rank}", rank=first[-1])
            if len(first) == (run.number("run.ranks") or 0)
            else message("ranks from {rank} on", rank=first[-1])
        ),
    )


def _levels(shares: np.ndarray) -> Tuple[Tuple[int, ...], ...]:
    return tuple(tuple(row) for row in np.sum([shares >= step for step in STEPS], axis=0).tolist())


def _caused(run: Lookup, slices: int) -> Tuple[Tuple[int, ...], ...]:
    """Share of the waiting in each slice that was for a group of ranks."""
    cells = _grid(run, "delay_cost", slices)
    total = cells.sum(0)
    if len(cells) < 2 or not total.sum() > 0:
        return ()
    # A slice in which hardly anybody waited says nothing: shares of nearly nothing would look like
    # a pattern.
    heavy = total >= 0.1 * total.mean()
    return _levels(np.divide(cells, total, out=np.zeros_like(cells), where=heavy & (total > 0)))


def _title(run: Lookup) -> str:
    first, second, warm = (
        run.number(f"run.{name}")
        for name in ("mpi_share_first_half", "mpi_share_second_half", "warm_up_time")
    )
    if warm and (run.number("run.warm_up_share") or 0) < 0.45:
        return message(
            "After the first {time} the run is of one kind: MPI takes {share} of it",
            time=seconds(warm),
            share=percent(second),
        )
    if first is not None and second is not None and abs(first - second) >= APART:
        return message(
            "MPI takes {first} of the first half of the run and {second} of the second",
            first=percent(first),
            second=percent(second),
        )
    return message(
        "MPI takes about {share} of the time from the beginning to the end",
        share=percent(run.number("run.mpi_share")),
    )


def _caption(run: Lookup, width: float, parts: Mapping[str, np.ndarray] = {}) -> str:
    slices = message(
        "All ranks, in slices of {time} since the end of MPI_Init.", time=seconds(width)
    )
    elapsed = run.number("run.time") or 0.0
    in_mpi = {role: values * elapsed for role, values in parts.items() if role != "outside"}
    held = left_in(run, in_mpi)
    told = joined(" ", (slices, held)) if held else slices
    since, delaying_rank = run.number("run.delaying_rank_since"), run.number("run.delaying_rank")
    if since is None or delaying_rank is None or (run.number("run.wait_share") or 0) < LEAST_WAIT:
        return told
    rank = f"{delaying_rank:.0f}"
    waiting = (
        message("From {time} on most waiting is for rank {rank}.", time=seconds(since), rank=rank)
        if since
        else message("Most waiting is for rank {rank} all the time.", rank=rank)
    )
    return joined(" ", (told, waiting))


def _table(run: Lookup, share: np.ndarray, begin: np.ndarray, end: np.ndarray) -> Grid:
    """At most 16 rows: neighbours of the slices put together."""
    wait, sent = run.numbers("phase.wait_share"), run.numbers("phase.bytes")
    rate = None if sent is None else sent / np.where(end > begin, end - begin, np.nan)
    headings = (
        Heading(message("From"), True),
        Heading(message("to"), True),
        Heading(message("In MPI, %"), True),
        Heading(message("Waiting, ~ %") if sign(run) else message("Waiting, %"), True),
        Heading(message("Bytes handed to MPI, a second"), True),
    )
    rows: List[Tuple[Cell, ...]] = []
    for piece in np.array_split(np.arange(len(share)), min(TABLE_ROWS, len(share))):
        numbers = [
            (
                None
                if values is None
                else float(np.nanmean(values[piece]))
                if not np.isnan(values[piece]).all()
                else None
            )
            for values in (share, wait, rate)
        ]
        shares = tuple(
            Cell("" if value is None else number(100 * value), value) for value in numbers[:2]
        )
        last = Cell("" if numbers[2] is None else traffic(numbers[2]), numbers[2])
        rows.append(
            (
                Cell(seconds(float(begin[piece[0]])), float(begin[piece[0]])),
                Cell(seconds(float(end[piece[-1]])), float(end[piece[-1]])),
                *shares,
                last,
            )
        )
    return Grid(
        "over-time", message("Over time: means of neighbouring slices"), headings, tuple(rows)
    )
