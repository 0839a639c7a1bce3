"""CrayPat's text report: table 1, profile by function, sampled or traced."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from advisor.intake.foreign.base.operation_names import LIFECYCLE, operation_of
from advisor.intake.foreign.base.profile_builder import (
    COLLECT,
    Row,
    count,
    number,
    numbered,
    profile,
    table,
)
from advisor.intake.foreign.base.text import lines, moment, words_of
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Gap, Library, Profile, Run, Setting, Totals

_BEGIN = re.compile(rb"^ *CrayPat/X: +Version", re.MULTILINE)
_NAME = re.compile(r"[A-Z][\w /()]*")
_FORK = re.compile(r"\|+ *")
_VARIABLE = re.compile(r"  (MPICH_|OMP_|FI_|PMI_|MPIR_CVAR_)[A-Z0-9_]+=")
_TITLE = re.compile(r" *Table \d+: +(.*)")


class Line(NamedTuple):
    """A row of table 1: share of all, mean amount of a rank (seconds or samples), calls if listed,
    name."""

    depth: int
    share: float
    amount: float
    calls: Optional[float]
    name: str


def recognises(data: bytes) -> bool:
    """The head of the report anywhere: CrayPat-lite prints it among a job's output."""
    begin = _BEGIN.search(data)
    return bool(begin) and b"Table 1:" in data[begin.start() :]


def read(data: bytes) -> Profile:
    """Profile of table 1. Raises Damage."""
    begin = _BEGIN.search(data)
    whole = lines(data[begin.start() if begin else 0 :])
    facts = _facts(whole)
    ranks = count(
        (facts.get("Number of PEs (MPI ranks)") or "").split(" ")[0] or None,
        "Number of PEs",
        1 << 22,
    )
    rows, traced = _table(whole)
    elapsed = _elapsed(facts, rows, traced)
    listed = [row for row in rows if _operation(row)]
    counted = all(row.calls is not None for row in listed)
    calls = [
        {**_call(row, elapsed, ranks), **({"count": _count(row, ranks)} if counted else {})}
        for row in listed
    ]
    tables = {"ranks": numbered(ranks), "calls": table("calls", calls if elapsed else [])}
    started = moment(facts.get("Execution start time", ""), "%a %b %d %H:%M:%S %Y")
    words = words_of(facts.get("Program invocation", facts.get("Original program", "")))
    version = re.match(r"Version +([0-9.]+)", facts.get("CrayPat/X", ""))
    run = Run(
        words[0],
        tuple(words[1:]),
        started=started,
        ranks_expected=ranks,
        collector=f"CrayPat {version.group(1) if version else ''}".strip(),
    )
    made = profile(
        "CrayPat", run, tables, (), _gaps(elapsed, traced), _totals(rows, elapsed), Library("cray")
    )
    settings = _settings(whole)
    return replace(
        made,
        settings=settings,
        gaps=tuple(gap for gap in made.gaps if not settings or gap.subject != "setting"),
    )


def _facts(whole: Sequence[str]) -> Dict[str, str]:
    """Lines "name: value"; the details at the end have their values in the next line, a table of
    wall clock time its mean."""
    found: Dict[str, str] = {}
    for line, after in zip(whole, [*whole[1:], ""]):
        name, colon, value = line.strip().partition(": ")
        if colon and _NAME.fullmatch(name) and value.strip():
            found.setdefault(name.strip(), value.strip())
        elif line.strip() in ("Original program:", "Program invocation:"):
            found.setdefault(line.strip()[:-1], after.strip())
        elif line.rstrip().endswith("| Avg of PE values"):
            found.setdefault("Process Time", line.strip().split(" ")[0])
    return found


def _settings(whole: Sequence[str]) -> Tuple[Setting, ...]:
    """Variables of the runtime environment that speak to MPI or OpenMP."""
    pairs = (line.strip().split("=", 1) for line in whole if _VARIABLE.match(line))
    return tuple(
        Setting(name[:80], value[:400], "environment") for name, value in dict(pairs).items()
    )


