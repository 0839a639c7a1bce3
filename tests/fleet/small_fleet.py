"""A spool of real profiles, judged by the real rules once for all tests of this folder."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import Executor, Future
from datetime import datetime, timezone
from pathlib import Path

import pytest

pytest.importorskip("pyarrow", reason="PyArrow is not installed: pip install -e '.[fleet]'")
pytest.importorskip("duckdb", reason="DuckDB is not installed: pip install -e '.[fleet]'")

from advisor.cli.fleet import judge
from advisor.fleet import installed, store as stores
from advisor.fleet.accounting import NOTHING
from advisor.fleet.ingest import Ingest

installed.duckdb()
ROOT = Path(__file__).resolve().parents[2]
NOW = datetime(2026, 11, 24, 12, 0, tzinfo=timezone.utc)
HOUR = 3600.0
PROFILES = {
    "1": ROOT / "samples" / "profiles" / "uneven_compute.4r.json",
    "2": ROOT / "samples" / "profiles" / "late_rank.before.4r.json",
    "3": ROOT / "samples" / "profiles" / "lmp_lj.2r.json",
    "4": ROOT / "tests" / "intake" / "frozen" / "finalize.profile",
}
"""Job → what it left."""


class InProcess(Executor):
    """An executor that begins no process."""

    def submit(self, function, /, *arguments, **named):
        done = Future()
        try:
            done.set_result(function(*arguments, **named))
        except BaseException as error:
            done.set_exception(error)
        return done


_JUDGED: dict = {}


def judged_once(path, kind):
    """As judge(); the same content is judged once."""
    content = Path(path).read_bytes()
    if content not in _JUDGED:
        _JUDGED[content] = judge(path, kind)
    return _JUDGED[content]


def spool_of(folder, profiles=PROFILES, day="2026/11/23", cluster="tests", age=HOUR):
    """A spool with the profiles, written `age` seconds ago."""
    place = Path(folder) / "spool" / day
    place.mkdir(parents=True, exist_ok=True)
    for job, source in profiles.items():
        write(place / f"{cluster}.{job}.0.profile", Path(source).read_bytes(), age)
    return Path(folder) / "spool"


def write(path, content, age=HOUR):
    """A file of the spool."""
    path.write_bytes(content)
    written = NOW.timestamp() - age
    os.utime(path, (written, written))


def ingested(spool, path, accounting=NOTHING, now=NOW, pseudonyms=False, judge=judged_once, **more):
    """One ingest, as the command does it; its summary."""
    store = stores.create(Path(path), pseudonyms)
    with store.locked():
        return Ingest(Path(spool), store, judge, InProcess, now, accounting, **more).run()


def rows(store, table="jobs", *columns):
    """Rows of a table as tuples, sorted."""
    import pyarrow.parquet

    found = []
    for file in stores.opened(Path(store)).files(table):
        content = pyarrow.parquet.ParquetFile(file).read(columns=list(columns) or None)
        found += [tuple(row.values()) for row in content.to_pylist()]
    return sorted(found, key=repr)


def left(spool):
    """Names of files in a spool."""
    return sorted(file.name for file in Path(spool).rglob("*") if not file.is_dir())


def copied(source, target):
    """A store or spool as it is, links and times included."""
    shutil.copytree(source, target, symlinks=True)
    return target
