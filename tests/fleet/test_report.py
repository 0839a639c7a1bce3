"""What a store with known truth says: sums, order, changes, slow nodes; and a page that is safe
whatever the jobs' names are."""

from __future__ import annotations

import json
import os
import re
import sys
from datetime import date, timedelta
from html.parser import HTMLParser
from pathlib import Path

import pytest
from small_fleet import PROFILES, ROOT, spool_of, write

sys.path.insert(0, str(ROOT))

from benchmarks.fleet import LAST, RULES, make

from advisor.__main__ import main
from advisor.base.worth.site import NOTHING, Site
from advisor.fleet import store as stores
from advisor.fleet.owned import CAUSES, LARGEST, SHARED, owned
from advisor.fleet.render import POLICY, render
from advisor.fleet.report import compose
from advisor.fleet.subjects import subject
from advisor.fleet.tables import table
from advisor.fleet.tabular import notes, sections
from advisor.model.errors import UserError

YEAR = timedelta(days=365)
HOSTILE = "<script>alert(1)</script>|`**x**`\"'&\u202e"


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """(store, truth, what is said of all of it) of 1500 jobs in nine weeks."""
    path = tmp_path_factory.mktemp("generated") / "store"
    truth = make(path, 1500, days=63)
    store = stores.opened(path)
    return store, truth, compose(store, YEAR)


def test_all_that_was_planted_is_found_in_order(generated):
    _, truth, report = generated
    lost = {row["rule"]: row["lost_hours"] for row in report.causes}
    assert lost == pytest.approx(truth.lost)
    expected = sorted(RULES, key=lambda rule: -truth.lost[rule])
    assert [row["rule"] for row in report.causes] == expected
    doable = sum(row["doable_hours"] for row in report.causes)
    assert doable == pytest.approx(sum(truth.lost[rule] for rule in RULES[::2]))
    total = report.totals
    assert (total["hours"], total["lost_hours"]) == pytest.approx(
        (truth.hours, sum(truth.lost.values()))
    )


def test_users_applications_and_libraries_add_up_to_all(generated):
    _, _, report = generated
    assert sum(row["hours"] for row in report.groups["MPI libraries"]) == pytest.approx(
        report.totals["hours"]
    )
    for rows in report.groups.values():
        assert all(row["lost_least"] <= row["lost_hours"] <= row["lost_most"] for row in rows)


def test_the_days_that_were_asked_for(generated):
    store, _, _ = generated
    report = compose(store, timedelta(days=30))
    assert (report.since, report.until) == (date(2026, 10, 24), LAST + timedelta(days=1))
    assert (report.totals["first_day"], report.totals["last_day"]) == (report.since, LAST)
    with pytest.raises(UserError, match="the last is of 2026-11-22"):
        compose(store, date(2026, 12, 1))


def saved(middle, low=None, high=None):
    """Columns of what may be saved."""
    ends = {"recoverable_low": low, "recoverable_high": high}
    return {
        "recoverable": middle,
        **{end: middle if value is None else value for end, value in ends.items()},
    }


def finding(week, rule, lost, **more):
    """Of which all may be saved."""
    own = {"day": week, "week": week, "rule": rule, "title": rule, "lost": lost}
    return {**own, **saved(lost), **more}


def test_what_changed_in_the_last_full_week(tmp_path):
    """The week that has begun is compared with nothing."""
    store = stores.create(tmp_path / "store", False)
    begun, last, before = date(2026, 11, 16), date(2026, 11, 9), date(2026, 11, 2)
    jobs, findings = [], []
    for week, version, lost in ((before, "4", 1.0), (last, "5", 3.0), (begun, "5", 10.0)):
        for number in range(6):
            job = {"day": week, "week": week, "user_name": "u", "application": "cfd"}
            hours = {"node_hours": 10.0, "lost": lost, "lost_low": lost, "lost_high": lost}
            hours.update(saved(lost))
            jobs.append({**job, **hours, "library": "mpi", "library_version": version})
            findings.append(finding(week, "late", lost, user_name="u", application="cfd"))
            findings.append(finding(week, "same", 1.0, user_name="u", application="cfd"))
    with store.locked():
        added = {"jobs": table("jobs", jobs), "findings": table("findings", findings)}
        store.commit(added, "new-1")
    report = compose(store, YEAR)
    assert report.week == last
    rules = [(each.what, each.before, each.now) for each in report.changed_rules]
    assert rules == [("late", pytest.approx(0.1), pytest.approx(0.3))]
    applications = [(each.what, each.before, each.now) for each in report.changed_applications]
    assert applications == [
        ("cfd with mpi 5", None, pytest.approx(0.3)),
        ("cfd with mpi 4", pytest.approx(0.1), None),
    ]


