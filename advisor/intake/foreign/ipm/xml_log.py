"""IPM's XML: one task a rank; with IPM_LOG=full also each call by size and partner."""

from __future__ import annotations

from typing import Dict, List, Optional
from xml.etree.ElementTree import Element

from advisor.intake.foreign.base import xml
from advisor.intake.foreign.base.operation_names import (
    LIFECYCLE,
    MIXED,
    UNSIZED,
    bin_of,
    carries,
    is_send,
    operation_of,
)
from advisor.intake.foreign.base.profile_builder import (
    COLLECT,
    Row,
    count,
    hosts,
    number,
    profile,
    rank,
    table,
)
from advisor.intake.foreign.base.text import words_of
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Gap, Profile, Run

_GIB = float(1 << 30)
_TERSE = Gap(
    "calls.bin",
    "IPM wrote a terse log: sums of each call, not each size",
    "run with IPM_LOG=full, or " + COLLECT,
)
_PEERS = Gap(
    "peers",
    "IPM wrote a terse log: sums of each call, not each receiver",
    "run with IPM_LOG=full, or " + COLLECT,
)

_69 = "IPM 2 sees 69 calls, none of them of this kind"
_UNSEEN = [Gap("onesided", _69, COLLECT), Gap("io", _69, COLLECT)]


def recognises(data: bytes) -> bool:
    """The root element."""
    return b"<ipm_job_profile" in data[:4096] or (
        data.lstrip()[:5] == b"<?xml" and b"<ipm" in data[:4096]
    )


def read(data: bytes) -> Profile:
    """Profile of all tasks. Raises Damage."""
    tasks = [task for task in xml.parse(data).iter("task")]
    if not tasks:
        raise Damage("no task is in it: IPM was cut off")
    nodes, places = hosts(xml.text(task, "host", "unknown") for task in tasks)
    node_of = {rank(task.get("mpi_rank"), "mpi_rank"): place for task, place in zip(tasks, places)}
    full = all(task.find("hash/hent") is not None for task in tasks)
    calls = [row for task in tasks for row in (_entries(task, node_of) if full else _sums(task))]
    calls = [row for row in calls if row["operation"] not in LIFECYCLE]
    ranks = [_rank(task, place) for task, place in zip(tasks, places)]
    tables = {"ranks": table("ranks", ranks), "calls": table("calls", calls)}
    if full:
        tables["peers"] = table(
            "peers", [row for row in calls if row["peer"] is not None and is_send(row["operation"])]
        )
    return profile("IPM", _run(tasks[0]), tables, nodes, _gaps(full))


def _gaps(full: bool) -> List[Gap]:
    return _UNSEEN if full else _UNSEEN + [_TERSE, _PEERS]


def _run(task: Element) -> Run:
    words = words_of(xml.text(task, "cmdline"))
    job = task.get("cookie") or ""
    return Run(
        words[0],
        tuple(words[1:]),
        ranks_expected=count(task.get("mpi_size"), "mpi_size", 1 << 24),
        job="" if job == "nocookie" else job[:80],
        collector=f"IPM {task.get('ipm_version', '')}".strip(),
    )


def _rank(task: Element, place: int) -> Row:
    perf = task.find("perf")
    if perf is None:
        raise Damage("a task of it has no element perf")
    return {
        "rank": rank(task.get("mpi_rank"), "mpi_rank"),
        "node": place,
        "pid": count(task.get("pid", "0"), "pid", (1 << 31) - 1),
        "window": number(perf.get("wtime"), "wtime"),
        "user_time": number(perf.get("utime"), "utime"),
        "system_time": number(perf.get("stime"), "stime"),
        # The largest resident set of getrusage, in units of 2^30 bytes.
        "memory_peak": int(number(perf.get("gbyte"), "gbyte", _GIB)),
    }


def _sums(task: Element) -> List[Row]:
    """Calls of one rank, summed over regions."""
    rows = []
    for entry in task.iterfind("regions/region/func"):
        operation = operation_of(entry.get("name", ""))
        if operation:
            size = number(entry.get("bytes"), "bytes") if carries(operation) else 0.0
            rows.append(
                {
                    **_row(task, operation, entry),
                    "bytes": int(size),
                    "bin": _rough(operation, size),
                    "time": number(entry.text, "a time"),
                }
            )
    return rows


def _rough(operation: str, size: float) -> int:
    return (MIXED if size else 0) if carries(operation) else UNSIZED


def _row(task: Element, operation: str, entry: Element) -> Row:
    return {
        "rank": rank(task.get("mpi_rank"), "mpi_rank"),
        "operation": operation,
        "class": "",
        "peer": None,
        "count": count(entry.get("count"), "count"),
    }


def _entries(task: Element, node_of: Dict[int, int]) -> List[Row]:
    """Calls of one rank by size and partner."""
    rows = []
    for entry in task.iterfind("hash/hent"):
        operation = operation_of(entry.get("call", ""))
        if operation:
            rows.append(_sized(_row(task, operation, entry), entry, node_of))
    return rows


def _sized(row: Row, entry: Element, node_of: Dict[int, int]) -> Row:
    operation, times = row["operation"], (entry.text or "").split()
    if len(times) != 3:
        raise Damage("an entry of its hash has no three times")
    # What a receive names is the room in its buffer, not what came.
    size = count(entry.get("bytes"), "bytes", 1 << 50) if carries(operation) else 0
    row.update(bytes=size * row["count"], bin=bin_of(size) if carries(operation) else UNSIZED)
    row.update(
        time=number(times[0], "a time"),
        min=number(times[1], "a time"),
        max=number(times[2], "a time"),
    )
    if is_send(operation):
        peer = count(entry.get("orank"), "orank", (1 << 31) - 1)
        row.update(_towards(row["rank"], peer, node_of), messages=row["count"])
    return row


def _towards(own: int, peer: int, node_of: Dict[int, int]) -> Dict[str, Optional[object]]:
    if peer not in node_of:
        return {"peer": None, "class": ""}
    path = "self" if peer == own else "intra_node" if node_of[peer] == node_of[own] else "other"
    return {"peer": peer, "path": path, "class": path}
