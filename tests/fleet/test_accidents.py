"""What goes wrong around a store: two ingests, a lock, no room, clocks, hostile files, readers."""

from __future__ import annotations

import fcntl
import os
import signal
import shutil
import subprocess
import sys
import threading
from datetime import date, timedelta
from pathlib import Path

import pytest
from small_fleet import (
    HOUR,
    NOW,
    PROFILES,
    InProcess,
    ingested,
    judged_once,
    left,
    rows,
    spool_of,
)

from advisor.cli.fleet import judge
from advisor.fleet import judging, store as stores
from advisor.fleet.compaction import Kept, compact
from advisor.fleet.ingest import Ingest
from advisor.fleet.query import asked, connected
from advisor.fleet.report import EVER
from advisor.fleet.tables import table
from advisor.model.errors import UserError


def why_no_mounts():
    """Empty where a file system can be mounted."""
    if os.geteuid() != 0:
        return "mounting a small disk needs root"
    tried = ["unshare", "-m", "mount", "-t", "tmpfs", "tmpfs", "/mnt"]
    done = subprocess.run(tried, capture_output=True, text=True)
    return done.stderr.strip() if done.returncode else ""


SMALL = {"1": PROFILES["1"], "4": PROFILES["4"]}


def test_two_ingests_at_once_are_one(tmp_path):
    spool, path = spool_of(tmp_path, SMALL), tmp_path / "store"
    store = stores.create(path, False)
    with store.locked(), pytest.raises(UserError, match="in use by another") as refusal:
        ingested(spool, path)
    assert "stay in the spool" in refusal.value.meaning
    assert len(left(spool)) == 2
    with store.locked():
        waiting = threading.Thread(target=lambda: _patient(spool, store))
        waiting.start()
    waiting.join(30)
    assert (len(rows(path)), left(spool)) == (2, [])


def _patient(spool, store):
    with store.locked(patience=20):
        Ingest(spool, store, judged_once, InProcess, NOW).run()


def test_a_lock_of_the_dead_is_none(tmp_path):
    """A lock file that lies there locks nobody out."""
    spool, path = spool_of(tmp_path, SMALL), tmp_path / "store"
    stores.create(path, False)
    child = os.fork()
    if not child:
        with stores.opened(path).locked():
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    assert (path / "lock").exists()
    assert ingested(spool, path).counts["added"] == 2


@pytest.mark.parametrize("room", [200, 9_000, 90_000])
def test_without_room_nothing_is_lost(tmp_path, room):
    """Files cannot grow beyond so many bytes: of the copies, or of the tables."""
    import resource

    spool, path = spool_of(tmp_path, {"4": PROFILES["4"]}), tmp_path / "store"
    stores.create(path, False)
    judged_once(str(PROFILES["4"]), "profile")
    child = os.fork()
    if not child:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
        try:
            ingested(spool, path)
        except UserError as error:
            os._exit(10 if "cannot be written" in error.what else 11)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code == (0 if room == 90_000 else 10)
    assert len(rows(path)) == (1 if code == 0 else 0)
    ingested(spool, path)
    assert (len(rows(path)), left(spool)) == (1, [])


def test_a_full_spool_is_read(tmp_path):
    """Nothing has to be written there."""
    spool, path = spool_of(tmp_path, SMALL), tmp_path / "store"
    for folder in (spool / "2026/11/23", spool):
        folder.chmod(0o555)
    assert ingested(spool, path).counts["added"] == 2
    again = ingested(spool, path)
    assert (again.counts["added"], len(rows(path))) == (0, 2)


@pytest.mark.parametrize("now", [NOW.replace(year=1971), NOW.replace(year=2090)])
def test_a_clock_that_jumps_puts_nothing_away_and_dates_stay(tmp_path, now):
    """What the profile says is kept where it is possible; a later ingest adds nothing."""
    spool, path = spool_of(tmp_path, {"1": PROFILES["1"]}), tmp_path / "store"
    ingested(spool, path, now=now)
    spool_of(tmp_path, {"1": PROFILES["1"]})
    ingested(spool, path)
    ((day, source),) = rows(path, "jobs", "day", "started_from")
    assert (day, source) in (
        (date(2026, 11, 21), "profile"),
        # In 1971 a run of 2026 cannot have begun: all that is left is the clock's own time.
        (date(2000, 1, 1), "file"),
        (date(1971, 11, 24), "file"),
    )


