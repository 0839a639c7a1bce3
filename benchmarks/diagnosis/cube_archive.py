"""Cube 4 archives as Score-P writes them: a description in XML, and the numbers of each metric, in
a tar. The layout is that of the recorded profiles of Score-P in tests/foreign/recorded."""

from __future__ import annotations

import io
import struct
import tarfile
from pathlib import Path
from typing import Callable, Dict, List, Mapping, NamedTuple, Sequence, Tuple
from xml.sax.saxutils import escape


class PathSum(NamedTuple):
    """Calls of one rank from one call path."""

    visits: int = 0
    time: float = 0.0
    least: float = float("inf")
    most: float = 0.0
    bytes_sent: int = 0
    bytes_put: int = 0


class Metric(NamedTuple):
    """`kind`: INCLUSIVE values hold those of calls inside; `form`: of one number in struct."""

    name: str
    title: str
    kind: str
    dtype: str
    unit: str
    form: str
    value: Callable[[PathSum], float]


METRICS = (
    Metric("visits", "Visits", "EXCLUSIVE", "UINT64", "occ", "Q", lambda one: one.visits),
    Metric("time", "Time", "INCLUSIVE", "DOUBLE", "sec", "d", lambda one: one.time),
    Metric(
        *("min_time", "Minimum Inclusive Time", "EXCLUSIVE", "MINDOUBLE", "sec", "d"),
        lambda one: one.least,
    ),
    Metric(
        *("max_time", "Maximum Inclusive Time", "EXCLUSIVE", "MAXDOUBLE", "sec", "d"),
        lambda one: one.most,
    ),
    Metric(
        *("bytes_sent", "bytes_sent", "EXCLUSIVE", "UINT64", "bytes", "Q"),
        lambda one: one.bytes_sent,
    ),
    Metric(
        *("bytes_put", "bytes_put", "EXCLUSIVE", "UINT64", "bytes", "Q"),
        lambda one: one.bytes_put,
    ),
)


def write_cube(
    file: Path,
    hosts: Sequence[int],
    elapsed: float,
    calls: Mapping[str, Mapping[int, PathSum]],
) -> None:
    """An archive of a program that ran so many seconds on each rank. `calls`: MPI operation → rank
    → sums; `hosts`: of each rank."""
    main = {rank: PathSum(1, elapsed, elapsed, elapsed) for rank in range(len(hosts))}
    paths = [("main", main), *((f"MPI_{name}", calls[name]) for name in sorted(calls))]
    parts = {"anchor.xml": _anchor(hosts, [name for name, _ in paths]).encode()}
    for number, metric in enumerate(METRICS):
        parts[f"{number}.index"] = _index(len(paths))
        parts[f"{number}.data"] = b"CUBEX.DATA" + b"".join(
            struct.pack("<" + metric.form, metric.value(of.get(rank, PathSum())))
            for _, of in paths
            for rank in range(len(hosts))
        )
    with tarfile.open(file, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in parts.items():
            about = tarfile.TarInfo(name)
            about.size = len(content)
            archive.addfile(about, io.BytesIO(content))


def _index(paths: int) -> bytes:
    """Little-endian, version 0, kind 1: the call paths that have numbers, which are all."""
    numbers = struct.pack(f"<{paths + 1}I", paths, *range(paths))
    return b"CUBEX.INDEX" + struct.pack("<IHB", 1, 0, 1) + numbers


def _anchor(hosts: Sequence[int], names: Sequence[str]) -> str:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<cube version="4.4">',
        '<attr key="CubePL Version" value="1.1"/>',
        '<attr key="Cube Version" value="4.4"/>',
        '<attr key="Creator" value="Score-P 8.4"/>',
        '<attr key="CUBE_CT_AGGR" value="SUM"/>',
        '<attr key="CLUSTERING" value="OFF"/>',
        "<doc>",
        "</doc>",
        "<metrics>",
        *(line for number, metric in enumerate(METRICS) for line in _metric(number, metric)),
        "</metrics>",
        "<program>",
        *(line for number, name in enumerate(names) for line in _region(number, name)),
        '<cnode id="0" calleeId="0">',
        *(
            line
            for number in range(1, len(names))
            for line in (f'<cnode id="{number}" calleeId="{number}">', "</cnode>")
        ),
        "</cnode>",
        "</program>",
        "<system>",
        *_system(hosts),
        "<topologies>",
        "</topologies>",
        "</system>",
        "</cube>",
    ]
    return "\n".join(lines) + "\n"


def _metric(number: int, metric: Metric) -> List[str]:
    return [
        f'<metric id="{number}" type="{metric.kind}">',
        *_texts(
            disp_name=metric.title,
            uniq_name=metric.name,
            dtype=metric.dtype,
            uom=metric.unit,
            url="",
            descr="",
        ),
        "</metric>",
    ]


def _region(number: int, name: str) -> List[str]:
    mpi = name.startswith("MPI_")
    return [
        f'<region id="{number}" mod="{"MPI" if mpi else "program.c"}" begin="-1" end="-1">',
        *_texts(
            name=name,
            mangled_name=name,
            paradigm="mpi" if mpi else "compiler",
            role="function",
            url="",
            descr="",
        ),
        "</region>",
    ]


def _texts(**texts: str) -> List[str]:
    return [f"<{key}>{escape(text)}</{key}>" for key, text in texts.items()]


def _system(hosts: Sequence[int]) -> List[str]:
    lines = [
        '<systemtreenode Id="0">',
        *_texts(**{"name": "machine Linux", "class": "machine"}),
    ]
    ranks: Dict[int, List[int]] = {}
    for rank, host in enumerate(hosts):
        ranks.setdefault(host, []).append(rank)
    for place, (host, members) in enumerate(ranks.items()):
        lines += [
            f'<systemtreenode Id="{1 + place}">',
            *_texts(**{"name": f"node host{host}", "class": "node"}),
            *(line for rank in members for line in _process(rank)),
            "</systemtreenode>",
        ]
    return [*lines, "</systemtreenode>"]


def _process(rank: int) -> Tuple[str, ...]:
    return (
        f'<locationgroup Id="{rank}">',
        *_texts(name=f"MPI Rank {rank}", rank=str(rank), type="process"),
        f'<location Id="{rank}">',
        *_texts(name="Master thread", rank="0", type="thread"),
        "</location>",
        "</locationgroup>",
    )
