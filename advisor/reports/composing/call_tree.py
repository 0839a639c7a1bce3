"""The ways to MPI calls as a tree, with the waiting at their ends; call sites where ways were not
recorded."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from advisor.base.numbers import count, percent, seconds
from advisor.model.interval import Interval
from advisor.model.message import message
from advisor.reports.figures import Branch, CallTree
from advisor.reports.lookup import Lookup

LEAST = 0.005
"""Of the time in all calls: smaller branches are put together."""
MOST, DEEPEST = 80, 16
_STARTING = ("_start", "__libc_start", "main < __libc_start")
"""Frames below main, which say nothing of the program."""
_EXACT = 0.02
"""Of the upper end: closer bounds are one number."""
_Way = Tuple[Tuple[str, ...], str, float, float]


class _Known(NamedTuple):
    """An operation: mean seconds in it, and between which its waiting is."""

    time: float
    low: float
    high: float


@dataclass
class _Node:
    """`times`: seconds by operation; `calls` of all ranks."""

    times: Dict[str, float] = field(default_factory=dict)
    calls: float = 0.0
    below: Dict[str, _Node] = field(default_factory=dict)

    def add(self, names: Tuple[str, ...], operation: str, time: float, calls: float) -> None:
        """One way, from here on."""
        self.times[operation] = self.times.get(operation, 0.0) + time
        self.calls += calls
        if names:
            self.below.setdefault(names[0], _Node()).add(names[1:], operation, time, calls)

    @property
    def time(self) -> float:
        """Seconds in all of it."""
        return sum(self.times.values())


def call_tree(run: Lookup) -> Optional[CallTree]:
    """None if neither ways nor call sites are in the profile."""
    stacks = _stacks(run)
    ways = stacks or _sites(run)
    if not ways:
        return None
    root = _Node()
    for names, operation, time, calls in ways:
        root.add(names[:DEEPEST], operation, time, calls)
    known = _operations(run)
    branches = _branches(run, root, known, max(root.time, 1e-12))
    title = message("Where in the program time in MPI is spent, and waited")
    return CallTree(title, _caption(bool(stacks)), tuple(branches[:MOST]))


def _caption(stacks: bool) -> str:
    if stacks:
        return message(
            "From main down to the call: seconds in MPI, means over ranks, estimated from sampled"
            " calls; orange: waiting, at least. Waiting is known for each operation: where several"
            " call paths lead to one, it is a range."
        )
    return message(
        "Each call and the places that make it: seconds in MPI, means over ranks; orange: waiting,"
        " at least. Waiting is known for each operation: where several places call one, it is a"
        " range. How the program came to these places was not recorded: `advisor run --stacks -- …`"
        " records it."
    )


def _stacks(run: Lookup) -> List[_Way]:
    paths, operations = run.texts("stack.path"), run.texts("stack.operation")
    times, calls = run.numbers("stack.time"), run.numbers("stack.calls")
    if not paths or times is None or calls is None:
        return []
    return [
        ((*_frames(path), f"MPI_{operation}"), operation, time, number)
        for path, operation, time, number in zip(
            paths, operations, np.nan_to_num(times).tolist(), np.nan_to_num(calls).tolist()
        )
    ]


def _frames(path: str) -> List[str]:
    """The first caller first, without what starts a program."""
    frames = [frame for frame in path.split(" < ") if frame]
    return [frame for frame in reversed(frames) if not frame.startswith(_STARTING)]


def _sites(run: Lookup) -> List[_Way]:
    operations, places = run.texts("site.operation"), run.texts("site.place")
    functions = run.texts("site.function") or [""] * len(places)
    times, calls = run.numbers("site.time"), run.numbers("site.calls")
    if not operations or times is None or calls is None:
        return []
    return [
        ((f"MPI_{operation}", _place(function, place)), operation, time, number)
        for operation, function, place, time, number in zip(
            operations,
            functions,
            places,
            np.nan_to_num(times).tolist(),
            np.nan_to_num(calls).tolist(),
        )
    ]


def _place(function: str, place: str) -> str:
    return f"{function} ({place})" if function and not place.startswith(function) else place


def _operations(run: Lookup) -> Dict[str, _Known]:
    names, times = run.texts("operation.name"), run.numbers("operation.time")
    wait = run.column("operation.wait")
    if not names or times is None:
        return {}
    known = {}
    for row, (name, time) in enumerate(zip(names, np.nan_to_num(times).tolist())):
        low, high = 0.0, time
        if wait is not None and not np.isnan(float(wait.values[row])):
            value = float(wait.values[row])
            low, high = (
                value if ends is None or np.isnan(float(ends[row])) else float(ends[row])
                for ends in (wait.low, wait.high)
            )
        known[name] = _Known(time, min(low, time), min(max(high, low), time))
    return known


def _waiting(node: _Node, known: Dict[str, _Known]) -> Interval:
    """At least what the other ways to these operations have no room for, at most all of the time
    here."""
    low = high = 0.0
    for name, time in node.times.items():
        of_all = known.get(name, _Known(time, 0.0, time))
        low += max(0.0, of_all.low - max(of_all.time - time, 0.0))
        high += min(time, of_all.high)
    return Interval(min(low, high), high)


def _branches(
    run: Lookup, node: _Node, known: Dict[str, _Known], whole: float, depth: int = 0
) -> List[Branch]:
    """What is below a node, the longest first, each followed by what is below it."""
    found: List[Branch] = []
    ordered = sorted(node.below.items(), key=lambda pair: -pair[1].time)
    large = [pair for pair in ordered if pair[1].time >= LEAST * whole]
    for name, each in large:
        wait = _waiting(each, known)
        found.append(
            Branch(
                depth,
                name,
                each.time / whole,
                (wait.low or 0.0) / whole,
                seconds(each.time),
                _told(wait, each.time),
                count(each.calls),
            )
        )
        found += _branches(run, each, known, whole, depth + 1)
    rest = sum(each.time for _, each in ordered[len(large) :])
    if rest >= LEAST * whole:
        others = message("others, each below {share} of it", share=percent(LEAST))
        found.append(Branch(depth, others, rest / whole, 0.0, seconds(rest), "", ""))
    return found


def _told(wait: Interval, time: float) -> str:
    low, high = wait.low or 0.0, wait.high or 0.0
    if high - low <= _EXACT * max(high, 1e-12):
        return seconds(high) if high else ""
    if high >= time * (1 - _EXACT):
        return message("at least {time}", time=seconds(low)) if low else "?"
    return message("{low} to {high}", low=seconds(low), high=seconds(high))