PRICES = Site("list of 2026", "EUR", 0.5, 0.25, 400.0, None, 300.0)


@pytest.mark.parametrize(
    "site, all_, waiting, lost",
    [
        # 10 h at 300 W and 10 h of which only the site knows: 3 + 4 kWh
        (
            PRICES,
            ("20.0", "7.00", "11.8", "2.10"),
            ("5.00", "1.75", "2.94", "0.525"),
            ("2.00", "0.700", "1.18", "0.210"),
        ),
        # Without the site, the others are as those that were measured
        (NOTHING, ("20.0", "6.00"), ("5.00", "1.50"), ("2.00", "0.600")),
    ],
)
def test_energy_and_money_of_what_was_lost(tmp_path, site, all_, waiting, lost):
    store = stores.create(tmp_path / "store", False)
    day = {"day": date(2026, 11, 2), "week": date(2026, 11, 2)}
    hours = {"node_hours": 10.0, "lost": 1.0, "lost_low": 1.0, "lost_high": 1.0, "wait_share": 0.25}
    hours.update(saved(1.0))
    jobs = [{**day, **hours, "watts": 300.0}, {**day, **hours, "energy_fault": "too much"}]
    findings = [finding(day["day"], "late", 1.0, watts=watts) for watts in (300.0, None)]
    with store.locked():
        added = {"jobs": table("jobs", jobs), "findings": table("findings", findings)}
        store.commit(added, "new-1")
    report = compose(store, YEAR, site)
    section = next(each for each in sections(report) if each.title == "Energy and money")
    assert [row[1:] for row in section.rows] == [all_, waiting, lost]
    assert sections(report)[0].rows[0][7:] == lost[1:]
    said = " ".join(notes(report))
    assert "Energy was measured in 1 of 2 jobs" in said and "For 1 of the jobs an energy" in said


def test_without_energy_and_prices_nothing_is_said(hostile):
    text = render(compose(hostile, YEAR), "markdown")
    assert "Energy" not in text and "kWh" not in text


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A store in which all names are hostile. They cannot get in that way: the second wall."""
    store = stores.create(tmp_path_factory.mktemp("hostile") / "store", False)
    names = {each: HOSTILE for each in ("user_name", "account", "application", "library", "job")}
    day = {"day": date(2026, 11, 2), "week": date(2026, 11, 2)}
    hours = {"node_hours": 1.0, "lost": 0.5, "lost_low": 0.1, "lost_high": 0.9}
    hours.update(saved(0.5, 0.1, 0.9))
    job = {**names, **day, **hours, "library_version": HOSTILE}
    late = finding(day["day"], HOSTILE, 0.5, lost_low=0.1, lost_high=0.9, **names)
    with store.locked():
        added = {"jobs": table("jobs", [job]), "findings": table("findings", [late])}
        store.commit(added, "new-1")
    return store


class Tags(HTMLParser):
    """Elements and attributes of a page, and the text between them."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), ""

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}

    def handle_data(self, data):
        self.text += data


def test_the_page_runs_nothing_and_asks_nobody(hostile):
    style = (ROOT / "advisor" / "reports" / "report.css").read_text()
    page = render(compose(hostile, YEAR), "html", style)
    seen = Tags()
    seen.feed(page)
    assert seen.tags & {"script", "img", "iframe", "link", "object", "form", "base"} == set()
    assert not {name for name in seen.attributes if name.startswith("on")} | (
        seen.attributes & {"src", "style", "action"}
    )
    assert POLICY in page.replace("&#39;", "'") and "default-src 'none'" in POLICY
    assert HOSTILE in seen.text
    assert set(re.findall(r'href="([^"]*)"', page)) <= {f"#s{number}" for number in range(1, 20)}
    assert not re.search(r"url\((?!#)|@import|https?:", page)


