"""The report of Intel's Application Performance Snapshot as CSV, of all charts or of the summary
alone: aps-report -a --format csv FOLDER.

Headings stand behind a bar, or alone in front; cells are parted by semicolons. Of the charts two
are read: the functions of all ranks together, and the times of each rank. Numbers have two
decimals, and functions that took next to no time are not listed.
"""

from __future__ import annotations

import re
from typing import Dict, List, NamedTuple

from advisor.intake.foreign.aps import text_report
from advisor.intake.foreign.base.operation_names import LIFECYCLE, operation_of
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
from advisor.intake.foreign.base.text import lines
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Gap, Profile, Run, Totals

_BEGIN = re.compile(rb"^Summary information\r?\n", re.MULTILINE)
_HEADINGS = (("| Function summary for all", "functions"), ("| MPI Time per Rank for all", "ranks"))
_HOTSPOT = re.compile(r"MPI Hotspot \d+ - (MPI_\w+)")
_NONE = ("", "N/A", "N/A*")


class Report(NamedTuple):
    """Cells of the parts that are read. `facts`: by name, with the unit behind the value;
    `functions`: by the names of their columns."""

    facts: Dict[str, str]
    functions: List[Dict[str, str]]
    ranks: List[List[str]]


def recognises(data: bytes) -> bool:
    """The head of the summary anywhere: it may stand behind a job's output."""
    begin = _BEGIN.search(data)
    return (
        begin is not None and b"\nElapsed Time, s;" in data[begin.start() : begin.start() + 65536]
    )


def read(data: bytes) -> Profile:
    """Profile of the first report. Raises Damage."""
    report = _parts(data)
    report.facts.setdefault("Number of ranks", "1")  # not printed for a single process
    if not report.ranks:
        return text_report.profile_of(report.facts, _hotspots(report.facts))
    return _charted(report)


def _parts(data: bytes) -> Report:
    report, part, names = Report({}, [], []), "facts", []
    begin = _BEGIN.search(data)
    for line in lines(data[begin.start() if begin else 0 :]):
        if line.startswith("|"):
            part = next(
                (part for heading, part in _HEADINGS if line.startswith(heading)),
                part if line.startswith("|--") else "",
            )
        cells = [cell.strip() for cell in line.split(";")]
        if part == "facts" and len(cells) == 2:
            name, _, unit = cells[0].rpartition(", ")
            report.facts.setdefault(
                name if unit == "s" else cells[0], f"{cells[1]} s" if unit == "s" else cells[1]
            )
        elif part == "functions" and cells[0] == "Function":
            names = cells
        elif part == "functions" and cells[0].startswith("MPI_") and len(cells) == len(names):
            report.functions.append(dict(zip(names, cells)))
        elif part == "ranks" and cells[0].isdigit() and len(cells) > 2:
            report.ranks.append(cells)
    return report


def _hotspots(facts: Dict[str, str]) -> Dict[str, float]:
    """Mean seconds of the functions that the summary lists."""
    found = ((_HOTSPOT.fullmatch(name), text) for name, text in facts.items())
    named = ((operation_of(match.group(1)), text) for match, text in found if match)
    return {operation: number(text[:-2], "a time") for operation, text in named if operation}


def _charted(report: Report) -> Profile:
    calls = [_call(row) for row in report.functions if operation_of(row["Function"])]
    start = sum(row["time"] for row in calls if row["operation"] in LIFECYCLE) / len(report.ranks)
    ranks = [_rank(cells, start) for cells in report.ranks]
    nodes, place = _host(report)
    tables = {
        "ranks": table("ranks", [{**row, **place} for row in ranks]),
        "calls": table("calls", [row for row in calls if row["operation"] not in LIFECYCLE]),
    }
    facts = report.facts
    wanted = max(len(ranks), count(facts["Number of ranks"], "Number of ranks", 1 << 22))
    run = Run(
        facts.get("Application", "")[:200],
        started=text_report.started(facts),
        ranks_expected=wanted,
        collector="APS",
    )
    return profile(
        "APS", run, tables, nodes, _gaps(report), Totals(wait_time=text_report.imbalance(facts))
    )


def _rank(cells: List[str], start: float) -> Row:
    """Only its time with MPI_Init and MPI_Finalize is printed; what these took is known of all
    ranks together. Its time outside MPI stays exact."""
    elapsed, mpi = number(cells[1], "Elapsed Time"), number(cells[2], "MPI Time")
    start = min(start, mpi)
    return {"rank": rank(cells[0]), "window": max(0.0, elapsed - start), "mpi_time": mpi - start}


def _call(row: Dict[str, str]) -> Row:
    if "Time(sec)" not in row or "Calls" not in row:
        raise Damage("its list of functions has no times or no calls")
    return {
        "rank": -1,
        "operation": operation_of(row["Function"]),
        "count": count(row["Calls"], "Calls"),
        "time": number(row["Time(sec)"], "Time(sec)"),
    }


def _host(report: Report):
    """The host and the column of ranks on it, if it was one; with more nobody says which rank was
    where."""
    name = report.facts.get("Peak resident set node", "")
    if not name or report.facts.get("Ranks per node") != str(len(report.ranks)):
        return (), {}
    nodes, _ = hosts([name])
    return nodes, {"node": 0}


def _gaps(report: Report) -> List[Gap]:
    gaps = [
        Gap("rank", "this report of APS adds the calls of all ranks up", COLLECT),
        Gap("short calls", "APS leaves out functions that took next to no time", COLLECT),
        Gap(
            "start of the run",
            "APS counts MPI_Init and MPI_Finalize in the times of ranks; what they took on average"
            " is taken off",
            COLLECT,
        ),
    ]
    if not report.functions:
        gaps.append(
            Gap(
                "calls",
                "APS lists functions only with -f or -a",
                "aps-report -a --format csv FOLDER, or " + COLLECT,
            )
        )
    if any(row.get("Volume(MB)", "") not in _NONE for row in report.functions):
        gaps.append(Gap("calls.bytes", "APS does not say how many bytes its MB are", COLLECT))
    if text_report.imbalance(report.facts) is None:
        gaps.append(text_report.NO_IMBALANCE)
    return gaps
