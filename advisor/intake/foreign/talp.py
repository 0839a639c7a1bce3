"""TALP of DLB: JSON, XML, the table of processes in CSV, and the summary that it prints."""

from __future__ import annotations

import csv
import re
from typing import Any, Dict, List, Mapping, Optional, Sequence

from advisor.intake.container.framing import parse
from advisor.intake.foreign.base import xml
from advisor.intake.foreign.base.profile_builder import (
    COLLECT,
    Row,
    count,
    hosts,
    number,
    numbered,
    profile,
    rank,
    table,
)
from advisor.intake.foreign.base.text import lines, moment
from advisor.intake.untrusted.damage import Damage, mapping, sequence
from advisor.model.profile import Gap, Profile, Run, Totals

_NS = 1e-9
_WHOLE = ("Global", "MPI Execution", "Application")
"""Names of the region that spans from MPI_Init to MPI_Finalize, in old and new versions."""
_PROCESS = b"Region,Rank,PID,"
_SUMS = b"name,numCpus,numMpiRanks"
_PRINTED = b"Monitoring Region "
_LINE = re.compile(r"DLB\[[^\]]*\]: ### *(?:- )?([^:]+): +(.*)")
_NAMES = {
    "Process": "pid",
    "Rank": "rank",
    "CpuSet": "cpuset",
    "Elapsed time": "elapsedTime",
    "Not useful MPI": "mpiTime",
    "Name": "name",
}


def recognises(data: bytes) -> bool:
    """Words that only TALP writes, near the beginning; its summary may stand anywhere in a job's
    output."""
    begin = data[:4096]
    return (
        b'"dlbVersion"' in begin
        or b"<dlbVersion>" in begin
        or begin.startswith((_PROCESS, _SUMS))
        or (b"DLB[" in data and _PRINTED in data)
    )


def read(data: bytes) -> Profile:
    """Profile of the region that spans the run. Raises Damage."""
    begin = data[:4096]
    if begin.startswith(_PROCESS):
        return _made(_table(data), {}, {})
    if begin.startswith(_SUMS):
        return _made([], (_table(data) or [{}])[0], {})
    if begin.lstrip().startswith(b"{"):
        return _json(parse(data))
    return _xml(data) if begin.lstrip().startswith(b"<") else _made(_printed(lines(data)), {}, {})


def _json(content: Mapping[str, Any]) -> Profile:
    processes = mapping(content.get("Process", {}), "Process")
    sums = mapping(content.get("Application", {}), "Application")
    return _made(
        [mapping(row, "a process") for row in sequence(_whole(processes, []), "a region")],
        mapping(_whole(sums, {}), "a region"),
        content,
    )


def _whole(regions: Mapping[str, Any], otherwise: Any) -> Any:
    return next((regions[name] for name in (*_WHOLE, *regions) if name in regions), otherwise)


def _xml(data: bytes) -> Profile:
    root = xml.parse(data)
    regions = {
        xml.text(region, "name"): [
            {part.tag: (part.text or "").strip() for part in row}
            for row in region.findall("process")
        ]
        for region in root.findall("Process")
    }
    sums = {
        xml.text(region, "name"): {part.tag: (part.text or "").strip() for part in region}
        for region in root.findall("Application")
    }
    return _made(
        _whole(regions, []),
        _whole(sums, {}),
        {"dlbVersion": xml.text(root, "dlbVersion"), "timestamp": xml.text(root, "timestamp")},
    )


def _table(data: bytes) -> List[Dict[str, str]]:
    """Rows of CSV by names as JSON writes them."""
    try:
        heads, *cells = [row for row in csv.reader(lines(data), strict=True) if row]
    except (csv.Error, ValueError):
        raise Damage("its table breaks off") from None
    # A short row has what it has: all names for each of many short rows would be more than the
    # file.
    rows = [dict(zip(map(_name, heads), row)) for row in cells]
    regions = [row.get("region", row.get("name", "")) for row in rows]
    first = next((name for name in _WHOLE if name in regions), regions[0] if regions else "")
    return [row for row, region in zip(rows, regions) if region == first]


def _name(key: str) -> str:
    short = {"PID": "pid", "MPITime": "mpiTime", "CpuSet": "cpuset"}
    return short.get(key, key[:1].lower() + key[1:])


def _printed(whole: Sequence[str]) -> List[Dict[str, str]]:
    """One block a process."""
    rows: List[Dict[str, str]] = []
    for line in whole:
        if "Monitoring Region Summary" in line:
            rows.append({})
        match = _LINE.match(line)
        if match and rows and match.group(1) in _NAMES:
            rows[-1].setdefault(_NAMES[match.group(1)], match.group(2))
    rows = [row for row in rows if "rank" in row]
    if not rows:
        raise Damage("it holds no summary of processes")
    regions = [row.get("name", "") for row in rows]
    first = next((name for name in _WHOLE if name in regions), regions[0])
    return [{**row, **_unpacked(row)} for row in rows if row.get("name", "") == first]


