"""`advisor fleet user|app|host|rule|job`: what the store says of one of them, for the terminal."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any, Dict, List, Mapping, Sequence, Tuple, Union

from advisor.base.in_ascii import in_ascii
from advisor.base import numbers as write
from advisor.fleet.query import asked, connected
from advisor.fleet.report import natural, period
from advisor.fleet.store import Store
from advisor.fleet.tabular import days_told, hours, left_out, natural_experiments, saved
from advisor.model.errors import UserError
from advisor.model.harmless import visible

Row = Mapping[str, Any]
QUERIES: Mapping[str, Tuple[Tuple[str, str], ...]] = {
    "user": (("Causes", "causes_of_user"), ("Jobs that lose most", "jobs_of_user")),
    "app": (("Causes", "causes_of_application"), ("Users", "users_of_application")),
    "host": (("Jobs, the last ones first", "jobs_of_host"),),
    "rule": (("Users", "users_of_rule"), ("Jobs that lose most", "jobs_of_rule")),
    "job": (("Steps", "job"), ("Findings", "findings_of_job")),
}
OLDER: Mapping[str, str] = {
    "user": "older_of_user",
    "app": "older_of_application",
    "host": "older_of_host",
    "rule": "older_of_rule",
}
"""Of a job all steps are shown, whenever they ran."""
_ENDS: Mapping[str, Tuple[str, str]] = {
    "lost_hours": ("lost_least", "lost_most"),
    "lost": ("lost_low", "lost_high"),
    "recoverable_hours": ("recoverable_least", "recoverable_most"),
    "recoverable": ("recoverable_low", "recoverable_high"),
}
_HEADINGS = {"recoverable_hours": "may be saved", "recoverable": "may be saved"}
_LEFT_OUT = {"profile", *(end for ends in _ENDS.values() for end in ends)}
"""Columns that stand in another one, or are for programs."""
_NAMES = {"host": "A node has the name that `hostname` prints on it, whatever Slurm calls it."}
"""Reports name the slow ones only."""
_SHARES = {"lateness"}
_WIDEST = 44


def subject(
    store: Store,
    kind: str,
    name: str,
    since: Union[date, timedelta],
    ascii_only: bool = False,
) -> str:
    """All tables of one user, application, host, rule or job. Raises UserError if there are no
    rows."""
    with connected(store) as connection:
        days = period(connection, store, since)
        return subject_in(connection, days, kind, name, ascii_only)


def subject_in(
    connection: Any, period: Tuple[date, date], kind: str, name: str, ascii_only: bool = False
) -> str:
    """The same of one of many, for who has the connection and the days."""
    first, until = period
    days = {"since": first, "until": until, "name": name}
    found: Dict[str, Sequence[Row]] = {
        title: asked(connection, query, **days) for title, query in QUERIES[kind]
    }
    if kind == "app":
        found["Since libraries and settings changed"] = _changed(connection, until, name)
    older = asked(connection, OLDER[kind], **days)[0]["jobs_run"] if kind in OLDER else 0
    if not any(found.values()):
        raise UserError(
            f'The store has no {kind} "{name}" in these days.',
            f"{left_out(older)}." if older else "",
            f"{_NAMES.get(kind, 'Names are those of: advisor fleet report.')}"
            " Earlier days: --since 365d.",
        )
    text = "\n".join(f"{title}\n\n{_table(rows)}" for title, rows in found.items() if rows)
    if kind in OLDER:
        text = f"{days_told(first, until, older)}\n\n{text}"
    plain = text.translate({ord(write.THIN): " ", ord(write.HARD): " ", ord(write.MINUS): "-"})
    return in_ascii(plain) if ascii_only else plain


def _changed(connection: Any, until: date, application: str) -> List[Row]:
    section = natural_experiments(natural(connection, until, application))
    return [dict(zip(section.columns, row)) for row in section.rows]


def _table(rows: Sequence[Row]) -> str:
    names = [name for name in rows[0] if name not in _LEFT_OUT]
    cells: List[List[str]] = [[_HEADINGS.get(name, name.replace("_", " ")) for name in names]]
    cells += [[_cell(row, name) for name in names] for row in rows]
    widths = [max(len(row[place]) for row in cells) for place in range(len(names))]
    right = [isinstance(rows[0][name], (int, float)) for name in names]
    return "".join(
        "  "
        + "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, right)
        ).rstrip()
        + "\n"
        for row in cells
    )


def _cell(row: Row, name: str) -> str:
    value = row[name]
    low, high = _ENDS.get(name, ("", ""))
    if value is None:
        return "?"
    if name in _HEADINGS:
        return saved(row)
    if low in row:
        return hours(value, row[low], row[high])
    if name in _SHARES:
        return write.percent(value) if value >= 0 else f"-{write.percent(-value)}"
    if isinstance(value, float):
        return write.number(value)
    text = visible(str(value))
    return text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."
