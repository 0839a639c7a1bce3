"""What is asked of a store: the queries of fleet.sql, by DuckDB."""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Dict, Iterator, List, Mapping

from advisor.fleet.installed import arrow, duckdb
from advisor.fleet.store import Store
from advisor.fleet.tables import TABLES

SQL = Path(__file__).with_name("fleet.sql")
MEMORY = "700MB"
_AT_ONCE = 131_072
_PART = re.compile(r"^-- (view|query) (\w+)(?:: .*)?$", re.MULTILINE)
_PARAMETER = re.compile(r"\$(\w+)")

Row = Mapping[str, Any]


@lru_cache(maxsize=1)
def statements() -> Mapping[str, "tuple[str, str]"]:
    """Name → (view or query, its text), in the order of the file."""
    pieces = _PART.split(SQL.read_text(encoding="utf-8"))[1:]
    return {
        name: (kind, text.strip().rstrip(";").strip())
        for kind, name, text in zip(pieces[::3], pieces[1::3], pieces[2::3])
    }


@contextmanager
def connected(store: Store) -> Iterator[Any]:
    """DuckDB with the tables of one generation, and the views over them. It reads these files and
    nothing else, whatever is asked."""
    # What does not fit into memory: DuckDB would leave it in the folder that the user is in.
    with TemporaryDirectory(prefix="advisor-") as spilled:
        with _connected(store, spilled) as found:
            yield found


@contextmanager
def _connected(store: Store, spilled: str) -> Iterator[Any]:
    found = duckdb().connect(":memory:")
    try:
        found.execute(f"SET memory_limit = '{MEMORY}'")
        found.execute("SET temp_directory = '{}'".format(spilled.replace("'", "''")))
        found.execute("SET TimeZone = 'UTC'")
        # One generation for all of them, though an ingest may end meanwhile
        tables = store.tables
        for name in TABLES:
            files = sorted(map(str, (tables / name).glob("*.parquet")))
            listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
            found.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet([{listed}])")
        for kind, text in statements().values():
            if kind == "view":
                found.execute(text)
        yield found
    finally:
        found.close()


def asked(connection: Any, query: str, /, **values: Any) -> List[Dict[str, Any]]:
    """The rows of a query; values take the place of $name."""
    done = connection.execute(*_filled(query, values))
    names = [column[0] for column in done.description]
    return [dict(zip(names, row)) for row in done.fetchall()]


def asked_in_turn(
    connection: Any, query: str, at_once: int, /, **values: Any
) -> Iterator[Dict[str, Any]]:
    """The same, `at_once` rows in memory. Several queries of one connection may go on together."""
    done = connection.cursor().execute(*_filled(query, values))
    names = [column[0] for column in done.description]
    while rows := done.fetchmany(at_once):
        for row in rows:
            yield dict(zip(names, row))


def asked_in_columns(connection: Any, query: str, /, **values: Any) -> Any:
    """The same as an Arrow table, for millions of rows."""
    return _relation(connection, *_filled(query, values)).to_arrow_table()


def asked_in_parts(connection: Any, query: str, /, **values: Any) -> Iterator[Any]:
    """The same as Arrow tables of some rows each, only one of which is in memory."""
    pa = arrow()
    for part in _relation(connection, *_filled(query, values)).to_arrow_reader(_AT_ONCE):
        yield pa.Table.from_batches([part])


def in_text(text: str, values: Mapping[str, str]) -> str:
    """A statement with expressions of SQL in place of $name, for who cannot pass values."""
    return _PARAMETER.sub(lambda found: values[found[1]], text)


def _relation(connection: Any, text: str, values: Mapping[str, Any]) -> Any:
    return connection.sql(text, params=values)


def _filled(query: str, values: Mapping[str, Any]) -> "tuple[str, Mapping[str, Any]]":
    text = statements()[query][1]
    return text, {each: values[each] for each in _PARAMETER.findall(text)}
