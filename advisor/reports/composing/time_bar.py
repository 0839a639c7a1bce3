"""The time bar: the whole run, and MPI enlarged. Time that is not split is labelled as such."""

from __future__ import annotations

from typing import List, Optional, Tuple

import numpy as np

from advisor.base.numbers import counted, marked, percent, seconds, reported
from advisor.model.interval import Interval, interval
from advisor.model.message import behind, joined, message
from advisor.reports.composing.causes_in_mpi import by_operation
from advisor.reports.composing.no_core import no_core
from advisor.reports.composing.splitting import NO_BOUNDS, Bounds, Split, in_brackets, split
from advisor.reports.document import TimeBar, TimePart
from advisor.reports.lookup import Lookup

SEGMENTS = 6
"""At most so many parts of the enlarged bar: more cannot be labelled."""
_INVISIBLE = 1e-4
"""Of MPI: a rest from rounding, or of calls that only ask for a number, is no part of its own."""
NARROW = 0.02
"""Parts below this share of MPI are put together: they would be too narrow for their words."""


def time_bar(run: Lookup) -> Optional[TimeBar]:
    """Mean seconds over ranks: outside MPI, there without a core, waiting (sampled, or a lower
    bound), transfer, without a core, polls that found nothing, and what is not split."""
    elapsed, mpi = run.number("run.time"), run.number("run.mpi_time")
    if not elapsed or mpi is None:
        return None
    mpi = min(mpi, elapsed)
    parts = split(run, mpi)
    whole = (
        *_outside(elapsed - mpi, min(no_core(run).outside, elapsed - mpi), elapsed),
        *_in_mpi(parts, mpi, elapsed),
    )
    return TimeBar(elapsed, mpi, whole, _enlarged(run, parts, mpi, elapsed), _note(run, parts, mpi))


def _outside(outside: float, delayed: float, elapsed: float) -> Tuple[TimePart, ...]:
    whole = _part("outside", message("outside MPI"), outside - delayed, elapsed)
    return (
        (whole, _part("no_core", message("outside MPI without a core"), delayed, elapsed))
        if delayed > 0
        else (whole,)
    )


def _in_mpi(parts: Split, mpi: float, elapsed: float) -> Tuple[TimePart, ...]:
    found = []
    if parts.no_core > _INVISIBLE * mpi:
        found.append(
            _part("no_core", message("in MPI without a core"), parts.no_core, elapsed, parts)
        )
    if parts.waiting > 0:
        found.append(
            _part("waiting", _ALONE["waiting"], parts.waiting, elapsed, parts, parts.waiting_bounds)
        )
    if parts.moving > 0:
        found.append(
            _part("moving", _ALONE["moving"], parts.moving, elapsed, parts, parts.moving_bounds)
        )
    if parts.polling > _INVISIBLE * mpi:
        found.append(_part("polling", _ALONE["polling"], parts.polling, elapsed, parts))
    if not parts.sampled or parts.unsplit > _INVISIBLE * mpi:
        found.append(_part("unsplit", _ALONE["unsplit"], parts.unsplit, elapsed, parts))
    return tuple(found)


def _part(
    role: str,
    label: str,
    value: float,
    elapsed: float,
    parts: Optional[Split] = None,
    bounds: Bounds = NO_BOUNDS,
) -> TimePart:
    at_least = role == "waiting" and not (parts and parts.sampled)
    estimated = (
        parts is not None
        and parts.sampled
        and parts.estimated
        and role in ("waiting", "moving", "no_core")
    )
    found = Interval(value, None) if at_least else interval(value, *bounds) if estimated else None
    of_elapsed = found and Interval(*(None if end is None else end / elapsed for end in found))
    sign = "~" if estimated else ""
    texts = (
        reported(found, behind(sign, seconds(value)), seconds, True),
        reported(of_elapsed, marked(sign, value / elapsed), percent, True),
    )
    return TimePart(role, label, value, value / elapsed, at_least, estimated, *bounds, *texts)


def _sampled_note(mean: str, parts: Split, striped: bool) -> str:
    colours: List[str] = [
        message(
            "Orange: waiting for other ranks{interval}", interval=in_brackets(parts.waiting_bounds)
        ),
        message("blue: transfer{interval}", interval=in_brackets(parts.moving_bounds)),
    ]
    if striped and parts.estimated:
        colours.append(
            message(
                "striped: not split, for these calls were not sampled, or their waits are below the"
                " error of the clocks"
            )
        )
    elif striped:
        colours.append(message("striped: not split, for whom these calls waited for is not known"))
    if parts.polling > 0:
        colours.append(
            message(
                "polling in vain: calls that asked and were told no, which neither wait nor move"
                " data"
            )
        )
    rest = (
        message("Estimates from sampled calls, with 95 % intervals of the mean seconds.")
        if parts.estimated
        else message("Measured, call by call.")
    )
    keys = message("{colours}.", colours=joined("; ", colours))
    return joined(" ", (mean, keys, rest))


def _note(run: Lookup, parts: Split, mpi: float) -> str:
    mean = message("Means over {ranks}.", ranks=counted(run.number("run.ranks"), "rank"))
    if parts.sampled:
        return _sampled_note(mean, parts, parts.unsplit > _INVISIBLE * mpi)
    if parts.waiting <= 0:
        keys = message(
            "Striped: transfer or waiting; from durations alone the two cannot be told apart."
        )
    else:
        keys = message(
            "Orange: waiting, a lower bound. Striped: transfer or more waiting; durations alone"
            " cannot tell them apart."
        )
    return joined(" ", (mean, keys))


