"""Caliper's records, from .cali or JSON: time by region and MPI function of each rank."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Tuple

from advisor.intake.container.framing import LARGEST_HEADER
from advisor.intake.foreign.base.operation_names import (
    LIFECYCLE,
    MIXED,
    UNSIZED,
    carries,
    operation_of,
)
from advisor.intake.foreign.base.profile_builder import (
    COLLECT,
    Row,
    count,
    number,
    profile,
    rank,
    table,
)
from advisor.intake.foreign.caliper import stream
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Gap, Profile, Run, Totals

_MOST_RECORDS = 5_000_000
_TIMES = (
    ("time", 1.0),
    ("sum#sum#time.duration", 1.0),
    ("sum#time.duration.ns", 1e-9),
    ("time.duration.ns", 1e-9),
)
"""Attributes of exclusive time whose unit is sure. Others were microseconds in old versions and are
seconds now."""
_COUNTS = ("sum#count", "count", "region.count", "sum#region.count")
_END = "event.end#mpi.function"


class Timed(NamedTuple):
    """One record: rank, region, MPI operation or None, seconds, calls or None."""

    rank: int
    region: str
    operation: Optional[str]
    seconds: float
    calls: Optional[int]


def recognises(data: bytes) -> bool:
    """The native format, or JSON of records with Caliper's names."""
    begin = data[:8192]
    if begin.startswith((b"__rec=", b"# __rec=")):
        return True
    return begin.lstrip()[:1] in (b"[", b"{") and (
        b'"mpi.rank"' in begin
        or b"time.duration" in data[: 1 << 20]
        and b'"column_metadata"' in data
    )


def read(data: bytes) -> Profile:
    """Profile of all records with a rank. Raises Damage."""
    native = data[:1] not in (b"[", b"{") and not data.lstrip().startswith((b"[", b"{"))
    records = stream.records(data) if native else iter(_json(data))
    world: Dict[str, Any] = {}
    timed = [found for found in (_timed(record, world) for record in _bounded(records)) if found]
    if not timed:
        raise Damage(
            "none of its records holds a rank (mpi.rank) with a time in a known unit: write it with"
            " runtime-profile,profile.mpi"
        )
    return _made(timed, world)


