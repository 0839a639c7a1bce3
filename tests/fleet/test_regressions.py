"""Jobs that take longer since a library or a setting changed: found, with what changed; and sound
series of which nothing is said. Simulated, with known truth."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.fleet_regressions import FIRST, alarms, found, simulated

from advisor.fleet import store as stores
from advisor.fleet.regressions import LIBRARY, Series, changes, told
from advisor.fleet.report import compose
from advisor.fleet.subjects import subject
from advisor.fleet.tables import table
from advisor.fleet.tabular import sections

YEAR = timedelta(days=365)


def test_five_percent_are_found_and_named_within_fifty_jobs():
    seen = [
        found(simulated(np.random.default_rng(seed), 120, True, at=60), 50) for seed in range(20)
    ]
    assert [told for told, _, _ in seen] == [True] * 20
    assert sum(right for _, right, _ in seen) >= 18


def test_sound_series_raise_no_alarm():
    seen = [alarms(simulated(np.random.default_rng(seed), 144, False), 12) for seed in range(20)]
    assert (sum(wrong for wrong, _ in seen), sum(weeks for _, weeks in seen)) == (0, 220)


def series(values, **factors):
    days = [FIRST + timedelta(days=place) for place in range(len(values))]
    factors = {name: np.array(each, dtype=object) for name, each in factors.items()}
    return Series(("u", "app", "4", "256"), days, np.exp(values), factors)


def noise(count, seed=3):
    return np.random.default_rng(seed).normal(0, 0.02, count)


LATER = np.arange(60) >= 30
OLD_NEW = ["old"] * 30 + ["new"] * 30


def test_what_changed_and_by_how_much():
    (change,) = changes(series(noise(60) + 0.1 * LATER, UCX_TLS=OLD_NEW, other=["x"] * 60))
    assert (change.factor, change.before, change.now) == ("UCX_TLS", "old", "new")
    assert change.low < np.expm1(0.1) < change.high and change.high - change.low < 0.03
    assert (change.jobs_before, change.jobs_now) == (30, 30)
    assert told(change) == "UCX_TLS: old → new"


def test_two_that_changed_on_one_day_are_both_named():
    (change,) = changes(series(noise(60) + 0.1 * LATER, a=OLD_NEW, b=[""] * 31 + ["1"] * 29))
    assert told(change) in ("a: old → new; b: not set → 1", "b: not set → 1; a: old → new")


def test_two_changes_one_after_the_other():
    late = np.arange(90) >= 60
    values = noise(90) + 0.1 * (np.arange(90) >= 30) - 0.2 * late
    both = series(values, a=["0"] * 30 + ["1"] * 60, b=["0"] * 60 + ["1"] * 30)
    assert {(each.factor, each.effect > 0) for each in changes(both)} == {("a", True), ("b", False)}


def test_a_user_who_goes_back_and_forth():
    now_and_then = ["new" if place % 3 else "old" for place in range(60)]
    slow = np.array([each == "new" for each in now_and_then])
    (change,) = changes(series(noise(60) + 0.05 * slow, a=now_and_then))
    assert change.effect == pytest.approx(0.05, abs=0.02)


@pytest.mark.parametrize(
    "values, factors",
    [
        (noise(60) + 0.1 * (np.arange(60) >= 45), {"a": OLD_NEW}),  # another day, nobody knows why
        (noise(60) + 0.01 * LATER, {"a": OLD_NEW}),  # too small to matter
        (
            noise(60) + 0.1 * LATER,
            {"a": [str(place) for place in range(60)]},
        ),  # a folder, no choice
        (noise(12) + 0.1 * LATER[24:36], {"a": OLD_NEW[24:36]}),  # too few jobs
        (noise(60) + 0.1 * LATER, {"a": ["x"] * 60}),  # nothing changed
    ],
    ids=["elsewhere", "small", "folder", "few", "same"],
)
def test_nothing_is_said(values, factors):
    assert changes(series(values, **factors)) == []


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """An application of one user that is 10 % slower since a library came, and one that is not."""
    found = stores.create(tmp_path_factory.mktemp("natural") / "store", False)
    jobs, settings = [], []
    for application, late in (("cfd", 0.1), ("md", 0.0)):
        for number, spread in enumerate(noise(60)):
            started = datetime(2026, 10, 1) + timedelta(hours=12 * number)
            week = started.date() - timedelta(days=started.weekday())
            key = {"profile": f"{application}{number}", "day": started.date(), "week": week}
            names = {"user_name": "u", "application": application, "work": "w", "cluster": "c"}
            new = number >= 30
            ran = {"elapsed": 100 * np.exp(spread + late * new), "node_hours": 1.0, "lost": 0.0}
            version = {"library": "openmpi", "library_version": "5.0.5" if new else "4.1.6"}
            size = {"nodes": 2, "ranks": 8, "started": started, "partition_name": "p"}
            jobs.append({**key, **names, **ran, **version, **size})
            settings.append({**key, "name": "A", "value": "1", "source": "environment"})
    with found.locked():
        added = {"jobs": table("jobs", jobs), "settings": table("settings", settings)}
        found.commit(added, "new-1")
    return found


def test_the_report_shows_it(store):
    report = compose(store, YEAR)
    section = next(each for each in sections(report) if each.title.startswith("Since libraries"))
    ((jobs, what, since, takes, before, now),) = section.rows
    assert (jobs, what) == ("cfd, 2 nodes, u", f"{LIBRARY}: openmpi 4.1.6 → openmpi 5.0.5")
    assert (since, before, now) == ("2026-10-16", "30", "30") and takes.endswith("% more time")


def test_fleet_app_shows_it_of_that_application(store):
    assert "openmpi 4.1.6 → openmpi 5.0.5" in subject(store, "app", "cfd", YEAR)
    assert "→" not in subject(store, "app", "md", YEAR)