def test_retention_does_not_believe_a_clock_that_jumped(tmp_path):
    """In 2090 all rows are older than 400 days; the newest of the store is what counts."""
    path = _with_days(tmp_path, [NOW.date() - timedelta(days=each) for each in range(0, 500, 5)])
    store = stores.opened(path)
    with store.locked():
        compact(store, date(2090, 1, 1), Kept(timedelta(days=400)))
    days = [day for (day,) in rows(path, "jobs", "day")]
    # Of 100 jobs the last one may be of the future: the day before it counts.
    assert (len(days), min(days)) == (82, NOW.date() - timedelta(days=405))


def test_one_job_of_the_future_makes_no_other_old(tmp_path):
    days = [NOW.date() - timedelta(days=each) for each in range(150)]
    path = _with_days(tmp_path, [*days, date(2031, 1, 1)])
    store = stores.opened(path)
    with store.locked():
        compact(store, date(2090, 1, 1), Kept(timedelta(days=400)))
    assert len(rows(path)) == 151


def test_compaction_changes_no_row_and_leaves_a_file_a_month(tmp_path):
    path = _with_days(tmp_path, [date(2026, month, 3) for month in (9, 10, 11) for _ in range(4)])
    before, store = rows(path), stores.opened(path)
    for _ in range(2):
        with store.locked():
            compact(store, NOW.date())
    names = [file.name for file in store.files("jobs")]
    assert names == ["empty.parquet", *(f"month-2026-{month}.parquet" for month in ("09", 10, 11))]
    assert rows(path) == before


def test_profiles_go_and_their_rows_stay(tmp_path):
    spool, path = spool_of(tmp_path, SMALL), tmp_path / "store"
    ingested(spool, path)
    store = stores.opened(path)
    old = NOW.timestamp() - 100 * 24 * HOUR
    for file in (path / "raw").rglob("*.profile"):
        os.utime(file, (old, old))
    with store.locked():
        compact(store, NOW.date(), Kept(profiles=timedelta(days=30)))
    assert (list((path / "raw").rglob("*.profile")), len(rows(path))) == ([], 2)


def test_who_reads_sees_one_state_though_the_store_changes(tmp_path):
    spool, path = spool_of(tmp_path, {"1": PROFILES["1"]}), tmp_path / "store"
    ingested(spool, path)
    store = stores.opened(path)
    whole = {"since": EVER, "until": date.max}
    with connected(store) as connection:
        spool_of(tmp_path, {"4": PROFILES["4"]})
        ingested(spool, path)
        assert asked(connection, "totals", **whole)[0]["jobs_run"] == 1
    with connected(store) as connection:
        assert asked(connection, "totals", **whole)[0]["jobs_run"] == 2


def test_what_does_not_fit_into_memory_lies_in_a_folder_that_goes(tmp_path):
    ingested(spool_of(tmp_path, {"1": PROFILES["1"]}), tmp_path / "store")
    with connected(stores.opened(tmp_path / "store")) as connection:
        (spilled,) = connection.execute("SELECT current_setting('temp_directory')").fetchone()
        assert Path(spilled).is_absolute() and Path(spilled).is_dir()
    assert not Path(spilled).exists()


def killer(path, kind):
    """Judging that ends its process, as a file might that finds a hole in a library."""
    if Path(path).read_bytes() == PROFILES["4"].read_bytes():
        os.kill(os.getpid(), signal.SIGKILL)
    return judge(path, kind)


def test_a_file_that_ends_its_reader_takes_no_other_with_it(tmp_path):
    """Real processes: the others are judged, this one is put away."""
    spool, path = spool_of(tmp_path, SMALL), tmp_path / "store"
    store = stores.create(path, False)
    with store.locked():
        summary = Ingest(spool, store, killer, judging.processes, NOW).run()
    assert (summary.counts["added"], summary.counts["quarantined"]) == (1, 1)
    assert "ended the process" in summary.reasons[0]


@pytest.mark.parametrize(
    "prepare, said",
    [
        (lambda path: None, "is no store: it holds no store.json"),
        (lambda path: (path / "store.json").write_text("{}"), "is no store that can be used"),
        (lambda path: (path / "store.json").write_text("[" * 99_999), "is no store"),
        (lambda path: path.chmod(0o777), "others can write"),
    ],
)
def test_what_is_no_store_is_said_in_a_sentence(tmp_path, prepare, said):
    prepare(tmp_path)
    with pytest.raises(UserError, match=said):
        stores.opened(tmp_path)


