"""When: the run in slices of time."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from typing import List, Mapping, Optional, Tuple

import numpy as np

from advisor.base.numbers import HARD, number, percent, seconds, traffic
from advisor.model.message import joined, message
from advisor.reports.composing.actions import result_of
from advisor.reports.composing.areas import Parts, left_in, over_time
from advisor.reports.composing.heat_layers import group_of, layer, means
from advisor.reports.composing.no_core import matters
from advisor.reports.composing.splitting import sampled, sign
from advisor.reports.figures import Cell, Grid, Heading, HeatMap, Layer, Timeline
from advisor.reports.lookup import Lookup

LEAST_SHARE, LEAST_SLICES, TABLE_ROWS = 0.02, 8, 16
MOST_CELLS = 3072
"""Of one map: neighbouring ranks are put together until a page has room for them."""
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
    parts = _slices(run, share)
    return Timeline(
        _title(run),
        _caption(run, float(end[0] - begin[0]), parts),
        {role: tuple(values.tolist()) for role, values in parts.items()},
        (seconds(0.0), seconds(float(end[-1]) / 2), seconds(float(end[-1]))),
        _map(run, begin, end),
        float(end[-1]),
        elsewhere(run),
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


def elsewhere(run: Lookup) -> str:
    """Commands for the programs that show time lines: with the trace of this run, or how to keep
    one."""
    result = shlex.quote(result_of(run))
    slices = message(
        "These slices in Perfetto: `advisor export {result} --format chrome -o {file}`, to be opened"
        " at ui.perfetto.dev.",
        result=result,
        file="time-line.json",
    )
    folder = os.path.join(os.path.dirname(run.profile.source), "trace")
    if os.path.isfile(os.path.join(folder, "traces.otf2")):
        archive = shlex.quote(os.path.join(folder, "traces.otf2"))
        return joined(
            " ", (slices, message("Single calls in Vampir: `vampir {trace}`.", trace=archive))
        )
    return joined(
        " ",
        (
            slices,
            message(
                "Single calls were not kept: `advisor run --trace -- …` writes an OTF2 trace, which"
                " Vampir opens."
            ),
        ),
    )


def _grid(run: Lookup, name: str, slices: int) -> np.ndarray:
    values = run.numbers(f"slice.{name}")
    if values is None:
        return np.zeros((0, slices))
    cells = np.nan_to_num(values).reshape(-1, slices)
    return means(cells.T, _rows(len(cells), slices)).T


def _rows(groups: int, slices: int) -> int:
    return min(groups, max(MOST_CELLS // slices, 1))


def _map(run: Lookup, begin: np.ndarray, end: np.ndarray) -> Optional[HeatMap]:
    """A row for each rank, or group of them; None where there is one row."""
    cells = _grid(run, "mpi_share", len(begin))
    ranks = run.numbers("slice.rank")
    if len(cells) < 2 or ranks is None:
        return None
    first = ranks.reshape(-1, len(begin))[:, 0].astype(int)
    of = group_of(len(first), _rows(len(first), len(begin)))
    first = first[np.flatnonzero(np.diff(of, prepend=-1))]
    layers = [_layer(message("Share in MPI"), cells)]
    if sampled(run):
        waiting = _grid(run, "wait_share", len(begin))
        layers.append(replace(_layer(message("Share waiting"), waiting), orange=True))
    if matters(run):
        lacking = _grid(run, "no_core_share", len(begin))
        layers.append(_layer(message("Share without a core, also while waiting"), lacking))
    if (run.number("run.wait_share") or 0) >= LEAST_WAIT and sampled(run):
        caused = _caused(_grid(run, "delay_cost", len(begin)))
        told = message("Whom others waited for, share of the waiting")
        layers.append(replace(_layer(told, caused), orange=True))
    columns = tuple(
        message("{begin} to {end}", begin=seconds(float(low)), end=seconds(float(high)))
        for low, high in zip(begin, end)
    )
    names = _names(first.tolist(), int(run.number("run.ranks") or 0))
    drawn = tuple(each for each in layers if any(map(any, each.levels)))
    return HeatMap("time-line", "", "", names, columns, drawn, ()) if drawn else None


def _layer(name: str, cells: np.ndarray) -> Layer:
    return layer(name, cells, _whole_percent, ends=STEPS)


def _whole_percent(share: float) -> str:
    return f"{100 * share:.0f}{HARD}%"


def _names(first: List[int], ranks: int) -> Tuple[str, ...]:
    if len(first) == ranks:
        return tuple(message("rank {rank}", rank=rank) for rank in first)
    return tuple(message("ranks from {rank} on", rank=rank) for rank in first)


def _caused(cells: np.ndarray) -> np.ndarray:
    """Share of the waiting in each slice that was for a group of ranks. A slice in which hardly
    anybody waited says nothing: shares of nearly nothing would look like a pattern."""
    if not cells.sum() > 0:
        return np.zeros_like(cells)
    total = cells.sum(0)
    heavy = total >= 0.1 * total.mean()
    return np.divide(cells, total, out=np.zeros_like(cells), where=heavy & (total > 0))


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
        Heading(message("Bytes passed to MPI per second"), True),
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
