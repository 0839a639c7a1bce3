"""mpiP's text report, verbose or concise."""

from __future__ import annotations

import re
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

from advisor.intake.foreign.base.operation_names import LIFECYCLE, MIXED
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
from advisor.intake.foreign.base.text import lines, moment, words_of
from advisor.intake.foreign.mpip import message_sizes
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Gap, Profile, Run, Totals

_MS = 1e-3
_TITLE = re.compile(r"@--- (.+?) -*$")
_TWENTY = 20


class Place(NamedTuple):
    """A call site as mpiP numbers it."""

    function: str
    file: str
    line: int
    offset: int


class Report(NamedTuple):
    """Header fields, hosts by rank, and the rows of each section, split into words."""

    fields: Dict[str, str]
    hosts: Dict[int, str]
    sections: Dict[str, List[List[str]]]

    def rows(self, title: str) -> List[List[str]]:
        """Rows of the section whose title begins so, without the heading."""
        found = next((rows for name, rows in self.sections.items() if name.startswith(title)), [])
        return found[1:]


def recognises(data: bytes) -> bool:
    """mpiP's first line."""
    return data[:16].split(b"\n")[0].strip() == b"@ mpiP"


def read(data: bytes) -> Profile:
    """Profile of a report. Raises Damage."""
    report = _split(lines(data))
    if report.rows("Task Time Statistics"):
        return _concise(report)
    if not report.rows("MPI Time"):
        raise Damage("its section MPI Time is missing")
    return _verbose(report)


def _split(text: Sequence[str]) -> Report:
    report, rows = Report({}, {}, {}), None
    for line in text:
        title = _TITLE.match(line) if line[:1] == "@" else None
        if title:
            rows = report.sections.setdefault(title.group(1), [])
        elif rows is None and line.startswith("@ ") and ":" in line:
            _header(report, *line[2:].split(":", 1))
        elif rows is not None and not line.startswith("---"):
            words = line.split()
            # No row that is read has fewer.
            rows += [words] if len(words) > 2 else []
    return report


def _header(report: Report, key: str, value: str) -> None:
    words = value.split()
    if key.strip() == "MPI Task Assignment" and len(words) == 2:
        report.hosts[rank(words[0])] = words[1]
    report.fields.setdefault(key.strip(), value.strip())


def _run(report: Report, ranks: int) -> Run:
    words = words_of(report.fields.get("Command", ""))
    started = moment(report.fields.get("Start time", ""), "%Y %m %d %H:%M:%S")
    tool = " ".join(["mpiP", report.fields.get("Version", "")]).strip()
    return Run(words[0], tuple(words[1:]), started=started, ranks_expected=ranks, collector=tool)


def _verbose(report: Report) -> Profile:
    times = [row for row in report.rows("MPI Time") if len(row) == 4 and row[0] != "*"]
    ranks: List[Row] = [
        {"rank": rank(row[0]), "window": number(row[1], "AppTime")} for row in times
    ]
    nodes, places = hosts(report.hosts.get(row["rank"], "unknown") for row in ranks)
    ranks = [{**row, "node": place} for row, place in zip(ranks, places)]
    sites = _places(report)
    calls = [
        _call(row, sites)
        for row in report.rows("Callsite Time statistics")
        if len(row) == 9 and row[2] != "*"
    ]
    calls = [row for row in calls if row["operation"] not in LIFECYCLE]
    message_sizes.add(calls, report.rows)
    tables = {
        "ranks": table("ranks", ranks),
        "calls": table("calls", calls),
        "sites": table("sites", calls),
    }
    return profile("mpiP", _run(report, len(ranks)), tables, nodes, _gaps(sites, calls))


def _call(row: List[str], sites: Dict[int, Place]) -> Row:
    site = count(row[1], "a call site", 1 << 31)
    calls, place = count(row[3], "Count"), sites.get(site, Place("", "", 0, site))
    return {
        "rank": rank(row[2]),
        "operation": row[0][:60],
        "class": "",
        "site": site,
        "module": "",
        "count": calls,
        "function": place.function,
        "file": place.file,
        "line": place.line,
        "offset": place.offset,
        "time": calls * number(row[5], "Mean", _MS),
        "max": number(row[4], "Max", _MS),
        "min": number(row[6], "Min", _MS),
    }


def _places(report: Report) -> Dict[int, Place]:
    """Innermost frame of each site. C++ functions may hold blanks: the line number parts file and
    function."""
    found: Dict[int, Place] = {}
    for row in report.rows("Callsites:"):
        if len(row) < 5 or not row[0].isdigit() or row[1] != "0":
            continue
        site, known = int(row[0][:9]), row[3].isdigit() and len(row) >= 6
        address = int(row[2][:18], 16) if re.fullmatch(r"0x[0-9a-fA-F]{1,16}", row[2]) else site
        found[site] = (
            Place(" ".join(row[4:-1]), row[2], int(row[3][:9]), site)
            if known
            else Place("", "", 0, address)
        )
    return found


def _gaps(sites: Dict[int, Place], calls: List[Row]) -> List[Gap]:
    gaps = [
        Gap(
            "message sizes",
            "mpiP rounds sizes to four digits; one that rounds like a power of two is taken for it",
            COLLECT,
        )
    ]
    if any(not place.file for place in sites.values()):
        gaps.append(
            Gap(
                "site.function",
                "mpiP looks addresses up in the memory map of one rank, which fits no other where"
                " addresses are randomised",
                "start the job with setarch -R, or " + COLLECT,
            )
        )
    if any(row["bin"] == MIXED for row in calls):
        gaps.append(
            Gap(
                "calls.bin",
                "mpiP keeps the mean, smallest and largest size of a call site, and none of"
                " MPI_Alltoallv or with MPI_IN_PLACE",
                COLLECT,
            )
        )
    return gaps


def _concise(report: Report) -> Profile:
    """Sums over ranks. Of single ranks it names only the one with the most time."""
    task = {row[0]: row[1:] for row in report.rows("Task Time Statistics") if len(row) > 2}
    if not {"Max", "Mean", "Aggregate"} <= set(task):
        raise Damage("its section Task Time Statistics is cut short")
    mean, whole = number(task["Mean"][0], "Mean"), number(task["Aggregate"][0], "Aggregate")
    ranks = count(str(round(whole / mean)) if mean else "", "the number of tasks", 1 << 20)
    rows = [row for row in report.rows("Aggregate Time") if len(row) == 7]
    calls = [_sum(row) for row in rows if row[0] not in LIFECYCLE]
    message_sizes.add_sums(calls, report.rows)
    gaps = [
        Gap(
            "rank",
            "this concise report of mpiP has no single ranks",
            "run mpiP without -c, or " + COLLECT,
        )
    ]
    if len(rows) >= _TWENTY and len(_places(report)) > len(rows):
        gaps.append(
            Gap(
                "calls",
                "this concise report of mpiP lists the twenty call sites with the most time",
                "run mpiP without -c, or " + COLLECT,
            )
        )
    totals = Totals(elapsed=number(task["Max"][0], "Max"), mpi_time=number(task["Mean"][1], "Mean"))
    tables = {"ranks": numbered(ranks), "calls": table("calls", calls)}
    return profile("mpiP", _run(report, ranks), tables, (), gaps + _gaps({}, calls), totals)


def _sum(row: List[str]) -> Dict[str, Any]:
    return {
        "rank": -1,
        "operation": row[0][:60],
        "class": "",
        "site": count(row[1], "Site"),
        "time": number(row[2], "Time", _MS),
        "count": count(row[5], "Count"),
    }
