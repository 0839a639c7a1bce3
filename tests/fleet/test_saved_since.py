"""What followed advice saved: stores with known truth, and the row that the report shows of them,
side by side."""

from __future__ import annotations

import ast
import json
import os
import pwd
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pytest
from small_fleet import ROOT

from advisor.__main__ import main
from advisor.fleet import store as stores
from advisor.fleet.mail import mails
from advisor.fleet.query import asked, connected
from advisor.fleet.render import render
from advisor.fleet.report import compose
from advisor.fleet.saved_since import FEW, UNDATED, estimated
from advisor.fleet.silences import FILE, Silences
from advisor.fleet.tables import table
from advisor.fleet.tabular import sections
from advisor.model.errors import UserError

MAILED, FOLLOWED = date(2026, 10, 5), date(2026, 10, 12)
BEFORE, BETWEEN, SINCE = date(2026, 9, 5), MAILED + timedelta(days=1), date(2026, 10, 13)
YEAR = timedelta(days=365)
ME = pwd.getpwuid(os.geteuid()).pw_name
KEY = (ME, "late", "cfd")


def jobs(first, count, hours, rate, uneven=0.5, **more):
    """So many jobs from a day on that ran for so many node hours together and lost this rate of
    them; they differ in size and in what they lose."""
    rng = np.random.default_rng(count)
    ran, lost = rng.lognormal(0, uneven, count), rng.uniform(0.5, 1.5, count)
    lost *= ran * rate / max(1e-12, (lost * ran).sum() / ran.sum())
    scale = hours / ran.sum()
    return [
        {
            "day": first + timedelta(days=number % 30),
            "profile": f"{first}{number}",
            "job": f"{first}{number}",
            "cluster": "c",
            "user_name": ME,
            "application": "cfd",
            "node_hours": scale * ran[number],
            "lost": scale * lost[number],
            **more,
        }
        for number in range(count)
    ]


def with_findings(rows):
    rows = [
        {
            **row,
            "week": row["day"] - timedelta(days=row["day"].weekday()),
            "recoverable": row["lost"],
        }
        for row in rows
    ]
    return {
        "jobs": table("jobs", rows),
        "findings": table(
            "findings", [{**row, "rule": "late", "title": "Late"} for row in rows if row["lost"]]
        ),
    }


def store_of(path, *rows):
    store = stores.create(path, False)
    with store.locked():
        store.commit(with_findings(rows), "new-1")
    return store


def silences_of(store, *events):
    """`events`: (day, why) of the one finding, in their order."""
    silences = Silences(store.path / FILE)
    for day, why in events:
        silences.begin(KEY, day, why)
    silences.keep()


def row_of(report):
    (section,) = [each for each in sections(report) if each.title == "Advice to users"]
    (row,) = section.rows
    return row


USUAL = ((MAILED, "mailed"), (FOLLOWED, "followed"))
LOST = jobs(BEFORE, 30, 600, 0.10)


@pytest.mark.parametrize(
    "ran, events, row",
    [
        # 10 % of 600 node hours before, 2 % of 1000 since: 80
        (
            [*LOST, *jobs(SINCE, 40, 1000, 0.02)],
            USUAL,
            ("late", "1", "1", "0", "80.0 (67.1 to 92.9)"),
        ),
        # Nothing changed but which jobs ran
        (
            [*LOST, *jobs(SINCE, 40, 1000, 0.098)],
            USUAL,
            ("late", "1", "1", "0", "2.00 (−13.4 to 17.4)"),
        ),
        # It loses more
        (
            [*LOST, *jobs(SINCE, 40, 1000, 0.13)],
            USUAL,
            ("late", "1", "1", "0", "−30.0 (−47.3 to −12.7)"),
        ),
        # The five jobs that show that it was followed, and those before the 30 days, do not count
        (
            [
                *jobs(BEFORE - timedelta(days=31), 30, 9000, 0.9),
                *LOST,
                *jobs(BETWEEN, 5, 900, 0.0),
                *jobs(SINCE, 40, 1000, 0.02),
            ],
            USUAL,
            ("late", "1", "1", "0", "80.0 (67.1 to 92.9)"),
        ),
        # Mailed again, since it came back: it counts all the same
        (
            [*LOST, *jobs(SINCE, 40, 1000, 0.02)],
            (*USUAL, (date(2026, 11, 20), "mailed")),
            ("late", "1", "0", "0", "80.0 (67.1 to 92.9)"),
        ),
        # Nine jobs on one side; and forty, one of which is as large as all others
        ([*LOST, *jobs(SINCE, 9, 1000, 0.02, 0.0)], USUAL, ("late", "1", "1", "0", f"{FEW}: 1")),
        (
            [*jobs(BEFORE, 9, 600, 0.1, 0.0), *jobs(SINCE, 40, 1000, 0.02)],
            USUAL,
            ("late", "1", "1", "0", f"{FEW}: 1"),
        ),
        (
            [*LOST, *jobs(SINCE, 39, 500, 0.02), *jobs(SINCE + timedelta(days=1), 1, 500, 0.02)],
            USUAL,
            ("late", "1", "1", "0", f"{FEW}: 1"),
        ),
        # Forty steps of one job are one job
        (
            [*LOST, *jobs(SINCE, 40, 1000, 0.02, job="7")],
            USUAL,
            ("late", "1", "1", "0", f"{FEW}: 1"),
        ),
        # Not followed
        ([*LOST, *jobs(SINCE, 40, 1000, 0.02)], USUAL[:1], ("late", "1", "0", "0", "")),
    ],
)
def test_what_the_report_says(tmp_path, ran, events, row):
    store = store_of(tmp_path / "store", *ran)
    silences_of(store, *events)
    assert row_of(compose(store, YEAR)) == row


