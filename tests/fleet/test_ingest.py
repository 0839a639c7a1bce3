"""Spool → store: what is taken, whose it is, and what is put away with a reason."""

from __future__ import annotations

import contextlib
import json
import os
from datetime import date, timedelta
from pathlib import Path

import pytest
from small_fleet import HOUR, NOW, PROFILES, ingested, left, rows, spool_of, write

from advisor.api import read
from advisor.cli.list import first_finding
from advisor.fleet import accounting, store as stores
from advisor.fleet.identity import Identifying
from advisor.fleet.pseudonyms import Pseudonyms
from advisor.fleet.rows import Judged
from advisor.fleet.spool import Refused, files as spool_files

RECORDED = Path(__file__).parent / "recorded" / "sacct.txt"
ONE = {"1": PROFILES["1"]}
JOB = ("job", "user_name", "account", "nodes", "state", "started_from", "day")


def reasons(store):
    """file → reason, of what was put away."""
    told = [json.loads(file.read_text()) for file in (store / "quarantine").glob("*.reason")]
    return {Path(each["file"]).name: each["reason"] for each in told}


def test_rows_are_what_the_report_says(tmp_path):
    """The same findings as `advisor report` of the same file, and time that adds up. What two of
    them explain is booked for the one that `advisor list` names."""
    ingested(spool_of(tmp_path, ONE), tmp_path / "store")
    advice = read(PROFILES["1"]).advice()
    found = rows(tmp_path / "store", "findings", "place", "rule", "owned", "lost")
    causes = advice.measures.causes
    crowded, uneven = advice.findings[:2]
    assert first_finding(advice) is uneven and uneven.rival_of == crowded.rule
    left = sorted(set(crowded.causes) - set(uneven.explains))
    seconds = [float(causes.means[list(own)].sum()) for own in (left, uneven.explains)]
    expected = [
        (place, advice.findings[place].rule, own, own / 3600) for place, own in enumerate(seconds)
    ]
    assert [row[:2] for row in found] == [row[:2] for row in expected]
    assert [row[2:] for row in found] == [pytest.approx(row[2:]) for row in expected]
    elapsed, lost = rows(tmp_path / "store", "jobs", "elapsed", "lost")[0]
    assert lost * 3600 == pytest.approx(sum(row[2] for row in expected))
    assert 0 < lost * 3600 < elapsed


def test_a_content_is_taken_once_whatever_its_name(tmp_path):
    spool, store = spool_of(tmp_path, ONE), tmp_path / "store"
    first = ingested(spool, store)
    spool_of(tmp_path, {"1": PROFILES["1"], "77": PROFILES["1"]})
    again = ingested(spool, store)
    assert (first.counts["added"], again.counts["known"], again.counts["added"]) == (1, 2, 0)
    assert (len(rows(store)), left(spool)) == (1, [])


def test_two_of_a_content_in_one_batch_are_one_job(tmp_path):
    spool = spool_of(tmp_path, {"1": PROFILES["1"], "77": PROFILES["1"]})
    assert ingested(spool, tmp_path / "store").sentence().startswith("1 added, 1 known")


def test_the_scheduler_says_whose_and_how_large(tmp_path):
    """The profile ran on one node two days earlier; believed is what Slurm says."""
    short = {"1": PROFILES["4"]}
    ingested(spool_of(tmp_path, short), tmp_path / "store", accounting.read(RECORDED))
    expected = ("1", "nobody", "climate", 2, "COMPLETED", "sacct", date(2026, 11, 23))
    assert rows(tmp_path / "store", "jobs", *JOB) == [expected]


def test_without_the_scheduler_the_file_s_owner(tmp_path):
    ingested(spool_of(tmp_path, ONE), tmp_path / "store")
    assert rows(tmp_path / "store", "jobs", *JOB)[0][1:6] == ("root", "", 1, "", "profile")


@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
@pytest.mark.parametrize(
    "owner, job, became",
    [
        (65534, "1", "nobody"),  # his job
        (5, "1", "It belongs to games, but job 1 is of nobody."),
        (5, "2", "games"),
        (4_000_000, "9999", "4000000"),  # a user without a name, a job that Slurm does not know
    ],
)
def test_nobody_speaks_for_another_user(tmp_path, owner, job, became):
    spool, store = spool_of(tmp_path, {job: PROFILES["4"]}, age=2 * HOUR), tmp_path / "store"
    for file in spool.rglob("*.profile"):
        os.chown(file, owner, -1)
    ingested(spool, store, accounting.read(RECORDED))
    found = [user for (user,) in rows(store, "jobs", "user_name")]
    assert (found or list(reasons(store).values())) == [became]


