"""Every second has an owner: elapsed time divided into causes, without gap or overlap. METRICS
15a."""

from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Tuple

import numpy as np

from advisor.analysis.derived.sampled_waits import DEVIATIONS, inherited_within
from advisor.analysis.engine.metric import Unknown
from advisor.analysis.engine.operation_groups import LOCAL as LOCAL_CALLS, NOTHING, group_of
from advisor.analysis.engine.size_bins import size_group
from advisor.model.causes import (
    BETWEEN_POLLS,
    COMPUTING,
    HANDED_ON,
    IDLE,
    IMBALANCE,
    IN_TURNS,
    LIMITS,
    LOCAL,
    NO_CORE,
    NO_CORE_IN_MPI,
    POLLING,
    PROGRESS,
    UNSPLIT,
    WAITING,
    Cause,
    Causes,
)

AT_THE_END, COLLECTIVE = "wait at the end", "wait at collective"
AT_A_TARGET = "wait for progress"
OUTSIDE_CORE, ASLEEP = "no core outside MPI", "asleep outside MPI"
TRANSFER = "transfer"
_UNDIVIDED = {"io": "I/O", "management": "library"}
KINDS = (
    COMPUTING,
    BETWEEN_POLLS,
    LIMITS,
    WAITING,
    UNSPLIT,
    TRANSFER,
    POLLING,
    *_UNDIVIDED.values(),
    *(OUTSIDE_CORE, NO_CORE_IN_MPI, ASLEEP),
)
MOST_CELLS = 1 << 21
"""Kinds of calls times ranks; above it means over ranks are kept, so that a million ranks need no
gigabytes."""
TICK = 1e-12
_LOCKS = re.compile(r"Win_(un)?lock.*|Win_flush.*")
_RECEIVES = re.compile(r"I?m?recv|I?sendrecv.*", re.IGNORECASE)


class Calls(NamedTuple):
    """Kinds of calls by operation, path and size group; seconds as float64 [kinds, R], with a
    column a rank, or one of means over ranks."""

    keys: Tuple[Tuple[str, str, str], ...]
    time: np.ndarray
    covered: np.ndarray
    wait: np.ndarray
    error: np.ndarray
    handed: np.ndarray
    progress: np.ndarray
    """Waiting beyond `wait`, for targets that do not call MPI."""


def causes(view: Any) -> Causes:
    """The parts of `run.time` on each rank. Unknown where windows or MPI time are."""
    calls = _calls(view)
    columns = calls.time.shape[1]
    window, elapsed = _columns(view, np.nan_to_num(view.window), columns), view.elapsed
    parts: Dict[Cause, np.ndarray] = {}
    ends: Dict[Cause, np.ndarray] = {}
    inside = calls.time.sum(axis=0)
    # Threads in MPI at the same time are added up: all parts inside MPI shrink to what the window
    # has room for.
    fits = np.minimum(_quotient(window, inside, 1.0), 1.0)
    calls = Calls(calls.keys, *(values * fits for values in calls[1:]))
    _outside(view, parts, window - inside * fits)
    _around(view, parts, np.maximum(elapsed - window, 0))
    _inside(view, calls, parts, ends)
    kept = [part for part, values in parts.items() if values.any()] or [Cause(COMPUTING)]
    seconds = np.array([parts.get(part, np.zeros(columns)) for part in kept])
    most = np.array(
        [np.maximum(ends.get(part, seconds[row]), seconds[row]) for row, part in enumerate(kept)]
    )
    return Causes(tuple(kept), seconds, most, view.count, elapsed)


def _quotient(part: np.ndarray, whole: np.ndarray, nothing: float = 0.0) -> np.ndarray:
    """part / whole; `nothing` where the whole is, or is less than any clock tells."""
    return np.divide(part, whole, out=np.full(np.shape(whole), nothing), where=whole > TICK)


def _columns(view: Any, values: np.ndarray, columns: int) -> np.ndarray:
    """A value for each rank, or their mean."""
    return values if columns == len(values) else np.array([float(values.mean())])


