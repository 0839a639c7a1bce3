"""Every query of fleet.sql gives equal rows on DuckDB, ClickHouse's engine and PostgreSQL."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import shutil
import subprocess
import tempfile
import time
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest
from small_fleet import PROFILES, ingested, spool_of

from advisor.fleet import store as stores
from advisor.fleet.query import _PARAMETER, asked, connected, statements
from advisor.fleet.tables import TABLES

VALUES = {
    "since": date(2026, 11, 1),
    "until": date(2026, 12, 1),
    "first": date(2026, 11, 9),
    "last": date(2026, 11, 16),
    "name": "root",
    "rule": "oversubscribed-busy-waiting",
    "application": "uneven_compute",
}
NAMES = {
    "causes_of_application": "uneven_compute",
    "users_of_application": "uneven_compute",
    "users_of_rule": "oversubscribed-busy-waiting",
    "jobs_of_rule": "oversubscribed-busy-waiting",
    "jobs_of_host": "vm",
    "job": "1",
    "findings_of_job": "1",
}
VIEWS = [text for kind, text in statements().values() if kind == "view"]
QUERIES = [name for name, (kind, _) in statements().items() if kind == "query"]
END = "---- next query ----"
POSTGRES_TYPES = {
    "text": "text",
    "integer": "bigint",
    "real": "double precision",
    "day": "date",
    "time": "timestamp",
}


def written_out(query):
    """The query with literals that all engines read alike."""
    values = {**VALUES, "name": NAMES.get(query, VALUES["name"])}
    return _PARAMETER.sub(lambda match: literal(values[match[1]]), statements()[query][1])


def literal(value):
    return f"DATE '{value}'" if isinstance(value, date) else f"'{value}'"


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with verified advice, hosts that are late, and names that need care."""
    from advisor.fleet.tables import table

    folder = tmp_path_factory.mktemp("engines")
    ingested(spool_of(folder, PROFILES), folder / "store")
    found = stores.opened(folder / "store")
    key = {"profile": "a" * 32, "day": date(2026, 11, 20), "week": date(2026, 11, 16)}
    names = {"cluster": "c", "job": "9", "step": "0", "user_name": "o'neil", "account": "a|b"}
    host = {**key, **names, "application": "x", "host": "n1", "hosts": 4, "place": 0}
    tried = {
        **key,
        **names,
        "application": "x",
        "rules": "many-barriers",
        "verdict": "better",
        "settings": "A=1",
    }
    with found.locked():
        ran = {**key, **names, "node_hours": 2.5, "lost": 0.5, "lost_low": 0.4, "lost_high": 0.6}
        added = {
            "jobs": table("jobs", [ran]),
            "hosts": table("hosts", [{**host, "lateness": 0.05}]),
            "verified": table("verified", [{**tried, "effect": -0.1}, {**tried, "effect": None}]),
        }
        found.commit(added, "new-by-hand")
    return found


@pytest.fixture(scope="module")
def expected(store):
    """query → rows by DuckDB."""
    with connected(store) as connection:
        found = {}
        for query in QUERIES:
            values = {**VALUES, "name": NAMES.get(query, VALUES["name"])}
            found[query] = [tuple(row.values()) for row in asked(connection, query, **values)]
        yield found


def test_every_query_has_rows(expected):
    """Otherwise equal rows would say nothing."""
    assert [query for query in QUERIES if not expected[query]] == []


def test_clickhouse_gives_the_same(store, expected):
    chdb = pytest.importorskip("chdb.session", reason="pip install chdb")
    session = chdb.Session()
    session.query("CREATE DATABASE fleet")
    session.query("USE fleet")
    for table in TABLES:
        files = f"{store.tables / table}/*.parquet"
        session.query(f"CREATE VIEW {table} AS SELECT * FROM file('{files}', Parquet)")
    for text in VIEWS:
        session.query(text)

    def ask(query):
        return json.loads(str(session.query(written_out(query), "JSONCompact")))["data"]

    assert unlike(ask, expected) == []


def test_postgresql_gives_the_same(store, expected):
    loading = "".join(
        f"CREATE TABLE {table} ("
        + ", ".join(f"{name} {POSTGRES_TYPES[kind]}" for name, kind in columns.items())
        + f");\nCOPY {table} FROM STDIN CSV;\n{as_csv(store, table)}\\.\n"
        for table, columns in TABLES.items()
    )
    asking = "".join(f"\\echo {END}\n{written_out(query)};\n" for query in QUERIES)
    with postgresql() as psql:
        told = psql(loading + ";\n".join([*VIEWS, ""]) + asking).split(f"{END}\n")[1:]
    answers = dict(zip(QUERIES, told))
    assert unlike(lambda query: list(csv.reader(io.StringIO(answers[query]))), expected) == []


def unlike(ask, expected):
    """Queries that give other rows, with the first of both."""
    found = {query: ask(query) for query in QUERIES}
    return [
        (query, found[query][:2], expected[query][:2])
        for query in QUERIES
        if len(found[query]) != len(expected[query])
        or not all(
            same(one, other)
            for row, expected_row in zip(found[query], expected[query])
            for one, other in zip(row, expected_row)
        )
    ]


def same(found, expected):
    """A cell as an engine writes it: engines add whole numbers up in types of their own, and CSV
    has no null."""
    if expected is None:
        return found in (None, "")
    if isinstance(expected, (int, float, Decimal)):
        return float(found) == pytest.approx(float(expected), rel=1e-9)
    return str(found) == str(expected)


def as_csv(store, table):
    with connected(store) as connection:
        found = connection.execute(f"SELECT * FROM {table}").fetchall()
    text = io.StringIO()
    # Of texts, empty and null differ: only what is not quoted is null.
    for row in found:
        cells = ("" if cell is None else '"' + str(cell).replace('"', '""') + '"' for cell in row)
        text.write(",".join(cells) + "\n")
    return text.getvalue()


@contextlib.contextmanager
def postgresql():
    """psql of a server of the test's own: what it reads → CSV."""
    programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not programs or not shutil.which("psql") or not shutil.which("setpriv"):
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    # The server refuses to be root, and whoever it is must reach its folder.
    place = Path(tempfile.mkdtemp(prefix="advisor-pg-"))
    nobody = 65534 if os.geteuid() == 0 else os.geteuid()
    os.chown(place, nobody, -1)
    drop = ["setpriv", f"--reuid={nobody}", "--clear-groups"] if os.geteuid() == 0 else []
    binaries, data = programs[-1].parent, place / "data"

    def run(*words, **more):
        done = subprocess.run(words, capture_output=True, text=True, timeout=60, cwd=place, **more)
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    def psql(text):
        words = ["psql", "-X", "-q", "-t", "--csv", "-v", "ON_ERROR_STOP=1"]
        return run(*words, "-h", str(place), "-U", "fleet", "-f", "-", "postgres", input=text)

    try:
        run(*drop, str(binaries / "initdb"), "-N", "-A", "trust", "-U", "fleet", "-D", str(data))
        server = subprocess.Popen(
            [*drop, str(binaries / "postgres"), "-F", "-h", "", "-k", str(place), "-D", str(data)],
            stderr=subprocess.DEVNULL,
            cwd=place,
        )
        try:
            end = time.monotonic() + 30
            while not (place / ".s.PGSQL.5432").exists() and time.monotonic() < end:
                time.sleep(0.05)
            yield psql
        finally:
            server.terminate()
            server.wait(30)
    finally:
        shutil.rmtree(place, ignore_errors=True)
