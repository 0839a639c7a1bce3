"""What all readers share: rows to tables, and a gap for everything that a tool does not know."""

from __future__ import annotations

import math
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from advisor.intake.container.checks import check
from advisor.intake.container.combined_rows import put_together
from advisor.intake.untrusted import claims
from advisor.intake.untrusted.damage import Damage
from advisor.model.columns import TABLES
from advisor.model.message import message
from advisor.model.profile import Columns, Gap, Library, Node, Profile, Run, Totals
from advisor.model.unknown import is_unknown

MOST_RANKS = 1 << 24
MOST_OPERATIONS = 4096
COLLECT = message("profile the program with advisor run")
Row = Dict[str, Any]

_UNKNOWN = {
    "ranks": message("{tool} records of each rank little more than its times"),
    "calls": message("{tool} does not split the time in MPI by operation"),
    "calls.count": message("{tool} does not count calls"),
    "calls.bytes": message("{tool} does not count bytes"),
    "calls.bin": message("{tool} does not keep message sizes apart"),
    "calls.class": message("{tool} does not tell communicators and peers apart"),
    "members": message(
        "{tool} does not tell communicators apart, so how long ranks waited in them cannot be bounded"
    ),
    "communicators": message("{tool} does not record communicators"),
    "sites": message("{tool} does not record where calls are made"),
    "peers": message("{tool} does not count messages by receiver"),
    "windows": message("{tool} does not record one-sided windows"),
    "handling": message(
        "{tool} records neither which data has gaps nor which operators are the program's own"
    ),
    "node": message("{tool} does not record hosts"),
    "setting": message("{tool} does not record settings"),
    "application": message("{tool} does not record settings of the program"),
}


def table(name: str, rows: Sequence[Row]) -> Columns:
    """Columns of rows that all have the labels of the first; rows of equal key are put together,
    but for ranks. Raises Damage."""
    if not rows:
        return {}
    columns = {
        label: _column(f"{name}.{label}", [row[label] for row in rows], kind.dtype)
        for label, kind in TABLES[name].items()
        if label in rows[0]
    }
    # A rank that is there twice is damage, which the check of the profile sees.
    return columns if name == "ranks" else put_together(name, columns)


def _column(what: str, values: List[Any], dtype: str) -> np.ndarray:
    if dtype == "text":
        result = np.empty(len(values), dtype=object)
        result[:] = values
        return result
    try:
        return np.array(values, dtype="<" + dtype)
    except (OverflowError, ValueError, TypeError):
        raise Damage(f"{what} holds a number that cannot be") from None


def number(text: Optional[str], what: str, factor: float = 1.0) -> float:
    """A time, share or amount that is not negative, or Damage. Commas between thousands are left
    out."""
    value = _plain(text)
    value = (_plain((text or "").replace(",", "")) if is_unknown(value) else value) * factor
    if not 0 <= value < 1e18:
        raise Damage(f"{what} is {_shown(text)}, which is no amount")
    return value


def _plain(text: Optional[str]) -> float:
    try:
        return float(text or "")
    except ValueError:
        return math.nan


def count(text: Optional[str], what: str, most: int = 1 << 62) -> int:
    """A whole number from 0 to `most`, or Damage."""
    # Most counts are plain digits, and there are many of them.
    value = (
        int(text)
        if text is not None and text.isdecimal() and len(text) < 19
        else number(text, what)
    )
    if value != int(value) or value > most:
        raise Damage(f"{what} is {_shown(text)}, which is no count")
    return int(value)


def rank(text: Optional[str], what: str = "a rank") -> int:
    """A rank, or Damage."""
    return count(text, what, MOST_RANKS - 1)


def _shown(text: Optional[str]) -> str:
    return "missing" if text is None else repr(text.strip()[:40])


def numbered(ranks: int, **more: int) -> Columns:
    """The table `ranks` of a tool that tells only how many there were; `more`: the same for each of
    them. Raises Damage."""
    claims.unseen_ranks(ranks)
    columns = {
        "rank": np.arange(ranks),
        **{label: np.full(ranks, value) for label, value in more.items()},
    }
    return (
        {
            label: values.astype("<" + TABLES["ranks"][label].dtype)
            for label, values in columns.items()
        }
        if ranks
        else {}
    )


def hosts(names: Iterable[str]) -> Tuple[Tuple[Node, ...], List[int]]:
    """The distinct hosts in order of appearance, and the index of each name."""
    index: Dict[str, int] = {}
    places = [index.setdefault(name, len(index)) for name in names]
    return tuple(Node(name) for name in index), places


def profile(
    tool: str,
    run: Run,
    tables: Mapping[str, Columns],
    nodes: Tuple[Node, ...] = (),
    gaps: Sequence[Gap] = (),
    totals: Totals = Totals(),
    library: Library = Library(),
) -> Profile:
    """A checked profile. Whatever is in no table gets a gap, unless `gaps` has a better reason.
    Raises Damage."""
    tables = {name: columns for name, columns in tables.items() if columns}
    if "calls" in tables and len(set(tables["calls"]["operation"])) > MOST_OPERATIONS:
        raise Damage(
            f"it names more than {MOST_OPERATIONS} operations of MPI, which has some hundreds"
        )
    check(tables, len(nodes))
    found = (
        set(tables)
        | {f"{name}.{label}" for name, columns in tables.items() for label in columns}
        | {gap.subject for gap in gaps}
    )
    found -= {"ranks"} - {gap.subject for gap in gaps}
    if nodes and "node" not in found:
        gaps = (
            *gaps,
            Gap(
                "node",
                message("{tool} records of hosts little more than their names", tool=tool),
                COLLECT,
            ),
        )
        found.add("node")
    missing = [
        Gap(subject, reason.of(tool=tool), COLLECT)
        for subject, reason in _UNKNOWN.items()
        if subject not in found and _concerns(subject, tables)
    ]
    return Profile(run, library, nodes, tables, gaps=tuple(gaps) + tuple(missing), totals=totals)


def _concerns(subject: str, tables: Mapping[str, Columns]) -> bool:
    """Columns of a table that is not there at all go with it."""
    return "." not in subject or subject.split(".")[0] in tables