def _calls(view: Any) -> Calls:
    if not view.has("calls"):
        whole = np.array([[view.mpi_total / view.count]])
        reported = min(view.profile.totals.wait_time or 0.0, float(whole[0, 0]))
        return Calls(
            (("", "", ""),),
            whole,
            np.array([[reported]]),
            np.array([[reported]]),
            *(np.zeros((1, 1)) for _ in range(3)),
        )
    view.all_listed()
    keys, of = _keys(view, "calls", {})
    summed = (
        view.summed("calls")
        or (view.has("waits") and view.summed("waits"))
        or len(keys) * view.count > MOST_CELLS
    )
    place = np.zeros(len(of), np.int64) if summed else view.position("calls")
    size = (len(keys), 1 if summed else view.count)
    time = _sums(
        np.where(view.counted, of, -1), place, view.column("calls", "time"), size, view.count
    )
    split = _split(view, keys, size) if view.has_sampled else _bounded(view, keys, time)
    wait = np.minimum(split[1], time)
    handed = np.minimum(split[3], wait)
    proven, progress = (
        np.minimum(_by_kind(view, keys, time, waits), time - wait)
        for waits in (view.message_waits, view.progress_waits)
    )
    wait = wait + proven
    covered = np.clip(split[0], wait, time)
    return Calls(tuple(keys), time, covered, wait, split[2], handed, progress)


def _by_kind(
    view: Any, keys: Dict[Tuple[str, str, str], int], time: np.ndarray, waits_of: np.ndarray
) -> np.ndarray:
    """What durations prove of each kind of calls, by its part of the operation's time."""
    found = np.zeros_like(time)
    for name, waits in zip(view.by_operation.names, waits_of):
        if not waits.any():
            continue
        kinds = [kind for (operation, _, _), kind in keys.items() if operation == name]
        own = waits if time.shape[1] == len(waits) else np.array([waits.mean()])
        found[kinds] = time[kinds] * _quotient(own, time[kinds].sum(axis=0))
    return found


def _keys(
    view: Any, table: str, known: Dict[Tuple[str, str, str], int]
) -> Tuple[Dict[Tuple[str, str, str], int], np.ndarray]:
    """Kinds of calls, numbered, and the number of each row's; rows of kinds that are not `known`,
    where some are: -1."""
    operations, count = view.column(table, "operation"), len(view.column(table, "operation"))
    paths = view.column(table, "class") if view.has(table, "class") else [""] * count
    bins = view.column(table, "bin").tolist() if view.has(table, "bin") else [-2] * count
    found, numbers = dict(known), np.empty(count, np.int64)
    groups = {bin: size_group(bin) for bin in set(bins)}
    for row, key in enumerate(zip(operations, paths, map(groups.__getitem__, bins))):
        numbers[row] = found.get(key, -1) if known else found.setdefault(key, len(found))
    return found, numbers


def _sums(
    kind: np.ndarray, place: np.ndarray, values: np.ndarray, size: Tuple[int, int], ranks: int
) -> np.ndarray:
    keep = kind >= 0
    sums = np.bincount(
        kind[keep] * size[1] + place[keep],
        weights=values[keep].astype(np.float64),
        minlength=size[0] * size[1],
    ).reshape(size)
    return sums.astype(np.float64) if size[1] == ranks else sums / ranks


def _split(
    view: Any, keys: Dict[Tuple[str, str, str], int], size: Tuple[int, int]
) -> Tuple[np.ndarray, ...]:
    """Of the kinds that were sampled: their time, waiting, its error, and waiting that is handed
    on."""
    view.grade_waits()
    _, of = _keys(view, "waits", keys)
    found = view.sampled
    place = np.zeros(len(of), np.int64) if size[1] == 1 != view.count else view.position("waits")
    return tuple(
        _sums(of, place, values, size, view.count)
        for values in (
            found.time - found.unresolved,
            found.wait,
            found.error,
            inherited_within(view),
        )
    )


def _bounded(
    view: Any, keys: Dict[Tuple[str, str, str], int], time: np.ndarray
) -> Tuple[np.ndarray, ...]:
    """Without samples: waiting that durations prove, spread over the kinds of an operation by their
    time; nothing says what the rest is."""
    none = np.zeros_like(time)
    try:
        known, bounds = view.by_operation.waits
    except Unknown:
        return none, none, none, none
    least = {name: row for name, row, yes in zip(view.by_operation.names, bounds, known) if yes}
    wait = none.copy()
    for (operation, _, _), kind in keys.items():
        if operation in least:
            of_all = sum(time[other] for (name, _, _), other in keys.items() if name == operation)
            bound = (
                least[operation]
                if time.shape[1] == view.count
                else np.array([least[operation].mean()])
            )
            wait[kind] = bound * _quotient(time[kind], of_all)
    return wait, wait, none, none


