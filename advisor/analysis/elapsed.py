"""The elapsed time of one run in pieces that add up to it: METRICS 15, attribution on the critical
rank."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from advisor.analysis.derived.profile_view import ProfileView
from advisor.analysis.derived.sampled_waits import DEVIATIONS
from advisor.analysis.engine.metric import QualityTracker, Unknown
from advisor.analysis.engine.operation_groups import LIFECYCLE, NOTHING, group_of
from advisor.analysis.engine.size_bins import size_group
from advisor.model.comparison import Elapsed, Key, Piece
from advisor.model.errors import UserError
from advisor.model.measures import Measures


class Kinds(NamedTuple):
    """Seconds by (operation, class, size group): all calls, and of the sampled ones wait, its
    error, and what is resolved."""

    time: Dict[Key, float]
    wait: Dict[Key, float]
    error: Dict[Key, float]
    resolved: Dict[Key, float]


def elapsed(measures: Measures) -> Elapsed:
    """The pieces on the critical rank, which is the one with the most time outside MPI; means over
    ranks where ranks were summed up.

    Pieces: start-up (command minus run), outside MPI, waiting by delaying rank, transfer, what
    is not split by (operation, class, size group), polls that found nothing, MPI-IO; "unattributed"
    is the rest and makes the sum exact. Raises UserError where no elapsed time is known.
    """
    view = ProfileView(measures.profile, QualityTracker())
    run = _number(measures, "run", "time")
    if run is None:
        raise UserError(
            f"{measures.profile.source or 'The result'} does not say how long the run took, so it"
            " cannot be compared."
        )
    rank = _critical(measures, view)
    outside = _outside(measures, rank, run)
    command = _number(measures, "run", "job_time")
    pieces = [Piece("outside", (), outside)] if outside is not None else []
    kinds = _kinds(view, rank)
    pieces += _calls(view, rank, kinds)
    rest = run - sum(piece.seconds for piece in pieces)
    pieces.append(Piece("unattributed", (), rest))
    if command is not None:
        pieces.append(Piece("startup", (), command - run))
    return Elapsed(command, run, rank, bool(kinds.resolved), tuple(pieces))


def _number(measures: Measures, table: str, name: str) -> Optional[float]:
    value = measures.tables[table].row(0)[name]
    return None if value is None else float(value)


def _critical(measures: Measures, view: ProfileView) -> Optional[int]:
    """The rank with the most time outside MPI; None where that is not known of ranks, or its calls
    were summed up with those of others."""
    useful = np.asarray(measures.tables["rank"].columns["outside_time"].values, dtype=float)
    if not len(useful) or np.isnan(useful).all():
        return None
    rank = int(measures.tables["rank"].columns["id"].values[int(np.nanargmax(useful))])
    return (
        None if view.summed("calls") and not (view.column("calls", "rank") == rank).any() else rank
    )


def _outside(measures: Measures, rank: Optional[int], run: float) -> Optional[float]:
    if rank is not None:
        return float(
            np.nanmax(
                np.asarray(measures.tables["rank"].columns["outside_time"].values, dtype=float)
            )
        )
    inside = _number(measures, "run", "mpi_time")
    return None if inside is None else max(0.0, run - inside)


def _kinds(view: ProfileView, rank: Optional[int]) -> Kinds:
    empty: Dict[Key, float] = defaultdict(float)
    if not view.has("calls"):
        return Kinds(empty, {}, {}, {})
    time = _summed(view, "calls", rank, {"time": view.column("calls", "time")})["time"]
    if not view.has_sampled:
        return Kinds(time, {}, {}, {})
    found = view.sampled
    values = {
        "wait": found.wait,
        "error": DEVIATIONS * found.error,
        "resolved": found.time - found.unresolved,
    }
    sums = _summed(view, "waits", rank, values)
    return Kinds(time, sums["wait"], sums["error"], sums["resolved"])


def _summed(
    view: ProfileView, table: str, rank: Optional[int], values: Dict[str, np.ndarray]
) -> Dict[str, Dict[Key, float]]:
    """Sums over the rows of one rank, or means over all ranks."""
    ranks = view.column(table, "rank")
    keep = np.flatnonzero(ranks == rank) if rank is not None else np.arange(len(ranks))
    share = 1.0 if rank is not None else 1.0 / view.count
    operations = view.column(table, "operation")
    classes = (
        view.column(table, "class")
        if view.has(table, "class")
        else np.full(len(ranks), "", dtype=object)
    )
    bins = view.column(table, "bin") if view.has(table, "bin") else np.full(len(ranks), -2)
    sums: Dict[str, Dict[Key, float]] = {name: defaultdict(float) for name in values}
    for row in keep:
        if operations[row] in LIFECYCLE:
            continue
        key = (str(operations[row]), str(classes[row]), size_group(int(bins[row])))
        for name, column in values.items():
            sums[name][key] += share * float(column[row])
    return sums


def _calls(view: ProfileView, rank: Optional[int], kinds: Kinds) -> Iterator[Piece]:
    """Pieces of MPI time. A kind's wait is never more than its time: both come from different
    tables."""
    waits: Dict[str, Tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    reading = 0.0
    for key, time in kinds.time.items():
        if group_of(key[0]) == "io":
            reading += time
            continue
        if key[1] == NOTHING:
            yield Piece("polling", key, time)
            continue
        wait = min(kinds.wait.get(key, 0.0), time)
        error = min(kinds.error.get(key, 0.0), time)
        moving = min(max(kinds.resolved.get(key, 0.0) - wait, 0.0), time - wait)
        waits[key[1]] = (waits[key[1]][0] + wait, waits[key[1]][1] + error)
        if moving > 0:
            yield Piece("moving", key, moving, error)
        if time - wait - moving > 1e-9 * time:
            yield Piece("unsplit", key, time - wait - moving)
    yield from _delaying_ranks(view, rank, waits)
    if reading > 0:
        yield Piece("io", (), reading)


def _delaying_ranks(
    view: ProfileView, rank: Optional[int], waits: Dict[str, Tuple[float, float]]
) -> List[Piece]:
    """Waiting put down to the ranks that all waited for, class by class: who waited for whom in
    pairs is not recorded."""
    found: Dict[Key, Tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for kind, (wait, error) in waits.items():
        if wait > 0:
            for detail, share in _shares(view, rank, kind).items():
                found[detail] = (found[detail][0] + wait * share, found[detail][1] + error * share)
    return [Piece("waiting", detail, *values) for detail, values in found.items()]


def _shares(view: Any, rank: Optional[int], kind: str) -> Dict[Key, float]:
    """What each rank caused of all waiting in this class, as shares; a rank never waits for
    itself."""
    try:
        ranks, classes, delay_cost = (
            view.column("delays", name) for name in ("rank", "class", "delay_cost")
        )
    except Unknown:
        return {(): 1.0}
    others = (
        (classes == kind)
        & (delay_cost > 0)
        & (ranks >= 0)
        & (ranks != (-1 if rank is None else rank))
    )
    total = float(delay_cost[others].sum())
    if not total > 0:
        return {(): 1.0}
    return {
        (str(int(one)),): float(value) / total
        for one, value in zip(ranks[others], delay_cost[others])
    }