def _table(whole: Sequence[str]) -> Tuple[List[Line], bool]:
    """Rows of the profile by function, and whether it holds seconds and not samples."""
    start = next(
        (index for index, line in enumerate(whole) if _TITLE.match(line) and "by Function" in line),
        None,
    )
    if start is None:
        raise Damage("it has no table Profile by Function")
    rows: List[Line] = []
    head = next((line for line in whole[start + 1 : start + 8] if "|" in line), "")
    names = [name.strip() for name in head.split("|")]
    for line in whole[start + 1 :]:
        if _TITLE.match(line) or line.startswith("Notes for table"):
            break
        row = _line(line, names)
        rows += [row] if row else []
    return rows, names[0].startswith("Time")


def _line(line: str, names: Sequence[str]) -> Optional[Line]:
    fork = _FORK.match(line)
    cells = [cell.strip() for cell in line[fork.end() if fork else 0 :].split("|")]
    if len(cells) < 4 or not re.fullmatch(r"[0-9.]+%", cells[0]):
        return None
    calls = (
        number(cells[names.index("Calls")], "Calls")
        if "Calls" in names[: len(cells)] and re.fullmatch(r"[0-9.,]+", cells[names.index("Calls")])
        else None
    )
    return Line(
        line.count("|", 0, fork.end()) if fork else 0,
        number(cells[0][:-1], "a share", 0.01),
        number(cells[1], "an amount"),
        calls,
        cells[-1],
    )


def _operation(row: Line) -> Optional[str]:
    """The MPI operation of a row. In traced reports MPI_X(sync) is the barrier that CrayPat put
    before a collective call."""
    name = operation_of(row.name.replace("(sync)", ""))
    return None if name in LIFECYCLE else name


def _elapsed(facts: Dict[str, str], rows: Sequence[Line], traced: bool) -> Optional[float]:
    """Seconds of the process; from a traced profile its total."""
    reported = re.match(r"[0-9.,]+", facts.get("Avg Process Time", facts.get("Process Time", "")))
    if reported:
        return number(reported.group(0), "Process Time") or None
    total = next((row.amount for row in rows if row.name == "Total"), None)
    return total if traced else None


def _call(row: Line, elapsed: Optional[float], ranks: int) -> Row:
    return {
        "rank": -1,
        "operation": _operation(row) or "",
        "time": row.share * (elapsed or 0.0) * ranks,
    }


def _count(row: Line, ranks: int) -> int:
    """Calls of all ranks. A barrier that CrayPat put before a call is none of the program's."""
    return 0 if row.name.endswith("(sync)") else int((row.calls or 0) * ranks)


def _totals(rows: Sequence[Line], elapsed: Optional[float]) -> Totals:
    """MPI time from its groups; the group of barriers that were put before collective calls holds
    waiting alone."""
    groups = {row.name: row.share for row in rows if row.depth == 1}
    if elapsed is None or "MPI" not in groups:
        return Totals(elapsed)
    wait = groups.get("MPI_SYNC")
    return Totals(
        elapsed, (groups["MPI"] + (wait or 0.0)) * elapsed, None if wait is None else wait * elapsed
    )


def _gaps(elapsed: Optional[float], traced: bool) -> List[Gap]:
    how = "traced" if traced else "sampled"
    gaps = [Gap("rank", "this report of CrayPat holds means over ranks", COLLECT)]
    if elapsed is None:
        return gaps + [
            Gap(
                "ranks",
                "this report of CrayPat holds samples, and does not say how long the run took",
                "pat_report with the head of the report, or " + COLLECT,
            )
        ]
    return gaps + [
        Gap(
            "calls",
            f"this {how} report of CrayPat lists only functions above a share of the time",
            "pat_report -T, or " + COLLECT,
        )
    ]
