"""When: the run in slices of time, and in the regions that the program marks."""

from __future__ import annotations

import numpy as np

from advisor.analysis.engine.arrays import ratio
from advisor.analysis.engine.metric import Unknown, Value, metric, rows
from advisor.model.measures import Quality
from advisor.model.message import message

STEADY = 0.1
"""A slice is like the second half of the run if its MPI share is at most this far from theirs.
Ours: a tenth of the time is what medium and high severity are about."""
MOSTLY, NEARLY_ALWAYS, LATEST = 0.5, 0.9, 0.75
"""Of the waiting; of the slices; of the run: what happens only in its last quarter is no state that
it is in."""
LEAST_PARTS, MOST_PARTS = 16, 32
"""Of the run, in which ranks are compared. Finer ones hold few steps, and differ by chance."""
ALIKE = 0.5
"""Correlation of who computes longer, from one part of the run to the next. Of ranks that are late
by chance it is about -1 / parts."""


@rows("phase")
def phase_rows(view) -> int:
    """Slices of time of the job, from the end of MPI_Init."""
    return view.slices.count


@metric("phase.begin", unit="s")
def begin(view):
    """Where the slice begins: seconds since the end of MPI_Init, on each rank its own."""
    return np.arange(view.slices.count) * view.slices.width


@metric("phase.end", unit="s")
def end(view, phase):
    """Where it ends; the last one ends with the run."""
    return np.minimum(
        phase.begin + view.slices.width, max(float(np.nanmax(view.window)), float(phase.begin[-1]))
    )


@metric("phase.mpi_share", unit="share")
def mpi_share(view):
    """Time inside MPI of all ranks in the slice, as share of their time in it. A call that goes on
    over several slices is in each with its part."""
    return ratio(view.slices.mpi.sum(0), view.slices.time.sum(0))


@metric("phase.wait_share", unit="share")
def wait_share(view):
    """Waiting of all ranks in the slice, as share of their time in it: METRICS 3.3. At most so much
    more as was not split into waiting and moving."""
    grid, time = view.slices, view.slices.time.sum(0)
    value = ratio(grid.wait.sum(0), time)
    return Value(
        value,
        low=value,
        high=value + ratio(grid.unsplit.sum(0), time),
        note="the error of sampling is not known for a single slice",
    )


@metric("phase.bytes", unit="B")
def phase_bytes(view):
    """Payload that all ranks handed to MPI calls that ended in the slice."""
    return view.slices.sum("bytes").sum(0)


@rows("slice")
def slice_rows(view) -> int:
    """Groups of ranks times slices; groups follow each other."""
    return view.slices.time.size


@metric("slice.rank", unit="count")
def slice_rank(view):
    """First rank of the group; a group is one rank up to 64 ranks."""
    return np.repeat(view.slices.first.astype(np.float64), view.slices.count)


@metric("slice.begin", unit="s")
def slice_begin(view, phase):
    """As phase.begin."""
    return np.tile(phase.begin, len(view.slices.first))


@metric("slice.mpi_share", unit="share")
def slice_mpi_share(view):
    """As phase.mpi_share, of this group; unknown where none of its ranks ran any more."""
    return ratio(view.slices.mpi, view.slices.time).ravel()


@metric("slice.wait_share", unit="share")
def slice_wait_share(view):
    """As phase.wait_share, of this group."""
    return Value(
        ratio(view.slices.wait, view.slices.time).ravel(),
        note="the error of sampling is not known for a single slice",
    )


@metric("slice.delay_cost", unit="s")
def slice_delay_cost(view):
    """Time that all other ranks together waited in this slice for ranks of this group, being the
    last to come."""
    view.grade_waits()
    return view.slices.sum("delay_cost").ravel()


