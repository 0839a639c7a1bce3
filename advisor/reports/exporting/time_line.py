"""A time line of all ranks in the Trace Event format, which chrome://tracing, Perfetto and
speedscope open.

A profile knows when MPI began and ended on each rank, and how much of each slice of time was in
MPI, not when each call was made: what is drawn is that, and no more.
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from advisor.model.errors import UserError
from advisor.model.harmless import json_text
from advisor.model.profile import Columns, Profile

_SPANS = (
    ("start of the process", "process_begin", "init_begin"),
    ("MPI_Init", "init_begin", "init_end"),
    ("program", "init_end", "finalize_begin"),
    ("MPI_Finalize", "finalize_begin", "finalize_end"),
)
_BEGINS = ("process_begin", "init_begin", "init_end")
_KINDS = ("collective", "messages", "completion", "onesided", "io", "management")
_MICROSECONDS = 1e6
Event = Dict[str, Any]


def time_line(profile: Profile) -> str:
    """JSON with one process a host, one thread a rank. Raises UserError if the profile has no times
    of ranks."""
    ranks = profile.tables.get("ranks", {})
    spans = _spans(ranks)
    if not spans:
        raise UserError(
            "This result does not say when its ranks ran.",
            "Its tool adds times up over the ranks.",
            "Export its tables instead: --format json.",
        )
    events = [
        *(_named(profile, ranks, index) for index in range(len(ranks["rank"]))),
        *_hosts(profile, ranks),
    ]
    content = {
        "displayTimeUnit": "ms",
        "otherData": {"program": profile.run.program, "collector": profile.run.collector},
        "traceEvents": events
        + [_event(profile, ranks, *span) for span in spans]
        + _counters(profile, ranks),
    }
    return json_text(content) + "\n"


def _spans(ranks: Columns) -> List[Tuple[str, int, float, float]]:
    """(name, index of the rank, begin, end) in seconds since the first."""
    found = [
        (name, index, float(begin), float(end))
        for name, first, last in _SPANS
        if first in ranks and last in ranks
        for index, (begin, end) in enumerate(zip(ranks[first], ranks[last]))
        if 0 < begin <= end
    ]
    if not found and "window" in ranks:
        found = [
            ("program (when it began is not known)", index, 0.0, float(seconds))
            for index, seconds in enumerate(ranks["window"])
            if seconds >= 0
        ]
    start = min((begin for _, _, begin, _ in found), default=0.0)
    return [(name, index, begin - start, end - start) for name, index, begin, end in found]


def _event(
    profile: Profile, ranks: Columns, name: str, index: int, begin: float, end: float
) -> Event:
    event = {
        "name": name,
        "cat": "mpi" if name.startswith("MPI_") else "program",
        "ph": "X",
        "ts": begin * _MICROSECONDS,
        "dur": (end - begin) * _MICROSECONDS,
        **_place(ranks, index),
    }
    return (
        {**event, "args": _operations(profile, int(ranks["rank"][index]))}
        if name.startswith("program")
        else event
    )


def _counters(profile: Profile, ranks: Columns) -> List[Event]:
    """A counter a rank, or group of neighbours: its seconds in MPI in each second, by kind, slice
    by slice since its end of MPI_Init."""
    table = profile.tables.get("phases")
    if not table or "init_end" not in ranks:
        return []
    begun, places = _first_moments(ranks)
    events = []
    for row, rank in enumerate(np.asarray(table["rank"]).tolist()):
        width = float(table["width"][row])
        if rank not in begun or not width > 0:
            continue
        per_second = {
            kind: float(table[kind][row]) / width / max(int(table["ranks"][row]), 1)
            for kind in _KINDS
            if kind in table
        }
        moment = begun[rank] + float(table["slice"][row]) * width
        events.append(
            {
                "name": f"in MPI, from rank {rank} on"
                if table["ranks"][row] > 1
                else f"in MPI, rank {rank}",
                "ph": "C",
                "ts": moment * _MICROSECONDS,
                **_place(ranks, places[rank]),
                "args": per_second,
            }
        )
    return events


def _first_moments(ranks: Columns) -> Tuple[Dict[int, float], Dict[int, int]]:
    """When MPI_Init ended on each rank, since the first begin of a process, and its row."""
    start = min(
        (float(value) for name in _BEGINS if name in ranks for value in ranks[name] if value > 0),
        default=0.0,
    )
    numbers = np.asarray(ranks["rank"]).tolist()
    return (
        {rank: float(end) - start for rank, end in zip(numbers, ranks["init_end"]) if end > 0},
        {rank: row for row, rank in enumerate(numbers)},
    )


def _operations(profile: Profile, rank: int) -> Dict[str, float]:
    """Seconds of each MPI operation of a rank, the longest first: sums, since the profile keeps no
    single calls."""
    calls = profile.tables.get("calls")
    if not calls:
        return {}
    own = np.flatnonzero(calls["rank"] == rank)
    sums: Dict[str, float] = {}
    for name, seconds in zip(calls["operation"][own].tolist(), calls["time"][own].tolist()):
        sums[name] = sums.get(name, 0.0) + (seconds if seconds == seconds else 0.0)
    return {
        f"seconds in MPI_{name}": sums[name]
        for name in sorted(sums, key=lambda name: -sums[name])[:20]
    }


def _place(ranks: Columns, index: int) -> Dict[str, int]:
    return {
        "pid": int(ranks["node"][index]) if "node" in ranks else 0,
        "tid": int(ranks["rank"][index]),
    }


def _named(profile: Profile, ranks: Columns, index: int) -> Event:
    return {
        "name": "thread_name",
        "ph": "M",
        **_place(ranks, index),
        "args": {"name": f"rank {int(ranks['rank'][index])}"},
    }


def _hosts(profile: Profile, ranks: Columns) -> Sequence[Event]:
    used = sorted(set(ranks["node"].tolist())) if "node" in ranks else []
    return [
        {
            "name": "process_name",
            "ph": "M",
            "pid": node,
            "tid": 0,
            "args": {"name": profile.nodes[node].name},
        }
        for node in used
        if 0 <= node < len(profile.nodes)
    ]
