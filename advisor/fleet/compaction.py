"""Small files of many ingests → one file a month; what is older than it is to be kept goes.

A month is written anew only if it got rows, or loses some. All new files become valid together, as
those of an ingest do.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple

from advisor.fleet.installed import duckdb
from advisor.fleet.query import MEMORY
from advisor.fleet.store import Store
from advisor.fleet.tables import TABLES
from advisor.model.errors import UserError

LATE = 0.01
"""Share of the jobs that may lie after the day that counts as the last: a clock that jumped, or a
profile that lies, must not make all others old."""
_MONTH = re.compile(r"month-(\d{4}-\d{2})\.parquet")
_EVER = date(1970, 1, 1)
_Work = Dict[Tuple[str, str], List[Path]]


@dataclass(frozen=True)
class Kept:
    """For how long; None: for ever."""

    rows: Optional[timedelta] = None
    profiles: Optional[timedelta] = None


def compact(store: Store, today: date, kept: Kept = Kept()) -> None:
    """The store must be locked. Raises UserError if it cannot be written."""
    with duckdb().connect(":memory:") as engine:
        engine.execute(f"SET memory_limit = '{MEMORY}'")
        engine.execute(f"SET temp_directory = '{_quoted(store.path / 'spilled')}'")
        last = _last_day(engine, store, today)
        oldest = last - kept.rows if kept.rows and last else _EVER
        work, old = _work(engine, store, oldest)

        def write(folder: Path) -> None:
            for (table, month), files in work.items():
                _write(engine, files, oldest, month, folder / table / f"month-{month}.parquet")

        if work or old:
            replaced = {file for files in work.values() for file in files} | set(old)
            try:
                store.change(write, replaced)
            except duckdb().Error as error:
                raise UserError(
                    f"{store.path} cannot be compacted: {error}", "Nothing has changed in it."
                ) from error
    if kept.profiles and last:
        _forget(store.path / "raw", last - kept.profiles)


def _work(engine: Any, store: Store, oldest: date) -> Tuple[_Work, List[Path]]:
    """(table, month) → the files that its rows are in now, and files that just go."""
    work: _Work = {}
    old: List[Path] = []
    for table in TABLES:
        months = {}
        for file in store.files(table):
            match = _MONTH.fullmatch(file.name)
            if match:
                months[match[1]] = file
        new = [file for file in store.files(table) if file.name.startswith("new-")]
        for month in _months(engine, new):
            if month >= f"{oldest:%Y-%m}":
                work[table, month] = [*new, *([months[month]] if month in months else [])]
        edge = f"{oldest:%Y-%m}"
        if edge in months and (table, edge) not in work:
            work[table, edge] = [months[edge]]
        old += [*new, *(file for month, file in months.items() if month < edge)]
    return work, old


def _months(engine: Any, files: List[Path]) -> List[str]:
    if not files:
        return []
    asked = f"SELECT DISTINCT strftime(day, '%Y-%m') FROM {_all(files)} ORDER BY 1"
    return [month for (month,) in engine.execute(asked).fetchall()]


def _write(engine: Any, files: List[Path], oldest: date, month: str, target: Path) -> None:
    """In the order of days, by which readers skip what they do not ask for."""
    engine.execute(
        f"COPY (SELECT * FROM {_all(files)} WHERE strftime(day, '%Y-%m') = '{month}'"
        f" AND day >= DATE '{oldest:%Y-%m-%d}' ORDER BY day, profile)"
        f" TO '{_quoted(target)}' (FORMAT parquet, COMPRESSION zstd)"
    )


def _last_day(engine: Any, store: Store, today: date) -> Optional[date]:
    """The day on which nearly all jobs had begun; None if there are none."""
    asked = f"SELECT CAST(quantile_disc(day, {1 - LATE}) AS DATE) FROM {_all(store.files('jobs'))}"
    (found,) = engine.execute(asked).fetchone()
    return None if found is None else min(found, today)


def _forget(folder: Path, oldest: date) -> None:
    """Profiles that came before that day. Their rows stay."""
    for file in folder.glob("*/*"):
        with suppress(OSError):
            if datetime.fromtimestamp(file.stat().st_mtime).date() < oldest:
                os.unlink(file)


def _all(files: List[Path]) -> str:
    return f"read_parquet([{', '.join(_literal(file) for file in files)}])"


def _literal(path: Path) -> str:
    return f"'{_quoted(path)}'"


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
