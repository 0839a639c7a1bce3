"""Time per rank, and which ranks wait."""

from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from advisor.base.numbers import THIN, counted, seconds
from advisor.model.message import behind, joined, message
from advisor.reports.composing.areas import Parts, colours, left_in, of_ranks
from advisor.reports.composing.splitting import sampled, sign
from advisor.reports.figures import RankPanel, RankTimes
from advisor.reports.lookup import Lookup

LEAST_SHARE = 0.02
BARS, COLUMNS, PANELS, QUANTILES = 16, 256, 8, 200
"""Wide bars up to so many ranks; columns in a panel; panels before a strip; columns of the strip.
"""


class _Ranks(NamedTuple):
    """Numbers and seconds of ranks. `about`: "~" where parts are estimated."""

    ids: np.ndarray
    outside: np.ndarray
    mpi: np.ndarray
    parts: Parts
    about: str = ""

    def chosen(self, rows: np.ndarray) -> _Ranks:
        """Some of them, in this order."""
        parts = {role: values[rows] for role, values in self.parts.items()}
        return _Ranks(self.ids[rows], self.outside[rows], self.mpi[rows], parts, self.about)

    @property
    def title(self) -> str:
        """How far they are apart."""
        return title(self.ids, self.mpi)


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
    mpi = np.nan_to_num(mpi)
    data = _Ranks(ids.astype(int), np.nan_to_num(outside), mpi, of_ranks(run, mpi), _about(run))
    hosts = _hosts(run, len(mpi))
    if len(mpi) <= BARS:
        return _bars(run, data, hosts)
    few = len(hosts) <= PANELS and len(mpi) <= 2048
    return _panels(run, data, hosts) if few else _strip(run, data, hosts)


def _about(run: Lookup) -> str:
    """What stands before seconds of waiting."""
    return sign(run) if sampled(run) else "\u2265\u00a0"


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


def _panel(name: str, indices: np.ndarray, data: _Ranks) -> RankPanel:
    of_host = data.chosen(indices)
    order = np.argsort(of_host.outside, kind="stable")
    if len(order) > COLUMNS:
        order = order[np.linspace(0, len(order) - 1, COLUMNS).astype(int)]
    known = {
        "in": seconds(float(of_host.mpi.mean())),
        "out": seconds(float(of_host.outside.mean())),
    }
    note = (
        message(
            "{in} in MPI ({wait} waiting), {out} outside",
            **known,
            wait=behind(data.about, seconds(float(of_host.parts["waiting"].mean()))),
        )
        if "waiting" in of_host.parts
        else message("{in} in MPI, {out} outside", **known)
    )
    return _drawn(name, of_host.chosen(order), note)


def _drawn(name: str, ranks: _Ranks, note: str) -> RankPanel:
    ids, outside, mpi = (tuple(column.tolist()) for column in (ranks.ids, ranks.outside, ranks.mpi))
    parts = {role: tuple(values.tolist()) for role, values in ranks.parts.items()}
    return RankPanel(name, ids, outside, mpi, parts, note)


def _bars(run: Lookup, data: _Ranks, hosts: Dict[str, np.ndarray]) -> RankTimes:
    panels = [_drawn(name, data.chosen(indices), "") for name, indices in hosts.items()]
    caption = message(
        "Seconds of each rank: outside MPI in grey; in MPI {colours}.",
        colours=colours(run, data.parts),
    )
    top = float((data.outside + data.mpi).max())
    told = _with_rest(run, data, caption)
    return RankTimes("bars", data.title, told, top, tuple(panels), about=data.about)


def _with_rest(run: Lookup, data: _Ranks, *sentences: str) -> str:
    return joined(" ", [each for each in (*sentences, left_in(run, data.parts)) if each])


def _panels(run: Lookup, data: _Ranks, hosts: Dict[str, np.ndarray]) -> RankTimes:
    panels = tuple(_panel(name, indices, data) for name, indices in hosts.items())
    caption = message(
        "Seconds in MPI: {colours}. One column a rank, on each host ordered by time outside"
        " MPI, least first. One scale for all, from zero.",
        colours=colours(run, data.parts),
    )
    top = _round_top(data.mpi)
    return RankTimes("panels", data.title, _with_rest(run, data, caption), top, panels)


def _strip(run: Lookup, data: _Ranks, hosts: Dict[str, np.ndarray]) -> RankTimes:
    """All ranks as quantiles; the first, the last and the outlying hosts as panels."""
    names = list(hosts)
    means = np.array([data.mpi[hosts[name]].mean() for name in names])
    chosen = dict.fromkeys(
        (names[0], names[int(means.argmin())], names[int(means.argmax())], names[-1])
    )
    panels = tuple(_panel(name, hosts[name], data) for name in chosen)
    total = f"{len(names):,}".replace(",", THIN)
    painted = message("Seconds in MPI: {colours}.", colours=colours(run, data.parts))
    ordered = message(
        "All {ranks}, ordered, in {columns} columns; below, single hosts on the same scale.",
        ranks=counted(len(data.mpi), "rank"),
        columns=QUANTILES,
    )
    return RankTimes(
        "strip",
        data.title,
        _with_rest(run, data, painted, ordered),
        _round_top(data.mpi),
        panels,
        _quantiles(data),
        _shown(len(panels), total),
    )


def _quantiles(data: _Ranks) -> Dict[str, Tuple[float, ...]]:
    """Columns of equally many ranks, in order of their time in MPI: heights are quantiles, and are
    divided as the time of these ranks is."""
    order = np.argsort(data.mpi, kind="stable")
    heights = np.quantile(data.mpi, np.linspace(0, 1, QUANTILES))
    edges = np.linspace(0, len(order), QUANTILES + 1).astype(int)[:-1]
    sums = {role: np.add.reduceat(values[order], edges) for role, values in data.parts.items()}
    total = sum(sums.values())
    return {
        role: tuple((heights * np.divide(each, total, where=total > 0, out=each * 0)).tolist())
        for role, each in sums.items()
    }


def _shown(panels: int, total: str) -> str:
    return message(
        "{panels} of {all} hosts shown: the first, the one with least and the one with most time in"
        " MPI, the last.",
        panels=panels,
        all=total,
    )