def _enlarged(run: Lookup, split_: Split, mpi: float, elapsed: float) -> Tuple[TimePart, ...]:
    """Waiting and the rest, each by operation; together MPI."""
    totals = {
        "no_core": split_.no_core,
        "waiting": split_.waiting,
        "moving": split_.moving,
        "polling": split_.polling,
        "unsplit": split_.unsplit,
    }
    wide = NARROW * mpi
    room = SEGMENTS - max(
        2 if split_.waiting > 0 else 1, sum(total > 0 for total in totals.values())
    )
    pieces = sorted(_by_operation(run, split_, mpi), key=lambda piece: -piece[2])[:room]
    named = [piece for piece in pieces if piece[2] >= wide]
    parts: List[TimePart] = []
    for role, total in totals.items():
        mine = [piece for piece in named if piece[0] == role]
        rest = total - sum(piece[2] for piece in mine)
        parts += _of_role(run, role, mine, rest, wide, elapsed, split_)
    return tuple(parts)


def _of_role(
    run: Lookup,
    role: str,
    mine: List[tuple],
    rest: float,
    wide: float,
    elapsed: float,
    split_: Split,
) -> List[TimePart]:
    """The named pieces of one role, then what is left of it. Too narrow a rest takes the last piece
    with it."""
    label, mostly = _rest_label(role), False
    if mine and 0.001 * wide < rest < wide:
        rest += mine[-1][2]
        mostly = len(mine) == 1
        label = _MOSTLY[role].of(call=mine[0][3]) if mostly else label
        mine = mine[:-1]
    parts = [
        _part(role, name, value, elapsed, split_, _ends(run, role, value, operation))
        for _, name, value, operation in mine
    ]
    if rest > 0.001 * wide:
        all_of_it = {"waiting": split_.waiting_bounds, "moving": split_.moving_bounds}.get(
            role, NO_BOUNDS
        )
        parts.append(
            _part(
                role,
                label if mine or mostly else _ALONE[role],
                rest,
                elapsed,
                split_,
                NO_BOUNDS if mine else all_of_it,
            )
        )
    return parts


def _ends(run: Lookup, role: str, value: float, operation: str) -> Bounds:
    """Between which seconds one operation waited, or moved data: what is not the one is the
    other."""
    wait, names = run.column("operation.wait"), run.texts("operation.name")
    if wait is None or wait.low is None or wait.high is None or role not in ("waiting", "moving"):
        return NO_BOUNDS
    at = names.index(operation)
    waited, low, high = (float(each[at]) for each in (wait.values, wait.low, wait.high))
    return (
        (low, high)
        if role == "waiting"
        else (max(value + waited - high, 0.0), value + waited - low)
    )


_ALONE = {
    "waiting": message("waiting"),
    "moving": message("transfer"),
    "no_core": message("without a core"),
    "polling": message("polling in vain"),
    "unsplit": message("transfer or waiting"),
}
_MOSTLY = {
    "waiting": message("waiting, mostly in {call}"),
    "moving": message("transfer, mostly in {call}"),
    "no_core": message("without a core, mostly in {call}"),
    "polling": message("polling in vain, mostly in {call}"),
    "unsplit": message("transfer or waiting, mostly in {call}"),
}

_IN_CALL = {
    "waiting": message("waiting in {call}"),
    "moving": message("transfer in {call}"),
    "polling": message("polling in vain by {call}"),
    "unsplit": message("{call}: moving or waiting"),
}


def _rest_label(role: str) -> str:
    return {
        "waiting": message("waiting in all other calls"),
        "moving": message("transfer in all other calls"),
    }.get(role, message("all other calls: moving or waiting"))


def _by_operation(run: Lookup, parts: Split, mpi: float) -> List[tuple]:
    """(role, label, seconds, operation) of each operation; none if the table does not add up to the
    run's sums."""
    known = by_operation(run)
    if known:
        return [
            (role, _IN_CALL[role].of(call=name), value, name)
            for role, name, value in known
            if value > 0
        ]
    return _by_sums(run, parts, mpi)


def _by_sums(run: Lookup, parts: Split, mpi: float) -> List[tuple]:
    """The same where causes are not known."""
    names, times = run.texts("operation.name"), run.numbers("operation.time")
    if not names or times is None:
        return []
    times, waits = np.nan_to_num(times), run.numbers("operation.wait")
    known = np.zeros(len(times), bool) if waits is None else ~np.isnan(waits)
    waits = np.zeros_like(times) if waits is None else np.minimum(np.nan_to_num(waits), times)
    in_vain = run.numbers("operation.polling_time")
    polling = np.zeros_like(times) if in_vain is None else np.nan_to_num(in_vain)
    if waits.sum() > parts.waiting * 1.001 + 1e-9 or times.sum() > mpi * 1.01 + 1e-9:
        return []
    moving = np.where(known & parts.sampled, np.maximum(times - waits - polling, 0.0), 0.0)
    # In which calls ranks had no core is not kept: each has its part of it.
    moving *= parts.moving / (parts.moving + parts.no_core) if parts.no_core > 0 else 1.0
    pieces = [
        ("waiting", _IN_CALL["waiting"].of(call=name), value, name)
        for name, value in zip(names, waits)
        if value > 0
    ]
    pieces += [
        ("polling", _IN_CALL["polling"].of(call=name), value, name)
        for name, value in zip(names, polling)
        if value > 0
    ]
    if moving.sum() <= parts.moving * 1.001 + 1e-9:
        pieces += [
            ("moving", _IN_CALL["moving"].of(call=name), value, name)
            for name, value in zip(names, moving)
            if value > 0
        ]
    rest = times - waits - moving - polling
    if parts.no_core > 0:
        return pieces
    if rest.sum() > parts.unsplit * 1.001 + 1e-9:
        return pieces
    return pieces + [
        ("unsplit", _IN_CALL["unsplit"].of(call=name), value, name)
        for name, value in zip(names, rest)
        if value > 0
    ]