def test_markdown_has_no_marks_of_strangers(hostile):
    text = render(compose(hostile, YEAR), "markdown")
    assert "<script" not in text.replace("\\<script", "") and "\u202e" not in text
    tables = [line for line in text.splitlines() if line.startswith("|")]
    bars = [len(re.findall(r"(?<!\\)\|", line)) for line in tables]
    assert set(bars) <= {5, 6, 7, 8}


def test_json_is_what_was_composed(hostile):
    content = json.loads(render(compose(hostile, YEAR), "json"))
    assert (content["format"], content["version"]) == ("advisor-fleet-report", [1, 0])
    assert content["groups"]["Users"][0]["name"] == HOSTILE
    assert content["totals"]["lost_hours"] == 0.5


@pytest.mark.parametrize("kind", ["user", "app", "rule", "job"])
def test_one_of_them_in_the_terminal(hostile, kind):
    text = subject(hostile, kind, HOSTILE, YEAR)
    assert "0.10 to 0.90" in text and "\u202e" not in text and "\\u202e" in text
    with pytest.raises(UserError, match=f"has no {kind}"):
        subject(hostile, kind, "nobody", YEAR)


def test_one_host(generated):
    store, _, _ = generated
    assert subject(store, "host", "n0001", YEAR).startswith(
        "2026-09-21 to 2026-11-22 (63 days)\n\nJobs, the last ones first\n\n  cluster"
    )


def test_the_commands_from_a_spool_to_a_page(tmp_path, capsysbinary):
    """Judged by a process of its own, as on a centre's machine."""
    spool, store = spool_of(tmp_path, {"1": PROFILES["4"]}), tmp_path / "store"
    write(spool / "2026/11/23/tests.2.0.profile", b"torn")
    recorded = str(Path(__file__).parent / "recorded" / "sacct.txt")
    # Written two days ago by any clock: the command has no other than the machine's.
    for file in spool.rglob("*.profile"):
        os.utime(file, (1e9, 1e9))
    assert main(["fleet", "ingest", str(spool), str(store), "--sacct", recorded]) == 0
    said = capsysbinary.readouterr()
    assert said.out == b"1 added, 0 known, 0 waiting, 1 quarantined, 0 left, 0 ignored\n"
    assert b"quarantined: " in said.err and b"not a profile" in said.err
    assert main(["fleet", "compact", str(store), "--keep", "400d"]) == 0
    assert main(["fleet", "report", str(store)]) == 0
    told = capsysbinary.readouterr().out.decode()
    # Names are pseudonyms unless a store is made with --names.
    assert told.startswith("# What the jobs lose\n") and "| nobody |" not in told
    assert "| user-" in told
    assert main(["fleet", "user", str(store), "nobody"]) == 0
    assert b"Jobs that lose most" in capsysbinary.readouterr().out
    assert main(["fleet", "ingest", "--names", str(spool), str(store)]) == 2
    assert b"was made with pseudonyms" in capsysbinary.readouterr().err
    assert main(["fleet", "report", str(store), "-o", str(tmp_path / "page.html")]) == 0
    assert "<!doctype html>" in (tmp_path / "page.html").read_text()
    assert main(["fleet", "job", str(store), "1"]) == 0
    assert main(["fleet", "report", str(store), "--since", "soon"]) == 2


def test_time_that_findings_share_is_counted_once():
    """With causes they are disjoint; without, the one with the largest bound stands for all."""
    from dataclasses import replace

    from advisor.api import read

    advice = read(PROFILES["2"]).advice()
    causes = advice.measures.causes
    found = owned(advice)
    assert {each.basis for each in found} <= {CAUSES, SHARED}
    assert sum(each.seconds for each in found) <= causes.elapsed
    blind = replace(advice, measures=replace(advice.measures, causes=None))
    bases = [each.basis for each in owned(blind)]
    assert bases.count(LARGEST) == 1 and set(bases) == {LARGEST, SHARED}
    assert sum(each.seconds for each in owned(blind)) <= causes.elapsed