@metric("run.warm_up_time", unit="s")
def warm_up_time(phase):
    """Time until the run is as its second half: until a slice begins whose MPI share is within 10
    points of the median of the second half; at most half of the run. Unknown with fewer than 16
    slices."""
    share = np.nan_to_num(phase.mpi_share)
    if len(share) < 16:
        raise Unknown(message("the run is too short to tell its beginning from the rest"))
    usual = float(np.median(share[len(share) // 2 :]))
    like = np.abs(share[: len(share) // 2] - usual) <= STEADY
    return float(phase.begin[int(np.argmax(like)) if like.any() else len(share) // 2])


@metric("run.warm_up_share", unit="share")
def warm_up_share(run):
    """run.warm_up_time as share of run.time."""
    return run.warm_up_time / run.time


def _half_share(view, half: slice) -> float:
    time = view.slices.time[:, half].sum()
    if view.slices.count < 4 or not time > 0:
        raise Unknown(message("the run is too short to be halved"))
    return float(view.slices.mpi[:, half].sum() / time)


@metric("run.mpi_share_first_half", unit="share")
def first_half(view):
    """Share of MPI in the first half of the slices."""
    return _half_share(view, slice(0, view.slices.count // 2))


@metric("run.mpi_share_second_half", unit="share")
def second_half(view):
    """Share of MPI in the second half of the slices."""
    return _half_share(view, slice(view.slices.count // 2, None))


@metric("run.delaying_rank_since", unit="s")
def delaying_rank_since(view, run):
    """Since when the rank that others waited for longest (its group, above 64 ranks) was behind:
    the begin of the first slice from which on it caused more than half of all waiting in nine of
    ten slices in which anybody waited. Unknown if it never was, or only in the last quarter of
    the run."""
    delay_cost = view.slices.sum("delay_cost")
    total, own = (
        delay_cost.sum(0),
        delay_cost[int(np.searchsorted(view.slices.first, run.delaying_rank, side="right")) - 1],
    )
    waited = total > 0
    behind = waited & (own > MOSTLY * total)
    for number in np.flatnonzero(behind[: int(LATEST * len(behind))]):
        if behind[number:].sum() >= NEARLY_ALWAYS * waited[number:].sum():
            return float(number * view.slices.width)
    raise Unknown(message("no rank was behind from some moment on"))


@metric("run.drifting_imbalance_share", unit="share", quality=Quality.ESTIMATED)
def drifting_imbalance_share(view, run):
    """What balance in each of 32 parts of the run would save beyond balance over the whole run, as
    share of run.time: the longest time outside MPI less the mean, summed over the parts, less that
    of the sums. A lower bound: 0 where those who compute longer are not alike from one part to the
    next (their correlation is below 0.5: they are late by turns), and where the run has fewer than
    16 slices."""
    outside, ranks = _outside(view)
    mean = np.average(outside, axis=0, weights=ranks)
    in_parts = float((outside.max(0) - mean).sum())
    in_all = float(outside.sum(1).max() - mean.sum())
    value = max(in_parts - in_all, 0.0) / run.time if _is_slow(outside - mean) else 0.0
    return Value(value, low=value, note="lower bound")


@metric("run.part_spread_share", unit="share", quality=Quality.ESTIMATED)
def part_spread_share(view, run):
    """Longest less shortest time outside MPI in each of 32 parts of the run, summed, as share of
    run.time. A lower bound: 0 where the run has fewer than 16 slices."""
    outside, _ = _outside(view)
    value = float((outside.max(0) - outside.min(0)).sum()) / run.time
    return Value(value, low=value, note="lower bound")


def _outside(view) -> "tuple[np.ndarray, np.ndarray]":
    """Mean seconds outside MPI, with a core, of the ranks of each group in each part of the run,
    and how many ranks each group has. One part of nothing where the run is too short."""
    try:
        grid = view.slices
    except Unknown:
        return np.zeros((1, 1)), np.ones(1)
    parts = min(grid.count, MOST_PARTS)
    if parts < LEAST_PARTS:
        return np.zeros((1, 1)), np.ones(1)
    ranks = np.bincount(np.searchsorted(grid.first, view.ranks("rank"), side="right") - 1)
    ends = np.linspace(0, grid.count, parts + 1).astype(int)[:-1]
    lacking = grid.sum("no_core_outside") if view.has("phases", "no_core_outside") else 0.0
    computing = np.maximum(grid.time - grid.mpi - lacking, 0)
    return np.add.reduceat(computing, ends, axis=1) / ranks[:, None], ranks


def _is_slow(excess: np.ndarray) -> bool:
    """Whether ranks that compute longer do so for several parts of the run. `excess`: by rank and
    part."""
    own = excess - excess.mean(1, keepdims=True)
    both = float((own[:, 1:] * own[:, :-1]).sum())
    return both >= ALIKE * float((own[:, 1:] ** 2).sum()) and both > 0


@rows("region")
def region_rows(view) -> int:
    """Levels that the program gave to MPI_Pcontrol, all ranks together; none if it gave none."""
    return len(np.unique(view.column("regions", "level"))) if view.has("regions") else 0


def _by_level(view, name: str) -> np.ndarray:
    _, level = np.unique(view.column("regions", "level"), return_inverse=True)
    return np.bincount(level, weights=view.column("regions", name).astype(np.float64))


@metric("region.level", unit="count", quality=Quality.MEASURED)
def region_level(view):
    """The level. From the call of MPI_Pcontrol that names it until the next one, on the thread that
    called."""
    return np.unique(view.column("regions", "level")).astype(np.float64)


@metric("region.time", unit="s")
def region_time(view):
    """Time in it, averaged over ranks."""
    return _by_level(view, "time") / view.count


@metric("region.mpi_share", unit="share")
def region_mpi_share(view):
    """Time inside MPI, as share of the time in it."""
    return ratio(
        sum(
            _by_level(view, kind)
            for kind in ("collective", "messages", "completion", "onesided", "io", "management")
        ),
        _by_level(view, "time"),
    )


@metric("region.entries", unit="count")
def region_entries(view):
    """How often a rank entered it, on average."""
    return _by_level(view, "entries") / view.count