def _bounded(records: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    for index, record in enumerate(records):
        if index >= _MOST_RECORDS:
            raise Damage(f"it has more than {_MOST_RECORDS} records")
        yield record


def _json(data: bytes) -> List[Mapping[str, Any]]:
    """A list of records, or the form with columns apart."""
    if len(data) > LARGEST_HEADER:
        raise Damage(f"it has {len(data)} bytes of JSON; the most that is read is {LARGEST_HEADER}")
    try:
        content = json.loads(
            data.decode("utf-8"),
            parse_int=lambda digits: int(digits[:20]),
            parse_constant=lambda name: None,
        )
    except (ValueError, RecursionError):
        raise Damage("its JSON breaks off or is wrong") from None
    if isinstance(content, dict):
        content = _joined(content, len(data))
    if not isinstance(content, list) or not all(isinstance(record, dict) for record in content):
        raise Damage("it is no list of records")
    return content


def _joined(content: Mapping[str, Any], size: int) -> List[Mapping[str, Any]]:
    names, nodes, rows = content.get("columns"), content.get("nodes", []), content.get("data")
    if not (isinstance(names, list) and isinstance(nodes, list) and isinstance(rows, list)):
        raise Damage("its columns, nodes or data are missing")
    if not all(isinstance(row, list) for row in rows):
        raise Damage("its columns, nodes or data are missing")
    labels = stream.paths([node if isinstance(node, dict) else {} for node in nodes], size)
    values = [
        isinstance(about, dict) and about.get("is_value") is True
        for about in content.get("column_metadata", [])
    ]
    return [
        {
            name: value if is_value else _label(labels, value)
            for name, value, is_value in zip(map(str, names), row, values)
        }
        for row in rows
    ]


def _label(labels: List[str], index: Any) -> str:
    return labels[index] if isinstance(index, int) and 0 <= index < len(labels) else ""


def _timed(record: Mapping[str, Any], world: Dict[str, Any]) -> Optional[Timed]:
    for name in ("mpi.world.size", "cali.caliper.version", "executable", "cmdline"):
        if record.get(name):
            world.setdefault(name, str(record[name]))
    time = next(
        ((record[name], factor) for name, factor in _TIMES if record.get(name) is not None), None
    )
    if time is None or record.get("mpi.rank") is None:
        return None
    function, region = _parts(str(record.get("path") or ""))
    if record.get("event"):
        # In a trace the time of a call stands at its end.
        function = str(record.get(_END, ""))
    operation = operation_of(function) if function.startswith("MPI_") else None
    calls = (
        1
        if record.get(_END)
        else next(
            (
                count(str(record[name]), "a count")
                for name in _COUNTS
                if record.get(name) is not None
            ),
            None,
        )
    )
    return Timed(
        rank(str(record["mpi.rank"]), "mpi.rank"),
        region,
        operation,
        number(str(time[0]), "a time", time[1]),
        calls,
    )


@lru_cache(maxsize=4096)
def _parts(path: str) -> Tuple[str, str]:
    """The innermost function of a path, and the regions around it. Many records have the same long
    path."""
    parts = [part for part in path.split("/") if part]
    return parts[-1] if parts else "", "/".join(
        part for part in parts if not part.startswith("MPI_")
    )[:200]


def _made(timed: List[Timed], world: Mapping[str, str]) -> Profile:
    mpi = [one for one in timed if one.operation and one.operation not in LIFECYCLE]
    counted = bool(mpi) and all(one.calls is not None for one in mpi)
    rows = [_row(one, counted) for one in mpi]
    windows: Dict[int, float] = {}
    for one in timed:
        windows[one.rank] = windows.get(one.rank, 0.0) + (
            0.0 if one.operation in LIFECYCLE else one.seconds
        )
    ranks: List[Row] = [
        {"rank": each, "window": seconds} for each, seconds in sorted(windows.items())
    ]
    calls = table("calls", [{**row, "class": "", "bytes": 0} for row in rows])
    size = world.get("mpi.world.size", "")
    run = Run(
        world.get("executable", "")[:200],
        ranks_expected=count(size, "mpi.world.size", 1 << 24) if size else len(ranks),
        collector=re.sub(
            r"[^\w. -]", "", f"Caliper {world.get('cali.caliper.version', '')}"
        ).strip()[:40],
    )
    return profile(
        "Caliper",
        run,
        {"ranks": table("ranks", ranks), "calls": calls, "sites": table("sites", _sites(rows))},
        (),
        _gaps(),
        Totals(),
    )


def _row(one: Timed, counted: bool) -> Row:
    operation = one.operation or ""
    row: Row = {
        "rank": one.rank,
        "operation": operation,
        "bin": MIXED if carries(operation) else UNSIZED,
        "time": one.seconds,
        "region": one.region,
    }
    return {**row, "count": one.calls} if counted else row


def _sites(rows: List[Row]) -> List[Row]:
    """Regions stand for call sites: Caliper does not record where in the source a call is made."""
    number_of: Dict[str, int] = {}
    return [
        {
            **row,
            "module": "",
            "offset": number_of.setdefault(row["region"], len(number_of)),
            "function": row["region"],
            "file": "",
            "line": 0,
        }
        for row in rows
    ]


def _gaps() -> List[Gap]:
    return [
        Gap("calls.bin", "this output of Caliper holds no message sizes", COLLECT),
        Gap("run.program", "Caliper does not record the program", COLLECT),
        Gap(
            "start of the run",
            "Caliper's times begin when its channel does, which may be after MPI_Init",
            COLLECT,
        ),
    ]
