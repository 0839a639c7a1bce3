"""Every query of fleet.sql, and every one of the dashboards, gives equal rows on DuckDB,
ClickHouse's engine and PostgreSQL."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.parse
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from small_fleet import PROFILES, ingested, spool_of

from advisor.fleet import store as stores
from advisor.fleet.handing_over import databases, grafana
from advisor.fleet.handing_over.grafana_panels import VARIABLES
from advisor.fleet.handing_over.request import Request
from advisor.fleet.query import _PARAMETER, asked, connected, statements
from advisor.fleet.tables import table

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
QUERIES = [name for name, (kind, _) in statements().items() if kind == "query"]
FROM, TO = "2026-11-01T00:00:00.000Z", "2026-11-29T23:59:59.000Z"
"""What is chosen on the dashboard. The last full week before that begins on the 16th."""
ALL_WEEKS = {"first": date(2026, 10, 26), "last": date(2026, 11, 29)}
CARE = """o'neil "the\\' OR 1=1 --" ${job} $name %27"""
"""A user who chose his name to become SQL."""
CHOSEN = {
    "user": CARE,
    "application": "uneven_compute",
    "rule": "oversubscribed-busy-waiting",
    "host": "vm",
    "job": "1",
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
    folder = tmp_path_factory.mktemp("engines")
    ingested(spool_of(folder, PROFILES), folder / "store")
    found = stores.opened(folder / "store")
    key = {"profile": "a" * 32, "day": date(2026, 11, 20), "week": date(2026, 11, 16)}
    names = {"cluster": "c", "job": "9", "step": "0", "user_name": CARE, "account": "a|b"}
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
        lost = {"lost": 0.5, "lost_low": 0.4, "lost_high": 0.6}
        lost.update({"recoverable": 0.4, "recoverable_low": 0.3, "recoverable_high": 0.5})
        ran = {**key, **names, **lost, "node_hours": 2.5}
        found_in_it = {**key, **names, **lost, "rule": "r", "title": CARE}
        added = {
            "jobs": table("jobs", [ran]),
            "findings": table("findings", [found_in_it]),
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


@pytest.fixture(scope="module")
def clickhouse(store):
    """Statement → rows, with the tables as `advisor fleet export` makes them."""
    chdb = pytest.importorskip("chdb.session", reason="pip install chdb-core-lite")
    session = chdb.Session()
    session.query("CREATE DATABASE fleet")
    session.query("USE fleet")
    for text in "".join(databases.clickhouse(request_of(store))).split(";\n")[:-1]:
        session.query(text)
    return lambda text: json.loads(str(session.query(text, "JSONCompact")))["data"]


@pytest.fixture(scope="module")
def postgresql(store):
    """The same."""
    with server() as psql:
        loading = "".join(databases.postgresql(request_of(store)))
        psql(loading)
        psql(loading)  # It replaces what is there.
        yield lambda text: list(csv.reader(io.StringIO(psql(text + ";"))))


@pytest.fixture(scope="module")
def duckdb(store):
    """The same, by DuckDB's own means."""
    connection = pytest.importorskip("duckdb").connect(":memory:")
    connection.execute("".join(databases.duckdb(request_of(store))))
    return lambda text: connection.execute(text).fetchall()


def request_of(store):
    return Request(store, None, VALUES["since"], VALUES["until"], (), 0)


@pytest.mark.parametrize("engine", ["clickhouse", "postgresql", "duckdb"])
def test_engines_give_the_same(engine, expected, request):
    ask = request.getfixturevalue(engine)
    assert unlike(lambda query: ask(written_out(query)), expected) == []


@pytest.mark.parametrize(
    "engine, source",
    [
        ("clickhouse", grafana.CLICKHOUSE),
        ("postgresql", grafana.POSTGRESQL),
        ("duckdb", grafana.DUCKDB),
    ],
)
def test_dashboards_ask_the_same(engine, source, store, request):
    """Of each panel, when Grafana has filled in the time and what was chosen."""
    ask = request.getfixturevalue(engine)
    with connected(store) as connection:
        panels = list(panels_of(source, connection))
    assert len(panels) > 15
    wrong = [
        (title, expected_rows[:2], ask(text)[:2])
        for title, text, expected_rows in panels
        if not expected_rows or not all_same(ask(text), expected_rows)
    ]
    assert wrong == []


def panels_of(source, connection):
    """(query, its SQL on the dashboard, rows of fleet.sql)"""
    sections = {panel.query: each for each in grafana.PANELS for panel in each.panels}
    shown = [each for each in grafana.dashboard(source)["panels"] if each["type"] != "row"]
    for panel, (query, section) in zip(shown, sections.items()):
        weeks = ALL_WEEKS if query == "weeks" else {}
        values = {**VALUES, **weeks, "name": CHOSEN.get(section.variable)}
        rows = [tuple(row.values()) for row in asked(connection, query, **values)]
        yield query, filled_in(panel["targets"][0]["rawSql"]), rows


@pytest.mark.parametrize("engine", ["clickhouse", "postgresql", "duckdb"])
def test_dashboards_list_what_can_be_chosen(engine, request):
    source = getattr(grafana, engine.upper())
    ask = request.getfixturevalue(engine)
    listed = {
        each["name"]: each["query"]["rawSql"] if isinstance(each["query"], dict) else each["query"]
        for each in grafana.dashboard(source)["templating"]["list"]
        if each["type"] == "query"
    }
    assert set(listed) == {name for name, about in VARIABLES.items() if about.query}
    assert CARE in [row[0] for row in ask(filled_in(listed["user"]))]


def filled_in(text):
    """As Grafana does it (formatRegistry of @grafana/scenes), all variables in one pass."""
    times = {"__from": FROM, "__to": TO}

    def value(found):
        name, how = found[1], found[2]
        if how == "date:iso":
            return times[name]
        chosen = CHOSEN[name]
        if how == "sqlstring":
            return "'" + chosen.replace('"', '\\"').replace("'", "''") + "'"
        assert how == "percentencode"
        return urllib.parse.quote(chosen, safe="-_.~")

    return re.sub(r"\$\{(\w+):([\w:]+)\}", value, text)


@pytest.mark.skipif(
    not os.environ.get("ADVISOR_TEST_LONG") or not shutil.which("npm"),
    reason="installs Grafana's libraries from npm: runs with ADVISOR_TEST_LONG=1",
)
def test_grafanas_own_code_fills_in_the_same(store, tmp_path):
    """Both the SQL, with names that users chose to become SQL, and the headings."""
    with connected(store) as connection:
        described = {name: columns_of(name, connection) for name in QUERIES}
    sections = {panel.query: panel for each in grafana.PANELS for panel in each.panels}
    texts, tables, expected = [], [], []
    for source in (grafana.DUCKDB, grafana.CLICKHOUSE, grafana.POSTGRESQL):
        model = grafana.dashboard(source)
        listed = [each["query"] for each in model["templating"]["list"] if each["type"] == "query"]
        texts += [each["rawSql"] if isinstance(each, dict) else each for each in listed]
        shown = [each for each in model["panels"] if each["type"] != "row"]
        for panel, (query, about) in zip(shown, sections.items()):
            texts.append(panel["targets"][0]["rawSql"])
            columns = described[query]
            tables.append({"columns": columns, "transformations": panel["transformations"]})
            kept = [name for name in columns if name not in about.hidden]
            expected.append([grafana.TITLES.get(name, name) for name in kept])
    asked_for = {"from": FROM, "to": TO, "chosen": CHOSEN, "texts": texts, "tables": tables}
    answer = by_grafana(asked_for, tmp_path)
    assert answer["texts"] == [filled_in(each) for each in texts]
    assert answer["headings"] == expected
    assert any(CARE.replace("'", "''").replace('"', '\\"') in each for each in answer["texts"])


def columns_of(query, connection):
    return [each[0] for each in connection.execute(written_out(query)).description]


def by_grafana(asked_for, folder):
    """What grafana_scenes.cjs answers."""
    shutil.copy(Path(__file__).with_name("grafana_scenes.cjs"), folder)
    install = ["npm", "install", "--ignore-scripts", "--no-audit", "--silent", "--legacy-peer-deps"]
    of_grafana = ("data", "e2e-selectors", "i18n", "runtime", "schema", "ui")
    packages = [f"@grafana/{name}@13" for name in of_grafana]
    packages += ["react@18", "react-dom@18", "react-router-dom@6", "rxjs@7", "jsdom@26"]
    words = [*install, "@grafana/scenes@8", *packages]
    subprocess.run(words, cwd=folder, check=True, timeout=600)
    done = subprocess.run(
        ["node", "grafana_scenes.cjs"],
        cwd=folder,
        input=json.dumps(asked_for),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def unlike(ask, expected):
    """Queries that give other rows, with the first of both."""
    found = {query: ask(query) for query in QUERIES}
    # Its rows are in no order: sorted by profile and place here
    found["lateness"] = sorted(found["lateness"], key=lambda row: (row[3], int(row[5])))
    expected = {
        **expected,
        "lateness": sorted(expected["lateness"], key=lambda row: (row[3], int(row[5]))),
    }
    return [
        (query, found[query][:2], expected[query][:2])
        for query in QUERIES
        if not all_same(found[query], expected[query])
    ]


def all_same(found, expected):
    return len(found) == len(expected) and all(
        same(one, other)
        for row, expected_row in zip(found, expected)
        for one, other in zip(row, expected_row)
    )


def same(found, expected):
    """A cell as an engine writes it: engines add whole numbers up in types of their own, and CSV
    has no null."""
    if expected is None:
        return found in (None, "")
    if isinstance(expected, (int, float, Decimal)):
        return float(found) == pytest.approx(float(expected), rel=1e-9)
    if isinstance(expected, datetime):
        return datetime.fromisoformat(str(found)) == expected  # ClickHouse writes microseconds.
    return str(found) == str(expected)


@contextlib.contextmanager
def server():
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