def _outside(view: Any, parts: Dict[Cause, np.ndarray], outside: np.ndarray) -> None:
    """Time outside MPI: without a core, asleep, between polls, computing."""
    left = outside
    polled = np.zeros(view.count)
    if view.has("ranks", "between_polls"):
        polled = np.nan_to_num(view.between_polls)
    try:
        found = view.no_core
        reported = {
            OUTSIDE_CORE: np.where(found.reported, found.outside, 0.0),
            ASLEEP: np.where(found.reported, found.asleep_outside, 0.0),
        }
    except Unknown:
        reported = {}
    # Where in its time outside MPI a rank slept is not known: it may all be pauses between polls.
    lost = sum((np.nan_to_num(values) for values in reported.values()), np.zeros(view.count))
    reported[BETWEEN_POLLS] = np.maximum(polled - lost, 0)
    for kind, values in reported.items():
        part = np.minimum(_columns(view, np.nan_to_num(values), len(outside)), left)
        parts[Cause(kind)], left = part, left - part
    parts[Cause(COMPUTING)] = left


def _around(view: Any, parts: Dict[Cause, np.ndarray], idle: np.ndarray) -> None:
    """Time of the run before a rank left MPI_Init, and after it came to MPI_Finalize: there it
    waits for the last to come."""
    try:
        early = np.nan_to_num(np.nanmax(view.end) - view.end)
    except Unknown:
        early = np.zeros(view.count)
    waits = np.minimum(_columns(view, early, len(idle)), idle)
    parts[Cause(WAITING, AT_THE_END, "", "Finalize")], parts[Cause(LIMITS)] = waits, idle - waits


def _inside(
    view: Any, calls: Calls, parts: Dict[Cause, np.ndarray], ends: Dict[Cause, np.ndarray]
) -> None:
    """Time inside MPI, kind by kind: waiting by state and origin; what is left, with a core or
    without."""
    lost = _lost(view, calls)
    origins = _Origins(view, calls)
    for kind, key in enumerate(calls.keys):
        operation, path, _ = key
        own, wait = calls.time[kind], calls.wait[kind]
        for origin, part in origins.of(kind):
            _add(parts, Cause(WAITING, state_of(operation), origin, operation), part)
            most = part * (1 + DEVIATIONS * _quotient(calls.error[kind], wait))
            _add(
                ends, Cause(WAITING, state_of(operation), origin, operation), np.minimum(most, own)
            )
        unsplit, moving = own - calls.covered[kind], calls.covered[kind] - wait
        progress = calls.progress[kind]
        if progress.any():
            _add(parts, Cause(WAITING, AT_A_TARGET, PROGRESS, operation), progress)
            beyond = np.maximum(progress - unsplit, 0)
            unsplit, moving = np.maximum(unsplit - progress, 0), np.maximum(moving - beyond, 0)
        _add(parts, Cause(NO_CORE_IN_MPI), lost * (unsplit + moving))
        whole = _whole(operation, path)
        if whole:
            state = LOCAL if LOCAL_CALLS.fullmatch(operation) else ""
            _add(parts, Cause(whole, state, operation=operation), (1 - lost) * (unsplit + moving))
            continue
        _add(parts, Cause(TRANSFER, "", "", *key), (1 - lost) * moving)
        _add(parts, Cause(UNSPLIT, "", "", *key), (1 - lost) * unsplit)


def _add(parts: Dict[Cause, np.ndarray], part: Cause, values: np.ndarray) -> None:
    parts[part] = parts[part] + values if part in parts else values


def _whole(operation: str, path: str) -> str:
    """The kind of calls that are not divided into transfer and what is not split; empty: they
    are."""
    if path == NOTHING:
        return POLLING
    return _UNDIVIDED.get(group_of(operation) if operation else "", "")