def _unpacked(row: Mapping[str, str]) -> Dict[str, str]:
    pid, _, host = row.get("pid", "").partition(" ")
    return {
        "pid": pid,
        "hostname": host.strip("()"),
        **{name: row[name].split(" ")[0] for name in ("elapsedTime", "mpiTime") if name in row},
    }


def _made(
    processes: Sequence[Mapping[str, Any]], sums: Mapping[str, Any], content: Mapping[str, Any]
) -> Profile:
    if not processes and not sums:
        raise Damage("it holds neither processes nor sums of a region")
    version, started = (
        str(content.get("dlbVersion", ""))[:20],
        moment(str(content.get("timestamp", "")), "%Y-%m-%dT%H:%M:%S"),
    )
    nodes, places = hosts(str(row.get("hostname") or "unknown")[:80] for row in processes)
    ranks = [_rank(row, place) for row, place in zip(processes, places)]
    cpus = [_cpus(row, sums) for row in processes]
    gaps = [Gap("application.name", "TALP does not record the program", COLLECT)]
    if any(cpus):
        ranks = [{**row, "cpus": one} for row, one in zip(ranks, cpus)]
    elif ranks:
        gaps.append(
            Gap(
                "ranks.cpus",
                "TALP lists CPUs that processes ran on, not all that they may use",
                COLLECT,
            )
        )
    if not ranks:
        gaps.append(
            Gap(
                "rank",
                "this output of TALP holds sums over processes",
                "run with DLB_ARGS=--talp-summary=all, or " + COLLECT,
            )
        )
    expected = (
        count(str(sums["numMpiRanks"]), "numMpiRanks", 1 << 22)
        if "numMpiRanks" in sums
        else len(ranks)
    )
    tables = {"ranks": table("ranks", ranks) if ranks else numbered(expected)}
    run = Run("", started=started, ranks_expected=expected, collector=f"TALP {version}".strip())
    return profile(
        "TALP",
        run,
        tables,
        nodes,
        gaps,
        Totals(calls=_calls(processes, sums)) if ranks else _totals(sums),
    )


def _calls(processes: Sequence[Mapping[str, Any]], sums: Mapping[str, Any]) -> Optional[float]:
    """MPI calls of all ranks; None if some rank's are not told, as in the printed summary."""
    reported = [sums] if "numMpiCalls" in sums else processes
    if not reported or any("numMpiCalls" not in row for row in reported):
        return None
    return sum(number(str(row["numMpiCalls"]), "numMpiCalls") for row in reported)


def _rank(row: Mapping[str, Any], place: int) -> Row:
    found = {
        "rank": rank(_text(row, "rank")),
        "node": place,
        "pid": count(_text(row, "pid"), "pid", (1 << 31) - 1),
        "window": number(_text(row, "elapsedTime"), "elapsedTime", _NS),
        "mpi_time": (
            number(_text(row, "mpiTime"), "mpiTime", _NS)
            / max(1.0, number(str(row.get("numCpus", 1)), "numCpus"))
        ),
    }
    return found


def _cpus(row: Mapping[str, Any], sums: Mapping[str, Any]) -> str:
    """The CPUs of a process. Where it may use more than it has threads, DLB 3.7 lists only those
    that it ran on when it started, and two ranks that are not bound look as if they shared one:
    only if it counts as many CPUs as it lists, it lists all."""
    counted = row if "avgCpus" in row else sums
    if (
        number(str(counted.get("avgCpus", 1e9)), "avgCpus")
        > number(str(counted.get("numCpus", 0)), "numCpus") + 0.01
    ):
        return ""
    return re.sub(r"[^0-9,-]", "", str(row.get("cpuset", "")))


def _text(row: Mapping[str, Any], name: str) -> str:
    if name not in row:
        raise Damage(f"a process of it has no {name}")
    return str(row[name])


def _totals(sums: Mapping[str, Any]) -> Totals:
    """Time in MPI is summed over CPUs."""
    cpus = number(_text(sums, "numCpus"), "numCpus")
    if not cpus:
        raise Damage("numCpus is 0")
    return Totals(
        number(_text(sums, "elapsedTime"), "elapsedTime", _NS),
        number(_text(sums, "mpiTime"), "mpiTime", _NS) / cpus,
        calls=_calls((), sums),
    )