@pytest.mark.parametrize(
    "elapsed, nodes, ranks, said",
    [
        (60.0, 2, 4, ""),  # Slurm: 3 s on 2 nodes; a minute of slack
        (64.0, 2, 4, "took 64 s; at most 63.15 s"),
        (1e300, 2, 4, "took 1e\\+300 s"),
        (-1.0, 2, 4, "took -1 s"),
        (None, 2, 4, "does not say how long"),
        (60.0, 10**9, 4, ""),  # of nodes Slurm is believed
        (60.0, 2, 10**12, "1000000000000 ranks"),
    ],
)
def test_what_cannot_be_true_is_put_away(tmp_path, elapsed, nodes, ranks, said):
    known = accounting.read(RECORDED)
    job = {"elapsed": elapsed, "nodes": nodes, "ranks": ranks, "program": "p", "application": "p"}
    found = next(spool_files(spool_of(tmp_path, ONE)))
    identifying = Identifying(known, Pseudonyms(), NOW, HOUR)
    with pytest.raises(Refused, match=said) if said else contextlib.nullcontext():
        identity = identifying.identity("0" * 32, found, Judged(job, None))
        assert (identity.job["nodes"], identity.key["account"]) == (2, "climate")


@pytest.mark.parametrize(
    "name, content, said",
    [
        ("tests.1.0.profile", PROFILES["4"].read_bytes()[:3000], "cut short or changed"),
        ("tests.1.0.profile", b"", "not a profile"),
        ("tests.1.0.profile", b"\0" * 5000, "not a profile"),
        ("tests.1.0.profile", b'{"format": "advisor-profile"' + b"[" * 100_000, "not"),
        ("tests.1.0.verified.json", b'{"results": 1}', "is damaged"),
    ],
)
def test_what_cannot_be_read_is_put_away_with_the_reason(tmp_path, name, content, said):
    spool, store = spool_of(tmp_path, ONE), tmp_path / "store"
    bad = spool / "2026/11/23" / name.replace(".1.", ".66.")
    write(bad, content)
    summary = ingested(spool, store)
    assert (summary.counts["added"], summary.counts["quarantined"]) == (1, 1)
    assert said in reasons(store)[bad.name]
    kept = [file for file in (store / "quarantine").iterdir() if file.suffix != ".reason"]
    assert ([file.read_bytes() for file in kept], left(spool)) == ([content], [])
    # It is not judged again, whoever puts it there again.
    write(bad, content)
    assert ingested(spool, store).counts["known"] == 1


def test_what_is_still_written_is_left_until_it_is_complete(tmp_path):
    spool, store = spool_of(tmp_path, {}), tmp_path / "store"
    file = spool / "2026/11/23/tests.1.0.profile"
    write(file, PROFILES["4"].read_bytes()[:3000], age=5)
    assert ingested(spool, store).counts["waiting"] == 1
    write(file, PROFILES["4"].read_bytes(), age=1)
    assert ingested(spool, store).counts["added"] == 1
    assert (len(rows(store)), reasons(store)) == (1, {})


def test_a_job_waits_an_hour_for_its_row(tmp_path):
    spool, store = spool_of(tmp_path, {"9": PROFILES["4"]}, age=60), tmp_path / "store"
    known = accounting.read(RECORDED)
    assert ingested(spool, store, known).counts["waiting"] == 1
    later = NOW + timedelta(hours=2)
    assert ingested(spool, store, known, later).counts["added"] == 1


@pytest.mark.parametrize(
    "name, said",
    [
        ("notes.txt", 1),
        ("tests.1.profile", 1),
        ("../../x.1.0.profile".replace("/", "_"), 0),
        ("tests.1.0.profile.tmp", 1),
        (".tests.1.0.profile", 0),
        ("te sts.1.0.profile", 1),
        ("tests.1;rm.0.profile", 1),
    ],
)
def test_other_names_are_not_touched(tmp_path, name, said):
    spool = spool_of(tmp_path, {})
    write(spool / "2026/11/23" / name, PROFILES["4"].read_bytes())
    summary = ingested(spool, tmp_path / "store")
    assert (summary.counts["ignored"], sum(summary.counts.values())) == (said, said)
    assert left(spool) == [name]
    place = spool / "2026/11/23" / name
    why = f"ignored: {place}: the name is not CLUSTER.JOB.STEP.profile"
    assert summary.reasons == [why] * said