def _lost(view: Any, calls: Calls) -> np.ndarray:
    """Share of MPI time beyond waiting in which each rank had no core, float64 [R]."""
    waits = calls.wait.sum(axis=0) + calls.progress.sum(axis=0)
    beyond = np.maximum(calls.time.sum(axis=0) - waits, 0)
    try:
        lost = np.where(view.no_core.reported, view.lost_inside.value, 0.0)
    except Unknown:
        return np.zeros_like(beyond)
    values = _columns(view, np.nan_to_num(lost), len(beyond))
    return np.minimum(_quotient(values, beyond), 1.0)


class _Origins:
    """What delayed those who were waited for: calls that hand a delay on, a lack of cores, more
    computing over the whole run or more sleep outside MPI, or now one rank, now another."""

    def __init__(self, view: Any, calls: Calls) -> None:
        self._calls = calls
        self._reported = view.has_sampled and (
            view.has("waits", "propagated") or view.has("waits", "after")
        )
        explained = np.maximum(calls.wait - calls.handed, 0).sum(axis=0)
        delayed = _by_delays(view)
        self._delayed = (
            min(1.0, delayed / float(explained.mean())) if float(explained.mean()) > TICK else 0.0
        )
        lasting = _lasting(view, len(explained))
        left = explained * (1 - self._delayed)
        self._even = np.minimum(_quotient(lasting, left), 1.0)
        self._turns = np.minimum(
            _quotient(_of_others(view, len(explained)), left * (1 - self._even), 1.0), 1.0
        )
        self._idle = _slept(view, lasting)

    def of(self, kind: int) -> List[Tuple[str, np.ndarray]]:
        """Parts of the waiting in a kind of calls; they add up to it."""
        wait, handed = self._calls.wait[kind], self._calls.handed[kind]
        rest = np.maximum(wait - handed, 0)
        uneven = rest * (1 - self._delayed)
        alternating = uneven * (1 - self._even)
        turns = alternating * self._turns * self._reported
        found = (
            (HANDED_ON, handed),
            (NO_CORE, rest * self._delayed),
            (IMBALANCE, uneven * self._even * (1 - self._idle)),
            (IDLE, uneven * self._even * self._idle),
            (IN_TURNS, turns),
            ("", alternating - turns),
        )
        return [(origin, part) for origin, part in found if part.any()]


def _by_delays(view: Any) -> float:
    try:
        return view.waits_for_delayed[0]
    except Unknown:
        return 0.0


def _lasting(view: Any, columns: int) -> np.ndarray:
    """What the rank with the most computing has more than each: so long it has to wait somewhere,
    whatever the order of calls."""
    useful = view.useful
    if not np.isfinite(useful).all():
        return np.full(columns, np.inf)
    return _columns(view, np.nanmax(useful) - useful, columns)


def _of_others(view: Any, columns: int) -> np.ndarray:
    """What all other ranks compute together: no rank waits longer for their computing than that, in
    whatever turns they come."""
    useful = view.useful
    if not np.isfinite(useful).all():
        return np.full(columns, np.inf)
    return _columns(view, useful.sum() - useful, columns)


def _slept(view: Any, lasting: np.ndarray) -> np.ndarray:
    """Which part of `lasting` the rank with the most computing did not compute: it slept outside
    MPI, so much longer than each other."""
    try:
        idle = np.nan_to_num(view.idle)
    except Unknown:
        return np.zeros_like(lasting)
    longer = np.maximum(idle[int(np.nanargmax(view.useful))] - idle, 0)
    return np.minimum(_quotient(_columns(view, longer, len(lasting)), lasting), 1.0)


def state_of(operation: str) -> str:
    """The wait state of waiting in an operation, as METRICS 3.3 has them; empty where the operation
    is not known."""
    group = group_of(operation)
    if not operation:
        return ""
    if group == "p2p":
        return "late sender" if _RECEIVES.fullmatch(operation) else "late receiver"
    if group == "rma_sync":
        return "lock" if _LOCKS.fullmatch(operation) else "wait at window"
    return {
        "completion": "wait in completion",
        "probe": "late sender",
        "io": "wait at I/O",
        "rma": AT_A_TARGET,
    }.get(group, COLLECTIVE)