def test_a_folder_with_other_things_becomes_no_store(tmp_path):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(UserError, match="not empty"):
        stores.create(tmp_path, False)


@pytest.mark.parametrize(
    "missing, words", [("duckdb", ["report", "STORE"]), ("pyarrow", ["ingest", ".", "NEW"])]
)
def test_without_the_extra_one_sentence(tmp_path, missing, words):
    stores.create(tmp_path / "STORE", False)
    code = (
        f"import sys; sys.modules['{missing}'] = None\n"
        "from advisor.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "fleet", *words], capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "pip install 'mpi-advisor[fleet]'" in done.stderr


def _with_days(folder, days):
    """A store with a job a day."""
    store = stores.create(folder / "store", False)
    found = [
        {"profile": f"{place:032x}", "day": day, "week": day, "job": str(place), "node_hours": 1.0}
        for place, day in enumerate(days)
    ]
    with store.locked():
        for part in range(2):
            store.commit({"jobs": table("jobs", found[part::2])}, f"new-{part}")
    return folder / "store"


@pytest.mark.skipif(bool(why_no_mounts()), reason=why_no_mounts() or "-")
def test_a_disk_that_is_really_full(tmp_path):
    """A file system of 200 KiB: what does not fit stays in the spool, and comes when there is
    room."""
    spool, path = spool_of(tmp_path, SMALL), tmp_path / "disk" / "store"
    path.parent.mkdir()
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k,mode=755", "tmpfs", str(path.parent)], check=True
    )
    try:
        stores.create(path, False)
        filler = path.parent / "filler"
        with pytest.raises(OSError), open(filler, "wb", buffering=0) as file:
            while file.write(b"x" * 4096):
                pass
        with pytest.raises(UserError, match="No space left"):
            ingested(spool, path)
        assert (len(left(spool)), rows(path)) == (2, [])
        filler.unlink()
        subprocess.run(["mount", "-o", "remount,size=2m", str(path.parent)], check=True)
        ingested(spool, path)
        assert (left(spool), len(rows(path))) == ([], 2)
    finally:
        subprocess.run(["umount", str(path.parent)], check=True)


NO_LOG_FLUSH, SHUTDOWN = 2, 0x8004587D
"""What ext4 calls a shutdown that leaves on the disk what was on it: a power cut."""


@pytest.mark.skipif(
    bool(why_no_mounts()) or not os.path.exists("/dev/loop-control"),
    reason=why_no_mounts() or "no loop devices",
)
@pytest.mark.parametrize("commits", [0, 1, 2], ids=["first", "second", "last"])
def test_a_power_cut_loses_and_doubles_nothing(tmp_path, commits):
    """A disk of its own loses power before the first commit, after it, or after the last. What the
    next ingest finds on it are two jobs, each once."""
    image, after, disk = (tmp_path / name for name in ("image", "after", "disk"))
    image.write_bytes(bytes(32 << 20))
    disk.mkdir()
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    if subprocess.run(["mount", "-o", "loop", image, disk], capture_output=True).returncode:
        pytest.skip("no loop device here")
    try:
        spool, path = spool_of(disk, SMALL), disk / "store"
        stores.create(path, False)
        os.sync()
        seen = []

        def until_the_cut(file, kind):
            seen.append(file)
            if len(seen) > commits:
                _cut_power(disk)
            return judged_once(file, kind)

        try:
            ingested(spool, path, judge=until_the_cut, batch=1)
        except (UserError, OSError):
            assert commits < 2
        _cut_power(disk)
        # A copy: whoever else has the old one mounted (any new mount namespace) keeps it dead.
        shutil.copy(image, after)
        subprocess.run(["umount", "-l", disk], check=True)
        subprocess.run(["mount", "-o", "loop", after, disk], check=True)
        ingested(spool, path)
        assert (len(rows(path)), left(spool)) == (2, [])
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def _cut_power(disk):
    handle = os.open(disk, os.O_RDONLY)
    try:
        fcntl.ioctl(handle, SHUTDOWN, NO_LOG_FLUSH.to_bytes(4, "little"))
    finally:
        os.close(handle)
