"""Cube 4 archives of Score-P and Scalasca: profile.cubex, scout.cubex, trace.cubex."""

from __future__ import annotations

from typing import Dict, List, Optional, Tuple

import numpy as np

from advisor.intake.foreign.base.operation_names import (
    LIFECYCLE,
    MIXED,
    UNSIZED,
    carries,
    is_send,
    operation_of,
)
from advisor.intake.foreign.base.profile_builder import COLLECT, Row, hosts, profile, table
from advisor.intake.foreign.cube import archive as cube_archive, counters, tree, waits
from advisor.intake.foreign.cube.values import Archive, opened
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Gap, Profile, Run

_ONE_SIDED = ("bytes_put", "bytes_get")
ANALYSE = "trace the program and analyse the trace with scalasca -analyze -t, or " + COLLECT
_ONLINE = (
    "Score-P's online analysis counts waits (late_send) in ticks of its timer, which the file calls"
    " seconds, and how many ticks make a second is not in it; late_receive is how late a receiver"
    " was, which is nobody's wait in that call"
)


def recognises(data: bytes) -> bool:
    """A tar that holds an anchor.xml or numbers of Cube."""
    return cube_archive.is_archive(data)


def read(data: bytes) -> Profile:
    """Profile of all processes. Raises Damage."""
    archive = opened(data)
    if not archive.about.paths:
        raise Damage("it holds no call path")
    time = archive.values("time")
    if time is None or np.isnan(time).any():
        raise Damage("it holds no times")
    calls = _calls(archive, time)
    ranks, nodes = _ranks(archive, time)
    rows = {
        "ranks": ranks,
        "calls": calls,
        "sites": [_site(row) for row in calls if row["place"] is not None],
        "waits": waits.waits(archive, time, archive.values("visits")),
        "delays": waits.delays(archive),
        "counters": counters.counters(archive, time),
    }
    creator = archive.about.creator or "Cube"
    run = Run(_program(archive), ranks_expected=len(ranks), collector=creator)
    return profile(
        creator.split(" ")[0],
        run,
        {name: table(name, found) for name, found in rows.items()},
        nodes,
        _gaps(archive, rows),
    )


def _calls(archive: Archive, time: np.ndarray) -> List[Row]:
    visits, least, most = (archive.values(name) for name in ("visits", "min_time", "max_time"))
    sent, ranks = _sent(archive), [location.rank for location in archive.about.locations]
    rows: List[Row] = []
    for index, path in enumerate(archive.about.paths):
        operation = operation_of(path.region.name) if path.region.mpi else None
        if operation is None or operation in LIFECYCLE:
            continue
        # Numbers of a call path are taken at once: one by one they cost as much as all else.
        columns = {
            "time": time[index].tolist(),
            "bytes": _bytes(operation, sent, index, len(ranks)),
            "rank": ranks,
        }
        if visits is not None:
            columns["count"] = list(map(int, visits[index].tolist()))
        if least is not None and most is not None:
            columns.update(
                min=np.fmax(least[index], 0).tolist(), max=np.fmax(most[index], 0).tolist()
            )
        same: Row = {
            "operation": operation,
            "class": "",
            "place": _caller(archive, index),
            "bin": MIXED if carries(operation) else UNSIZED,
        }
        found = (
            zip(*columns.values())
            if visits is None
            else (row for row, count in zip(zip(*columns.values()), columns["count"]) if count)
        )
        rows += [{**same, **dict(zip(columns, row))} for row in found]
    return rows


def _sent(archive: Archive) -> Dict[str, np.ndarray]:
    found = {name: archive.values(name) for name in ("bytes_sent", *_ONE_SIDED)}
    return {name: values for name, values in found.items() if values is not None}


def _bytes(operation: str, sent: Dict[str, np.ndarray], index: int, locations: int) -> List[int]:
    """Bytes of messages of each location. Those of a collective call are counted once for each
    member there, which is not its payload."""
    found = np.zeros(locations)
    if carries(operation) and is_send(operation) and "bytes_sent" in sent:
        found = sent["bytes_sent"][index]
    elif carries(operation):
        found = sum((sent[name][index] for name in _ONE_SIDED if name in sent), found)
    return list(map(int, np.fmax(found, 0).tolist()))


def _caller(archive: Archive, index: int) -> Optional[Tuple[int, str, str, int]]:
    """Number, function and file of the caller, and the line of the call if it was recorded; None
    for a root."""
    path = archive.about.paths[index]
    if path.parent < 0:
        return None
    caller = archive.about.paths[path.parent].region
    return index, caller.name, caller.file, path.line


def _site(row: Row) -> Row:
    offset, function, file, line = row["place"]
    kept = {label: value for label, value in row.items() if label != "bytes"}
    return {
        **kept,
        "module": "",
        "offset": offset,
        "function": function,
        "file": file,
        "line": line,
    }


def _ranks(archive: Archive, time: np.ndarray) -> Tuple[List[Row], tuple]:
    """Ranks with their hosts; and the time from MPI_Init to MPI_Finalize, if the program itself was
    measured and not MPI alone."""
    paths, places = (
        archive.about.paths,
        [
            (place, location)
            for place, location in enumerate(archive.about.locations)
            if location.first
        ],
    )
    nodes, order = hosts(location.host for _, location in places)
    inside = [
        not (path.region.mpi and operation_of(path.region.name) in LIFECYCLE) for path in paths
    ]
    rows: List[Row] = [
        {"rank": location.rank, "node": node} for (_, location), node in zip(places, order)
    ]
    if not all(path.region.mpi for path in paths if path.parent < 0):
        rows = [
            {**row, "window": float(time[inside][:, place].sum())}
            for row, (place, _) in zip(rows, places)
        ]
    return sorted(rows, key=lambda row: row["rank"]), nodes


def _program(archive: Archive) -> str:
    """The root call path, which newer versions name after the executable; not a mere main."""
    root = archive.about.paths[0].region
    return "" if root.mpi or root.name in ("main", "MAIN__") else root.name


def _gaps(archive: Archive, rows: Dict[str, List[Row]]) -> List[Gap]:
    gaps = []
    if "window" not in rows["ranks"][0]:
        gaps.append(
            Gap(
                "ranks.init_end",
                "only MPI was instrumented: how long the program ran between its MPI calls is not"
                " in the file",
                "instrument the program with scorep --compiler, or " + COLLECT,
            )
        )
    if tree.metric(archive.about, "late_send"):
        gaps.append(Gap("waits", _ONLINE, ANALYSE))
    elif not rows["waits"]:
        gaps.append(
            Gap("waits", "a profile of Score-P does not tell waiting from transfer", ANALYSE)
        )
    if any(path.region.name == "COLLAPSE" for path in archive.about.paths):
        gaps.append(
            Gap(
                "calls",
                "call paths deeper than SCOREP_PROFILING_MAX_CALLPATH_DEPTH were put together, with"
                " the MPI calls in them",
                "set it to more than its 100",
            )
        )
    return gaps + [
        Gap("calls.bin", "Score-P adds message sizes up for each call path", COLLECT),
        Gap(
            "calls.bytes",
            "Score-P counts the bytes of a collective call once for each member",
            COLLECT,
        ),
    ]
