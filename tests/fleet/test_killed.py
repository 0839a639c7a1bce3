"""An ingest that is killed at any moment loses nothing and doubles nothing."""

from __future__ import annotations

import os
import signal
import sys

import pytest
from small_fleet import PROFILES, ingested, judged_once, left, rows, spool_of

CHANGES = ("os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "open")
"""Before each of these the store is in another state (Python's table of audit events)."""
POINTS = None if os.environ.get("ADVISOR_TEST_LONG") else 6
"""In how many of them it is killed; None: in all, some 150."""
JOBS = {job: PROFILES[job] for job in ("1", "2", "4")}


def ingest_killed(at, spool, store):
    """An ingest in a process of its own that is killed before change number `at`; the number of
    changes if it ended before."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        done = 0

        def count(event, arguments):
            nonlocal done
            if event in CHANGES and str(spool.parent) in str(arguments[0]):
                if done == at:
                    os.kill(os.getpid(), signal.SIGKILL)
                done += 1

        sys.addaudithook(count)
        ingested(spool, store, batch=2)
        os.write(writer, str(done).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as told:
        text = told.read()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) == (text == "")
    return int(text) if text else None


def look(store):
    """Profiles by table: all tables of one generation are of the same jobs."""
    if not (store / "store.json").exists():
        return []
    jobs = [profile for (profile,) in rows(store, "jobs", "profile")]
    assert len(jobs) == len(set(jobs))
    assert {profile for (profile,) in rows(store, "findings", "profile")} <= set(jobs)
    assert {profile for (profile,) in rows(store, "operations", "profile")} == set(jobs)
    return jobs


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """(rows, number of changes) of an ingest that nobody kills."""
    folder = tmp_path_factory.mktemp("undisturbed")
    for job, path in JOBS.items():
        judged_once(str(path), "profile")
    spool, store = spool_of(folder, JOBS), folder / "store"
    changes = ingest_killed(-1, spool, store)
    assert (left(spool), len(look(store))) == ([], len(JOBS))
    return rows(store, "findings"), changes


def test_killed_once_and_done_the_next_time(undisturbed, tmp_path):
    expected, changes = undisturbed
    points = range(changes) if POINTS is None else range(0, changes, changes // POINTS)
    for at in points:
        folder = tmp_path / str(at)
        spool, store = spool_of(folder, JOBS), folder / "store"
        assert ingest_killed(at, spool, store) is None
        found = look(store)
        # Each job is in the spool, in the store, or in both; never in none.
        assert len(left(spool)) + len(found) >= len(JOBS)
        ingested(spool, store)
        assert (rows(store, "findings"), left(spool)) == (expected, []), f"killed before {at}"
        assert not list((store / "generations").glob(".begun*"))


def test_killed_again_and_again(undisturbed, tmp_path):
    """Each attempt gets a little further than the one before."""
    expected, changes = undisturbed
    spool, store = spool_of(tmp_path, JOBS), tmp_path / "store"
    for at in range(5, changes, 2 if POINTS is None else 15):
        if ingest_killed(at, spool, store) is not None:
            break
        look(store)
    ingested(spool, store)
    assert (rows(store, "findings"), left(spool)) == (expected, [])
