"""Where the time went, cause by cause, and which finding explains it: all of elapsed time, as in
the table cause."""

from __future__ import annotations

from typing import Dict, List, Tuple

from advisor.base.numbers import number
from advisor.model.causes import BETWEEN_POLLS, COMPUTING, UNSPLIT, WAITING, Cause, Causes
from advisor.model.finding import Advice
from advisor.model.message import joined, message
from advisor.reports.figures import Cell, Grid, Heading
from advisor.reports.lookup import Lookup

SHOWN_SHARE = 0.01
"""Of elapsed: shorter causes are one row."""
MOST_ROWS = 15
OWN = (COMPUTING, BETWEEN_POLLS, "asleep outside MPI")
_NAMES = {
    str(name): name
    for name in (
        message("asleep outside MPI"),
        message("between polls"),
        message("computing"),
        message("handed on"),
        message("idle"),
        message("imbalance"),
        message("in turns"),
        message("late receiver"),
        message("late sender"),
        message("progress"),
        message("lock"),
        message("no core"),
        message("no core in MPI"),
        message("no core outside MPI"),
        message("polling"),
        message("wait at I/O"),
        message("wait at collective"),
        message("wait at the end"),
        message("wait at window"),
        message("wait for progress"),
        message("wait in completion"),
    )
}
"""Kinds, states and origins that are told as they are called."""
_WORDS = {
    "transfer": message("transfer"),
    UNSPLIT: message("in MPI, not split"),
    "library": message("the library's own work"),
    "start or end": message("before other ranks left MPI_Init"),
}


def cause_table(run: Lookup, advice: Advice) -> Tuple[Grid, ...]:
    """One table; none where causes are not known, or nothing but computing was seen."""
    known = run.measures.causes
    if known is None or len(known.parts) < 2:
        return ()
    explained = {
        row: place for place, finding in enumerate(advice.findings, 1) for row in finding.causes
    }
    groups = _groups(known)
    shown = [group for group in groups if _seconds(known, group) >= SHOWN_SHARE * known.elapsed][
        :MOST_ROWS
    ]
    rows = [_row(run, known, group, explained) for group in shown]
    rest = [row for group in groups if group not in shown for row in group]
    if rest:
        rows.append(
            (Cell(message("all others")), Cell(""), Cell(""), *_numbers(known, rest), Cell(""))
        )
    headings = (
        Heading(message("Cause")),
        Heading(message("Call")),
        Heading(message("Call site")),
        Heading("s", True),
        Heading(message("% of elapsed"), True),
        Heading(message("Gives back at most, s"), True),
        Heading(message("Explained by")),
    )
    return (
        Grid(
            "causes",
            message("Where the time went, by cause: all of elapsed time, means over ranks."),
            headings,
            tuple(rows),
            _NOTE,
        ),
    )


_NOTE = message(
    "Each second is in one row. What a row can give back is not what a setting saves: it bounds it."
    " See the table cause of `advisor show` for all parts."
)


def _groups(known: Causes) -> List[List[int]]:
    """Rows of one kind, state, origin and operation, the longest first."""
    alike: Dict[Tuple[str, str, str, str], List[int]] = {}
    for row, part in enumerate(known.parts):
        alike.setdefault((part.kind, part.state, part.origin, part.operation), []).append(row)
    return sorted(alike.values(), key=lambda group: -_seconds(known, group))


def _seconds(known: Causes, rows: List[int]) -> float:
    return float(known.means[rows].sum())


def _row(
    run: Lookup, known: Causes, rows: List[int], explained: Dict[int, int]
) -> Tuple[Cell, ...]:
    part = known.parts[rows[0]]
    site = run.measures.tables["cause"].row(rows[0])["site"]
    call = f"MPI_{part.operation}" if part.operation else ""
    return (
        Cell(_cause(part)),
        Cell(call),
        Cell(str(site or "")),
        *_numbers(known, rows),
        Cell(_by(part, rows, explained)),
    )


def _numbers(known: Causes, rows: List[int]) -> Tuple[Cell, ...]:
    seconds, most = _seconds(known, rows), known.returned(rows)
    share = 100 * seconds / known.elapsed
    return Cell(number(seconds), seconds), Cell(number(share), share), Cell(number(most), most)


def _cause(part: Cause) -> str:
    if part.kind != WAITING:
        return _WORDS.get(part.kind) or named(part.kind)
    waiting = (
        message("waiting: {state}", state=named(part.state)) if part.state else message("waiting")
    )
    return joined(", ", filter(None, (waiting, named(part.origin))))


def named(name: str) -> str:
    """A kind, state or origin as a report says it."""
    return _NAMES.get(name, name)


def _by(part: Cause, rows: List[int], explained: Dict[int, int]) -> str:
    findings = sorted({explained[row] for row in rows if row in explained})
    if findings:
        return message("finding {numbers}", numbers=", ".join(map(str, findings)))
    return message("the program's own work") if part.kind in OWN else message("nothing")