def test_from_mail_to_report(tmp_path):
    """As the timer has it: mailed, five jobs without it, known to be followed, 40 jobs later."""
    store = store_of(tmp_path / "store", *LOST)
    for name, rows, today in (
        ("", [], MAILED),
        ("new-2", jobs(BETWEEN, 5, 100, 0.0), FOLLOWED),
        ("new-3", jobs(SINCE, 40, 1000, 0.02), date(2026, 11, 20)),
    ):
        if rows:
            with store.locked():
                store.commit(with_findings(rows), name)
        silences = Silences(store.path / FILE)
        mails(store, lambda path, rule: None, silences, [], today)
        silences.keep()
    assert json.loads((store.path / FILE).read_text()) == [
        [ME, "late", "cfd", "2026-11-20", "mailed", "2026-10-05", "2026-10-12"]
    ]
    assert row_of(compose(store, YEAR))[1:] == ("1", "0", "0", "80.0 (67.1 to 92.9)")


def test_all_formats_say_it(tmp_path):
    store = store_of(tmp_path / "store", *LOST, *jobs(SINCE, 40, 1000, 0.02))
    silences_of(store, *USUAL)
    report = compose(store, YEAR)
    (found,) = json.loads(render(report, "json"))["saved"]
    ends = found.pop("saved_least"), found.pop("saved_most")
    assert ends == pytest.approx((67.1, 92.9), abs=0.1)
    assert found == {
        "rule": "late",
        "user_name": ME,
        "application": "cfd",
        "mailed": "2026-10-05",
        "followed": "2026-10-12",
        "jobs_before": 30,
        "jobs_since": 40,
        "hours_since": pytest.approx(1000),
        "rate_before": pytest.approx(0.1),
        "rate_since": pytest.approx(0.02),
        "saved_hours": pytest.approx(80),
        "why": "",
    }
    for format in ("markdown", "html"):
        text = render(report, format)
        assert "80.0 (67.1 to 92.9)" in text and "Saved since, node hours" in text
        assert "compares before and after and is no experiment" in text


def test_only_advice_followed_in_these_days(tmp_path):
    store = store_of(tmp_path / "store", *LOST, *jobs(SINCE, 40, 1000, 0.02))
    silences_of(store, *USUAL, (date(2026, 11, 10), "mailed"))
    assert row_of(compose(store, FOLLOWED))[-1] == "80.0 (67.1 to 92.9)"
    assert row_of(compose(store, SINCE))[-1] == ""


def test_files_that_did_not_keep_the_first_mail_give_no_number(tmp_path):
    store = store_of(tmp_path / "store", *LOST, *jobs(SINCE, 40, 1000, 0.02))
    for why, events in (("followed", ()), ("mailed", USUAL[1:])):
        (store.path / FILE).write_text(json.dumps([[*KEY, FOLLOWED.isoformat(), why]]))
        silences_of(store, *events)
        assert row_of(compose(store, YEAR)) == ("late", "1", "1", "0", f"{UNDATED}: 1")
    (store.path / FILE).write_text(json.dumps([[*KEY, FOLLOWED.isoformat(), "mailed", 7]]))
    with pytest.raises(UserError, match="cannot be read"):
        Silences(store.path / FILE)


