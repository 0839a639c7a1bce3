"""The tables of a store, and the views of fleet.sql, as SQL for DuckDB, ClickHouse and PostgreSQL.

The first two read the Parquet files through the link `current`, and so always the newest ones.
PostgreSQL cannot: for it the rows stand in the SQL, which replaces those of the last time.
"""

from __future__ import annotations

from typing import Any, Iterator

from advisor.fleet.handing_over.request import Request
from advisor.fleet.installed import arrow
from advisor.fleet.query import statements
from advisor.fleet.tables import TABLES
from advisor.model.harmless import visible

_POSTGRESQL = {
    "text": "text",
    "integer": "bigint",
    "real": "double precision",
    "day": "date",
    "time": "timestamp",
}
_AT_ONCE = 10_000


def duckdb(request: Request) -> Iterator[str]:
    """For `duckdb` itself, or as the initial SQL of Grafana's data source."""
    for table in TABLES:
        yield _replace(table, f"SELECT * FROM read_parquet({_quoted(_files(request, table))})")
    yield from _views()


def clickhouse(request: Request) -> Iterator[str]:
    """The server reads files below its `user_files_path` only: the store must be there."""
    for table in TABLES:
        files = _files(request, table).replace("\\", "\\\\")
        yield _replace(table, f"SELECT * FROM file({_quoted(files)}, Parquet)")
    yield from _views()


def postgresql(request: Request) -> Iterator[str]:
    """For psql. Readers see the old rows until all new ones are there."""
    yield "BEGIN;\n"
    for name in reversed(_names("view")):
        yield f"DROP VIEW IF EXISTS {name};\n"
    for table, columns in TABLES.items():
        kinds = ", ".join(f"{name} {_POSTGRESQL[kind]}" for name, kind in columns.items())
        yield f"DROP TABLE IF EXISTS {table};\nCREATE TABLE {table} ({kinds});\n"
        yield f"COPY {table} FROM STDIN CSV;\n"
        yield from _rows(request, table)
        yield "\\.\n"
    for name in _names("view"):
        yield statements()[name][1] + ";\n"
    yield "COMMIT;\n"


def _rows(request: Request, table: str) -> Iterator[str]:
    parquet = arrow().parquet
    for file in request.store.files(table):
        content = parquet.ParquetFile(file)
        for batch in content.iter_batches(batch_size=_AT_ONCE, columns=list(TABLES[table])):
            for row in batch.to_pylist():
                yield ",".join(map(_cell, row.values())) + "\n"


def _cell(value: Any) -> str:
    """Empty and null texts differ: what is not quoted is null. No text has line ends: psql takes a
    line of two characters, \\., for the end, in quotes as well."""
    return "" if value is None else '"' + visible(str(value)).replace('"', '""') + '"'


def _views() -> Iterator[str]:
    for name in _names("view"):
        yield statements()[name][1].replace("CREATE VIEW", "CREATE OR REPLACE VIEW", 1) + ";\n"


def _names(kind: str) -> "list[str]":
    return [name for name, (found, _) in statements().items() if found == kind]


def _replace(table: str, text: str) -> str:
    return f"CREATE OR REPLACE VIEW {table} AS {text};\n"


def _files(request: Request, table: str) -> str:
    return str(request.store.path.resolve() / "current" / table / "*.parquet")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