def test_what_is_ignored_is_counted_with_the_reason(tmp_path):
    """Not what is the spool's own: cap, full, drafts and what users mute."""
    spool = spool_of(tmp_path, {})
    for name in ("2026/11/23/a.txt", "2026/11/23/b.txt", "tests.1.0.profile", "2026/notes", "cap"):
        write(spool / name, b"1G")
    write(spool / "2026/11/23/mute.r5.00000000", b"")
    summary = ingested(spool, tmp_path / "store")
    assert summary.sentence().endswith("0 left, 4 ignored")
    assert summary.reasons == [
        f"ignored: {spool}/2026/11/23/a.txt (and 1 more): the name is not CLUSTER.JOB.STEP.profile",
        f"ignored: {spool}/tests.1.0.profile (and 1 more): it does not lie in a folder YYYY/MM/DD",
    ]


def test_links_and_pipes_are_not_followed(tmp_path):
    spool, secret = spool_of(tmp_path, {}), tmp_path / "secret"
    secret.write_bytes(PROFILES["4"].read_bytes())
    (spool / "2026/11/23/tests.1.0.profile").symlink_to(secret)
    os.mkfifo(spool / "2026/11/23/tests.2.0.profile")
    (spool / "2026/11/24").symlink_to(tmp_path)
    (tmp_path / "tests.3.0.profile").write_bytes(secret.read_bytes())
    summary = ingested(spool, tmp_path / "store")
    assert (summary.counts["left"], summary.counts["added"]) == (2, 0)
    assert len(list((tmp_path / "store" / "raw").rglob("*.profile"))) == 0


def test_verified_advice_is_taken_with_its_job(tmp_path):
    from advisor.model.verified import Verified
    from advisor.verifying import record

    tried = Verified(
        "many-barriers", ("many-barriers",), {"X": "1"}, "better", 5, -0.1, -0.12, -0.08,
        baseline=10.0, variant=9.0,
    )  # fmt: skip
    record.write(tmp_path, {"began": "now", "results": [record.plain(tried)]}, "advisor")
    spool = spool_of(tmp_path, {})
    write(spool / "2026/11/23/tests.1.0.verified.json", (tmp_path / "verified.json").read_bytes())
    ingested(spool, tmp_path / "store")
    columns = ("job", "rules", "verdict", "effect", "saved_seconds", "settings")
    found = rows(tmp_path / "store", "verified", *columns)
    assert found == [("1", "many-barriers", "better", -0.1, 1.0, "X=1")]


def test_pseudonyms_hide_names_and_stay_the_same(tmp_path):
    """Users, accounts, own programs and values with paths; of a store that has names, never."""
    spool, store = spool_of(tmp_path, {"1": PROFILES["2"]}), tmp_path / "store"
    ingested(spool, store, pseudonyms=True)
    spool_of(tmp_path, {"2": PROFILES["1"]})
    ingested(spool, store, pseudonyms=True)
    users = rows(store, "jobs", "user_name", "application", "program")
    assert len({user for user, _, _ in users}) == 1
    assert all(user.startswith("user-") for user, _, _ in users)
    assert all(name == other and name.startswith("program-") for _, name, other in users)
    text = repr([rows(store, table) for table in ("jobs", "findings", "settings", "hosts")])
    assert "root" not in text and "late_rank" not in text and "/" not in text
    ingested(spool_of(tmp_path / "other", {}), tmp_path / "named")
    with pytest.raises(stores.UserError, match="was made without pseudonyms"):
        stores.create(tmp_path / "named", True)
    with pytest.raises(stores.UserError, match="was made with pseudonyms"):
        stores.create(tmp_path / "store", False)


def test_texts_of_profiles_command_no_terminal(tmp_path):
    content = json.loads(PROFILES["1"].read_text())
    content["run"]["program"] = "/x/\x1b[2Jevil\u202e\ud800" + "a" * 500
    spool, store = spool_of(tmp_path, {}), tmp_path / "store"
    write(spool / "2026/11/23/tests.1.0.profile", json.dumps(content).encode())
    ingested(spool, store)
    (program,) = rows(store, "jobs", "program")[0]
    assert program.startswith("\\u001b[2Jevil\\u202e") and len(program) <= 200
