"""A store whose jobs have names that mean something to a shell, SQL, CSV, HTML or a log."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="PyArrow is not installed: pip install -e '.[fleet]'")
pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install -e '.[fleet]'")

from advisor.fleet import installed, store as stores
from advisor.fleet.handing_over.request import Request
from advisor.fleet.query import connected
from advisor.fleet.report import period
from advisor.fleet.tables import table
from advisor.__main__ import main

installed.duckdb()
HOSTILE = (
    "it's",
    'say "hi"',
    "a|b,c;d%7C",
    '=HYPERLINK("http://x","y")',
    "<script>alert(1)</script>",
    "back\\slash\\' OR 1=1 --",
    "line\nend\r\n\\.\nroot",
    "\x1b[31mred\u202e",
    "$(touch /tmp/x) `id` && rm",
    "{{ 7 * 7 }} ${user} $name",
)
"""Names of applications, of users and of rules."""
DAY, WEEK = date(2026, 11, 20), date(2026, 11, 16)
STARTED = datetime(2026, 11, 20, 12, 0, 0)


def job(number, **more):
    """A row of jobs."""
    return {
        "profile": f"{number:0>32}",
        "day": DAY,
        "week": WEEK,
        "cluster": "c1",
        "job": str(number),
        "step": "0",
        "user_name": "alice",
        "account": "physics",
        "application": "vasp",
        "partition_name": "batch",
        "library": "openmpi",
        "library_version": "4.1.4",
        "state": "COMPLETED",
        "exit_code": 0,
        "started": STARTED,
        "elapsed": 3600.0,
        "ranks": 8,
        "nodes": 2,
        "node_hours": 2.0,
        "wait_share": 0.25,
        "lost": 0.5,
        "lost_low": 0.4,
        "lost_high": 0.6,
        "recoverable": 0.4,
        "recoverable_low": 0.3,
        "recoverable_high": 0.5,
        **more,
    }


def finding(of, rule, lost, place=0, **more):
    """A row of findings of a row of jobs."""
    key = ("profile", "day", "week", "cluster", "job", "step", "user_name", "account")
    return {
        **{name: of[name] for name in key},
        "application": of["application"],
        "rule": rule,
        "title": f"Title of {rule}",
        "place": place,
        "state": "doable",
        "lost": lost,
        "lost_low": lost * 0.8,
        "lost_high": lost * 1.2,
        "recoverable": lost * 0.8,
        "recoverable_low": lost * 0.6,
        "recoverable_high": lost,
        **more,
    }


def made(folder, **rows):
    """A store with these rows of its tables."""
    found = stores.create(Path(folder) / "store", False)
    with found.locked():
        found.commit({name: table(name, content) for name, content in rows.items()}, "by-hand")
    return found


def hostile(folder):
    """A job for each name, with two findings."""
    jobs = [
        job(4711 + place, application=name, user_name=name, account=name)
        for place, name in enumerate(HOSTILE)
    ]
    findings = [
        finding(each, rule, lost, place)
        for each, name in zip(jobs, HOSTILE)
        for place, (rule, lost) in enumerate(((name, 0.3), ("late-rank", 0.2)))
    ]
    return made(folder, jobs=jobs, findings=findings)


@contextmanager
def asking(store, labels=("rule", "application", "library"), most=1000):
    """All days of a store."""
    with connected(store) as connection:
        days = period(connection, store, date(1970, 1, 1))
        yield Request(store, connection, *days, labels, most)


def exported(store, format, capfdbinary, *more):
    """Output of the command."""
    words = ["fleet", "export", str(store.path), "--as", format, "--since", "2026-01-01", *more]
    assert main(words) == 0
    return capfdbinary.readouterr().out.decode()
