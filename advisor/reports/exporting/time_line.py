"""A time line of all ranks in the Trace Event format, which chrome://tracing, Perfetto and
speedscope open.

A profile knows when MPI began and ended on each rank, not when each call was made: what is drawn is
that, and no more.
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
        "traceEvents": events + [_event(profile, ranks, *span) for span in spans],
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