def test_without_numbers_of_a_batch_system_each_profile_is_a_job(tmp_path):
    store = store_of(tmp_path / "store", *jobs(SINCE, 40, 1000, 0.02, job="0"))
    days = {"since": SINCE, "until": SINCE + YEAR}
    with connected(store) as connection:
        values = {**days, "name": ME, "application": "cfd", "rule": "late"}
        rows = asked(connection, "ran_and_lost", **values)
        assert (
            asked(connection, "ran_and_lost", **{**values, "rule": "other"})[0]["lost_hours"] == 0
        )
    assert len(rows) == 40
    assert sum(row["hours"] for row in rows) == pytest.approx(1000)
    assert sum(row["lost_hours"] for row in rows) == pytest.approx(20)


@pytest.mark.parametrize("before, since", [(0.1, 0.1), (0.1, 0.02)])
@pytest.mark.parametrize("hit", [0.3, 1.0])
def test_intervals_hold_the_truth_about_as_often_as_they_say(before, since, hit):
    """20 jobs of unequal size on either side, of which all or three in ten lose anything."""
    rng = np.random.default_rng(1)

    def simulated(rate):
        ran = rng.lognormal(0, 0.5, 20)
        lost = ran * rate / hit * rng.uniform(0.5, 1.5, 20) * (rng.random(20) < hit)
        return list(zip(ran, lost))

    found = [estimated(simulated(before), simulated(since)) for _ in range(600)]
    each = [one for one in found if one]
    hours = [one.saved / (one.rate_before - one.rate_since) for one in each]
    truth = [(before - since) * ran for ran in hours]
    held = [one.least <= true <= one.most for one, true in zip(each, truth)]
    assert len(each) > 550 and 0.90 <= np.mean(held) <= 0.98


def test_a_bootstrap_over_jobs_gives_nearly_the_same_interval():
    """Another way to the same. Its percentiles are narrower: they know no Student's t, and of few
    jobs they see too little spread."""
    rng = np.random.default_rng(2)
    before, since = (
        np.array([(each["node_hours"], each["lost"]) for each in rows])
        for rows in (LOST, jobs(SINCE, 40, 1000, 0.02))
    )

    def rates(side):
        ran, lost = side[rng.integers(0, len(side), (4000, len(side)))].sum(axis=1).T
        return lost / ran

    found = estimated(before, since)
    least, most = np.quantile((rates(before) - rates(since)) * 1000, (0.025, 0.975))
    assert (found.least, found.most) == pytest.approx((least, most), abs=2.5)
    assert found.least < least < 80 < most < found.most


def test_jobs_that_are_all_alike():
    same = [(10.0, 1.0)] * 10
    assert estimated(same, [(10.0, 0.0)] * 10)[2:] == pytest.approx((10.0, 10.0, 10.0))
    assert estimated(same, same[:9]) is None and estimated([], same) is None


def test_no_gain_and_no_evidence_rests_on_it(tmp_path):
    """All else that a store says is the same with and without mails; and nobody but the report
    reads what was saved."""
    store = store_of(tmp_path / "store", *LOST, *jobs(SINCE, 40, 1000, 0.02))
    first = f"{BEFORE}0"
    trial = {
        "profile": first,
        "job": first,
        "cluster": "c",
        "day": BEFORE,
        "week": BEFORE,
        "user_name": ME,
    }
    trial.update(application="cfd", rules="late", settings="UCX_TLS=sm", verdict="better", pairs=6)
    with store.locked():
        effects = {"effect": -0.1, "effect_low": -0.12, "effect_high": -0.08}
        store.commit({"verified": table("verified", [{**trial, **effects}])}, "new-2")

    def said():
        file = tmp_path / "evidence.json"
        assert main(["fleet", "settings", str(store.path), "--evidence", str(file)]) == 0
        report = json.loads(render(compose(store, YEAR), "json"))
        mailed = report.pop("advice"), report.pop("saved")
        return (file.read_text(), report), mailed

    without, nothing = said()
    silences_of(store, *USUAL)
    with_mails, mailed = said()
    assert nothing == ([], []) and mailed[1][0]["saved_hours"] == pytest.approx(80)
    assert with_mails == without and "UCX_TLS" in without[0]
    assert readers("advisor.fleet.saved_since") == ["advisor/fleet/report.py"]


def readers(module):
    """Files that import a module of ours."""
    return sorted(
        str(file.relative_to(ROOT))
        for file in (ROOT / "advisor").rglob("*.py")
        if module in imported(file)
    )


def imported(file: Path):
    nodes = list(ast.walk(ast.parse(file.read_text())))
    names = {each.name for node in nodes if isinstance(node, ast.Import) for each in node.names}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{each.name}" for each in node.names)}
    return names
