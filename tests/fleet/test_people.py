"""What users see of a store, and what they are told: own jobs only, three findings, and silence
when they want it."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
import tempfile
from datetime import date, timedelta
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from small_fleet import PROFILES, spool_of

from advisor.__main__ import main
from advisor.cli.fleet_people import first_screen_words
from advisor.fleet import muting, people, store as stores, views
from advisor.fleet.mail import Told, mails, message
from advisor.fleet.report import compose
from advisor.fleet.silences import FILE, Silences
from advisor.fleet.tables import table
from advisor.fleet.tabular import sections
from advisor.model.errors import UserError

TODAY = date(2026, 11, 22)
ME = pwd.getpwuid(os.geteuid()).pw_name
OTHER = next(each.pw_name for each in pwd.getpwall() if each.pw_uid not in (0, os.geteuid()))
WORDS = Told("Late: rank 3", "Do this.", "srun ./it", "It may start later.")


def rows_of(user, rule, lost, day=TODAY, application="cfd", number=0):
    key = {"profile": f"{user}{rule}{number}", "day": day, "week": day, "cluster": "c"}
    names = {"job": str(number), "user_name": user, "application": application}
    loss = {"lost": lost, "lost_low": lost, "lost_high": lost, "node_hours": 10.0}
    loss.update({f"recoverable{end}": lost for end in ("", "_low", "_high")})
    return {**key, **names, **loss}


def store_of(path, findings, jobs=(), verified=(), pseudonyms=False):
    store = stores.create(path, pseudonyms)
    jobs = [*jobs, *({**each, "lost": 0.0} for each in findings)]
    added = {
        "findings": table("findings", [{**each, "title": each["rule"]} for each in findings]),
        "jobs": table("jobs", jobs),
        "verified": table("verified", verified),
    }
    with store.locked():
        store.commit(added, "new-1")
    return store


def loss(user, rule, lost, **more):
    return {**rows_of(user, rule, lost, **more), "rule": rule}


@pytest.fixture
def silences(tmp_path):
    return Silences(tmp_path / "mail.json")


def said(store, silences, wishes=(), today=TODAY):
    """User → rules that he is told of."""
    found = mails(store, lambda path, rule: WORDS, silences, wishes, today)
    return {each.user: [row["rule"] for row, _, _ in each.findings] for each in found}


FIVE = [loss(ME, f"r{hours}", float(hours)) for hours in (2, 5, 3, 4, 0)]


def test_three_findings_by_node_hours(tmp_path, silences):
    store = store_of(tmp_path / "store", [*FIVE, loss(OTHER, "x", 1.5), loss("no-such", "x", 9.0)])
    assert said(store, silences) == {ME: ["r5", "r4", "r3"], OTHER: ["x"]}


def test_a_finding_is_silent_for_thirty_days(tmp_path, silences):
    late = TODAY + timedelta(days=29)
    store = store_of(tmp_path / "store", FIVE, jobs=[rows_of(ME, "", 0.0, day=late)])
    assert said(store, silences) == {ME: ["r5", "r4", "r3"]}
    silences.keep()
    again = Silences(tmp_path / "mail.json")
    assert said(store, again) == {ME: ["r2"]}
    assert said(store, again, today=late) == {}
    assert said(store, again, today=late + timedelta(days=1)) == {ME: ["r5", "r4", "r3"]}


def test_a_clock_that_jumped_silences_nothing_for_ever(tmp_path, silences):
    store = store_of(tmp_path / "store", FIVE)
    silences.begin((ME, "r5", "cfd"), date(2099, 1, 1), "mailed")
    assert said(store, silences)[ME][0] == "r5"


def test_who_mutes_hears_nothing_of_it(tmp_path, silences):
    spool = spool_of(tmp_path, {}, day=f"{TODAY:%Y/%m/%d}")
    store = store_of(tmp_path / "store", [*FIVE, loss(OTHER, "r5", 7.0)])
    muting.mute(spool, "r5", TODAY)
    wishes = list(muting.wishes(spool))
    assert said(store, silences, wishes) == {ME: ["r4", "r3", "r2"], OTHER: ["r5"]}
    muting.mute(spool, "all", TODAY)
    after = TODAY + timedelta(days=20)
    assert said(store, silences, muting.wishes(spool), after).get(ME) is None
    with pytest.raises(UserError, match="is no rule"):
        muting.mute(spool, "../x", TODAY)


def test_links_mute_nobody(tmp_path):
    spool = spool_of(tmp_path, {}, day=f"{TODAY:%Y/%m/%d}")
    (spool / f"{TODAY:%Y/%m/%d}" / "mute.r5.00000000").symlink_to("/etc/passwd")
    assert list(muting.wishes(spool)) == []


@pytest.mark.parametrize(
    "jobs, verified, why",
    [
        (
            [rows_of(ME, "", 0.0, TODAY + timedelta(days=2), number=n) for n in range(5)],
            [],
            "followed",
        ),
        (
            [rows_of(ME, "", 0.0, TODAY + timedelta(days=2), number=n) for n in range(4)],
            [],
            "mailed",
        ),
        ([], [{**rows_of(ME, "v", 0.0), "rules": "r5", "verdict": "better"}], "followed"),
        ([], [{**rows_of(ME, "v", 0.0), "rules": "r5", "verdict": "worse"}], "mailed"),
    ],
)
def test_what_was_followed_is_silent_from_then_on(tmp_path, silences, jobs, verified, why):
    store = store_of(tmp_path / "store", [loss(ME, "r5", 5.0)], jobs, verified)
    silences.begin((ME, "r5", "cfd"), TODAY, "mailed")
    said(store, silences, today=TODAY + timedelta(days=3))
    assert silences.since((ME, "r5", "cfd"))[1] == why


def test_the_report_says_what_was_given_and_followed(tmp_path):
    lost = [loss(ME, "r5", 5.0), loss(OTHER, "r5", 4.0), loss(ME, "r4", 4.0)]
    without = [rows_of(ME, "", 0.0, TODAY + timedelta(days=2), number=n) for n in range(5)]
    store = store_of(tmp_path / "store", lost, without)
    silences = Silences(store.path / FILE)
    silences.begin((ME, "r5", "cfd"), TODAY, "mailed")
    silences.begin((OTHER, "r5", "cfd"), TODAY, "mailed")
    silences.begin((ME, "r4", ""), TODAY, "muted")
    silences.begin((ME, "r3", ""), TODAY - timedelta(days=90), "muted")
    said(store, silences, today=TODAY + timedelta(days=3))
    silences.keep()
    report = compose(store, timedelta(days=30))
    section = next(each for each in sections(report) if each.title == "Advice to users")
    columns = ("Rule", "Mailed", "Of these followed", "Muted", "Saved since, node hours")
    assert section.columns == columns
    assert section.rows == [("r5", "2", "1", "0", "too few jobs: 1"), ("r4", "0", "0", "1", "")]


@pytest.mark.parametrize("content", [None, "torn"])
def test_without_mails_the_report_is_as_it_was(tmp_path, content):
    store = store_of(tmp_path / "store", FIVE)
    if content:
        (store.path / FILE).write_text(content)
    report = compose(store, timedelta(days=30))
    assert "Advice to users" not in [each.title for each in sections(report)]


def test_the_mail_itself(tmp_path, silences):
    store = store_of(tmp_path / "store", FIVE[:1])
    (store.raw(f"{ME}r20", "profile")).parent.mkdir(parents=True)
    store.raw(f"{ME}r20", "profile").write_text("{}")
    (found,) = mails(store, lambda path, rule: WORDS, silences, [], TODAY, "example.org")
    made = message_from_bytes(message(found, "/spool").as_bytes(), policy=policy.default)
    assert (made["To"], made["Subject"]) == (
        f"{ME}@example.org",
        "Your jobs: 2.00 node hours that need not be lost",
    )
    assert made.get_content() == (
        "From 2026-11-22 to 2026-11-22 your jobs ran for 10.0 node hours. Most\n"
        "may be saved here:\n\n"
        "1. Late: rank 3\n"
        "   2.00 node hours may be saved in 1 job of cfd; most in job 0.\n"
        "   Do this.\n"
        "   Caution: It may start later.\n"
        "     srun ./it\n\n"
        "To hear nothing of one of them for 30 days: advisor fleet mute /spool\n"
        "RULE, where RULE is one of: r2; or all.\n"
    )


def test_names_of_strangers_are_no_headers(tmp_path, silences):
    hostile = "x\nBcc: all@example.org\x1b"
    store = store_of(tmp_path / "store", [loss(ME, "r5", 5.0, application=hostile)])
    (found,) = mails(store, lambda path, rule: None, silences, [], TODAY)
    raw = message(found).as_bytes()
    assert b"\nBcc" not in raw and b"\x1b" not in raw


def test_words_are_those_of_the_first_screen():
    told = first_screen_words(str(PROFILES["2"]), "uneven-compute")
    assert told.title.startswith("Load imbalance: rank 3 computes 3.61 times")
    assert str(PROFILES["2"]) not in told.command
    assert first_screen_words(str(PROFILES["2"]), "no-such-rule") is None


def test_the_command_writes_mails_and_sends_none(tmp_path, capsysbinary):
    store = store_of(tmp_path / "store", FIVE)
    words = ["fleet", "mail", str(store.path), "-o", str(tmp_path / "mails")]
    assert main([*words, "--dry-run"]) == 0 and main(words) == 0
    assert capsysbinary.readouterr().err.endswith(b"1 mails written, none sent\n")
    assert [each.name for each in (tmp_path / "mails").iterdir()] == [f"{ME}.eml"]
    assert (tmp_path / "mails" / f"{ME}.eml").stat().st_mode & 0o077 == 0
    assert main(words) == 0  # r2 is left for the second mail
    assert main(words) == 0
    said = capsysbinary.readouterr().err
    assert said.endswith(
        b"0 mails written, none sent: nobody has news by which a node hour may be saved\n"
    )


@pytest.fixture
def open_to_all():
    """Other users do not reach the folders of pytest."""
    with tempfile.TemporaryDirectory(prefix="advisor-mine-") as folder:
        yield Path(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to other users")
def test_a_user_sees_own_jobs_and_no_others(open_to_all):
    """Asked by a process of that user's: the store and another user's file cannot be opened."""
    open_to_all.chmod(0o711)
    both = [loss(ME, "mine", 5.0), loss(OTHER, "theirs", 5.0), loss("no-such", "x", 5.0)]
    store = store_of(open_to_all / "store", both)
    done, left = views.write_all(store, open_to_all / "mine", timedelta(days=30))
    assert (sorted(done), left) == (sorted([ME, OTHER]), ["no-such"])
    code = (
        "import os, sys; os.setgroups([]); os.setgid({uid}); os.setuid({uid})\n"
        "from pathlib import Path\n"
        "print(open('{folder}/{uid}.txt').read())\n"
        "for other in ('{folder}/0.txt', '{store}/current/jobs'):\n"
        "    try: print(os.listdir(other) if os.path.isdir(other) else open(other).read())\n"
        "    except OSError as error: print(error.strerror)\n"
    ).format(uid=pwd.getpwnam(OTHER).pw_uid, folder=open_to_all / "mine", store=store.path)
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "theirs" in told.stdout and "mine " not in told.stdout, told.stderr
    assert told.stdout.count("Permission denied") == 2


def test_mine_is_the_file_of_who_asks(tmp_path, capsysbinary):
    store = store_of(tmp_path / "store", FIVE)
    folder = str(tmp_path / "mine")
    assert main(["fleet", "views", str(store.path), folder]) == 0
    assert main(["fleet", "mine", folder]) == 0
    assert b"r5" in capsysbinary.readouterr().out
    assert main(["fleet", "mine", str(tmp_path)]) == 2
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    assert main(["fleet", "views", str(store.path), str(tmp_path / "open")]) == 2


def test_pseudonyms_find_their_accounts(tmp_path):
    store = stores.create(tmp_path / "store", True)
    name = store.pseudonyms.name("user", ME)
    assert people.accounts([name, "user-000000000000"], store.pseudonyms)[name].pw_name == ME
    assert people.accounts([ME], store.pseudonyms) == {}


def test_one_command_of_the_timer_also_writes_the_views(tmp_path, capsysbinary):
    """Whoever was killed between the two, or amid a file, finds all done by the next one."""
    spool, folder = spool_of(tmp_path, {"1": PROFILES["4"]}), tmp_path / "mine"
    for file in spool.rglob("*.profile"):
        os.utime(file, (1e9, 1e9))  # Written long ago by any clock
    words = ["fleet", "ingest", str(spool), str(tmp_path / "store"), "--views", str(folder)]
    assert main(words) == 0
    own = folder / f"{os.geteuid()}.txt"
    first = own.read_text()
    own.unlink()
    (folder / f".{own.name}-0123abcd").write_text("half a fi")
    assert main(words) == 0
    assert (own.read_text(), os.listdir(folder)) == (first, [own.name])
    said = capsysbinary.readouterr().out.decode().splitlines()
    assert said == [
        "1 added, 0 known, 0 waiting, 0 quarantined, 0 left, 0 ignored",
        "views: 1 written, 0 left",
        "0 added, 0 known, 0 waiting, 0 quarantined, 0 left, 0 ignored",
        "views: 1 written, 0 left",
    ]


def test_older_jobs_are_counted(tmp_path, capsysbinary):
    """Those of who is asked for: three of mine lie before the 30 days, and one of another user."""
    old = TODAY - timedelta(days=40)
    before = [rows_of(ME, "", 0.0, day=old, number=number) for number in range(3)]
    store = store_of(tmp_path / "store", FIVE, [*before, rows_of(OTHER, "", 0.0, day=old)])
    assert main(["fleet", "user", str(store.path), ME]) == 0
    said = capsysbinary.readouterr().out.decode().splitlines()[0]
    assert said.replace("\u00a0", " ") == (
        "2026-10-24 to 2026-11-22 (30 days); 3 older jobs left out, see --since"
    )
    assert main(["fleet", "report", str(store.path)]) == 0
    assert "(30 days); 4 older jobs left out, see --since" in (
        capsysbinary.readouterr().out.decode().replace("\u00a0", " ")
    )
