"""Time per rank, and which ranks wait."""

from __future__ import annotations

import math
from typing import Dict, List, Optional

import numpy as np

from advisor.base.numbers import THIN, counted, seconds
from advisor.model.message import behind, joined, message
from advisor.reports.composing.splitting import sampled, sign
from advisor.reports.figures import RankPanel, RankTimes
from advisor.reports.lookup import Lookup

LEAST_SHARE = 0.02
SPLIT = 0.9
"""Colours tell waiting from moving where at least so much of the MPI time is split."""
BARS, COLUMNS, PANELS, QUANTILES = 16, 256, 8, 200
"""Wide bars up to so many ranks; columns in a panel; panels before a strip; columns of the strip.
"""


def rank_times(run: Lookup) -> Optional[RankTimes]:
    """None if MPI took less than 2 % of elapsed, or there is one rank."""
    mpi, outside = run.numbers("rank.mpi_time"), run.numbers("rank.outside_time")
    if (
        mpi is None
        or outside is None
        or len(mpi) < 2
        or (run.number("run.mpi_share") or 0) < LEAST_SHARE
    ):
        return None
    ids = run.numbers("rank.id")
    ids = np.arange(len(mpi)) if ids is None else ids
    data = (ids.astype(int), np.nan_to_num(outside), np.nan_to_num(mpi), _waiting(run, mpi))
    hosts = _hosts(run, len(mpi))
    if len(mpi) <= BARS:
        return _bars(run, data, hosts)
    few = len(hosts) <= PANELS and len(mpi) <= 2048
    return _panels(run, data, hosts) if few else _strip(run, data, hosts)


def _waiting(run: Lookup, mpi: np.ndarray) -> np.ndarray:
    """Of each rank; NaN if it was not split."""
    wait = run.numbers("rank.wait_time")
    if wait is None or not sampled(run) or (run.number("run.wait_sampled_share") or 0) < SPLIT:
        return np.full(len(mpi), np.nan)
    return np.minimum(np.nan_to_num(wait), np.nan_to_num(mpi))


def _hosts(run: Lookup, rows: int) -> Dict[str, np.ndarray]:
    names = run.texts("rank.node") or [""] * rows
    order: Dict[str, List[int]] = {}
    for index, name in enumerate(names):
        order.setdefault(name, []).append(index)
    return {name: np.array(indices) for name, indices in order.items()}


def title(ids: np.ndarray, mpi: np.ndarray) -> str:
    """The finding of the figure: how far ranks are apart."""
    low, high, mean = int(np.argmin(mpi)), int(np.argmax(mpi)), float(np.mean(mpi))
    if mpi[high] - mpi[low] < 0.1 * mean:
        return message("All ranks spend about as long in MPI, {time}", time=seconds(mean))
    return message(
        "Time in MPI goes from {low} on rank {first} to {high} on rank {last}",
        low=seconds(mpi[low]),
        first=ids[low],
        high=seconds(mpi[high]),
        last=ids[high],
    )


def _round_top(mpi: np.ndarray) -> float:
    """The end of the scale: three round steps that reach the largest value."""
    third = max(float(mpi.max()) / 3, 1e-9)
    power = 10.0 ** math.floor(math.log10(third))
    return (
        3
        * power
        * next(
            step
            for step in (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)
            if step * power >= third * 0.999
        )
    )


def _panel(run: Lookup, name: str, indices: np.ndarray, data: tuple) -> RankPanel:
    ids, outside, mpi, wait = (column[indices] for column in data)
    order = np.argsort(outside, kind="stable")
    if len(order) > COLUMNS:
        order = order[np.linspace(0, len(order) - 1, COLUMNS).astype(int)]
    known = {"in": seconds(float(mpi.mean())), "out": seconds(float(outside.mean()))}
    note = (
        message("{in} in MPI, {out} outside", **known)
        if np.isnan(wait).any()
        else message(
            "{in} in MPI ({wait} waiting), {out} outside",
            **known,
            wait=behind(sign(run), seconds(float(wait.mean()))),
        )
    )
    return _drawn(name, (ids, outside, mpi, wait), order, note)


def _drawn(name: str, data: tuple, order: np.ndarray, note: str) -> RankPanel:
    ids, outside, mpi, wait = (tuple(column[order].tolist()) for column in data)
    return RankPanel(name, ids, outside, mpi, () if np.isnan(data[3]).any() else wait, note)


def _bars(run: Lookup, data: tuple, hosts: Dict[str, np.ndarray]) -> RankTimes:
    ids, outside, mpi, wait = data
    panels = [_drawn(name, data, indices, "") for name, indices in hosts.items()]
    caption = message(
        "Seconds of each rank: outside MPI in grey, in MPI {colours}.", colours=_colours(run, wait)
    )
    return RankTimes("bars", title(ids, mpi), caption, float((outside + mpi).max()), tuple(panels))


def _colours(run: Lookup, wait: np.ndarray) -> str:
    if np.isnan(wait).any():
        return message("striped (moving data or waiting, not split)")
    if sign(run):
        return message("blue and, where it waited for others, ~ orange")
    return message("blue and, where it waited for others, orange")


def _panels(run: Lookup, data: tuple, hosts: Dict[str, np.ndarray]) -> RankTimes:
    ids, _, mpi, wait = data
    panels = tuple(_panel(run, name, indices, data) for name, indices in hosts.items())
    return RankTimes(
        "panels",
        title(ids, mpi),
        message(
            "Seconds in MPI, {colours}. One column a rank, on each host ordered by time outside"
            " MPI, least first. One scale for all, from zero.",
            colours=_colours(run, wait),
        ),
        _round_top(mpi),
        panels,
    )


def _strip(run: Lookup, data: tuple, hosts: Dict[str, np.ndarray]) -> RankTimes:
    """All ranks as quantiles; the first, the last and the outlying hosts as panels."""
    ids, _, mpi, wait = data
    strip = np.quantile(mpi, np.linspace(0, 1, QUANTILES))
    names = list(hosts)
    means = np.array([mpi[hosts[name]].mean() for name in names])
    chosen = dict.fromkeys(
        (names[0], names[int(means.argmin())], names[int(means.argmax())], names[-1])
    )
    panels = tuple(_panel(run, name, hosts[name], data) for name in chosen)
    total = f"{len(names):,}".replace(",", THIN)
    colours = _colours(run, wait)
    painted = (
        message("Seconds in MPI, {colours}.", colours=colours)
        if np.isnan(wait).any()
        else message(
            "Seconds in MPI: the columns of all ranks striped, those of hosts {colours}.",
            colours=colours,
        )
    )
    ordered = message(
        "All {ranks}, ordered, in {columns} columns; below, single hosts on the same scale.",
        ranks=counted(len(mpi), "rank"),
        columns=QUANTILES,
    )
    caption = joined(" ", (painted, ordered))
    return RankTimes(
        "strip",
        title(ids, mpi),
        caption,
        _round_top(mpi),
        panels,
        tuple(strip.tolist()),
        _shown(len(panels), total),
    )


def _shown(panels: int, total: str) -> str:
    return message(
        "{panels} of {all} hosts shown: the first, the one with least and the one with most time in"
        " MPI, the last.",
        panels=panels,
        all=total,
    )
