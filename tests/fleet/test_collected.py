"""A profile that the collector itself puts into the spool: what a job never waits for, and what it
never changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from datetime import datetime, timedelta, timezone

import pytest
from mpi_builds import compile_program, environment, find, require

from advisor import intake
from advisor.fleet.spool import deliver, files, given_up, ready

TODAY = datetime.now(timezone.utc).date()
PROGRAM = (
    "#include <mpi.h>\nint main(int c, char **v) { MPI_Init(&c, &v); MPI_Barrier(MPI_COMM_WORLD);"
    " MPI_Finalize(); return 7; }\n"
)
NAME = "here.77.0"


@pytest.fixture(scope="module")
def build():
    return require(find("mpich5"))


@pytest.fixture(scope="module")
def program(build, tmp_path_factory):
    place = tmp_path_factory.mktemp("program")
    (place / "p.c").write_text(PROGRAM)
    return compile_program(build, "c", [place / "p.c"], place / "p")


@pytest.fixture
def spool(tmp_path):
    place = tmp_path / "spool"
    place.mkdir()
    ready(place, TODAY)
    return place


@pytest.fixture
def measured(build, program, collector):
    """spool → seconds that two ranks took; they end with their own code and say nothing."""

    def run(spool, **more):
        own = {"ADVISOR_SPOOL": str(spool), "ADVISOR_SPOOL_NAME": NAME, **more}
        words = [*build.launcher, "-n", "2", "env", f"LD_PRELOAD={collector(build)}"]
        words += [f"{name}={value}" for name, value in own.items()]
        begin = time.monotonic()
        done = subprocess.run(
            [*words, str(program)], env=environment(build), capture_output=True, timeout=60
        )
        assert (done.returncode, done.stdout, done.stderr) == (7, b"", b"")
        return time.monotonic() - begin

    return run


def names(spool):
    return sorted(found.path.name for found in files(spool))


def day(spool):
    return spool.joinpath(f"{TODAY:%Y}", f"{TODAY:%m}", f"{TODAY:%d}")


def test_it_is_there_under_its_name_and_nothing_else_is(spool, measured, program):
    measured(spool, SLURM_JOB_ID="77")
    assert os.listdir(day(spool)) == [f"{NAME}.profile"]
    profile = intake.read(day(spool) / f"{NAME}.profile")
    assert len(profile.tables["ranks"]["rank"]) == 2
    assert (profile.run.program, profile.run.job) == (str(program), "77")
    assert abs(datetime.fromisoformat(profile.run.started).timestamp() - time.time()) < 120
    assert (day(spool) / f"{NAME}.profile").stat().st_mode & 0o777 == 0o640


def test_a_step_leaves_one_profile(spool, measured):
    """Its second program is not said to have no profile."""
    measured(spool)
    measured(spool)
    assert os.listdir(day(spool)) == [f"{NAME}.profile"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of others")
def test_a_name_that_somebody_else_took_costs_no_profile(spool, measured):
    taken = day(spool) / f"{NAME}.profile"
    taken.write_text("mine")
    os.chown(taken, 4711, 4711)
    measured(spool)
    assert taken.read_text() == "mine"
    first, second = names(spool)
    assert (first, second[: len(NAME) + 1]) == (f"{NAME}.profile", f"{NAME}_")


@pytest.mark.parametrize(
    "prepare",
    [
        lambda spool: (spool / "full").touch(),
        lambda spool: shutil.rmtree(spool),
        lambda spool: shutil.rmtree(day(spool)),
        lambda spool: (shutil.rmtree(spool), spool.write_text("a file")),
    ],
    ids=["full", "gone", "no day", "no folder"],
)
def test_a_spool_that_takes_nothing_is_nobodys_problem(spool, measured, prepare):
    prepare(spool)
    measured(spool)
    assert not spool.is_dir() or names(spool) == []


@pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("fsfreeze") or not os.path.exists("/dev/loop-control"),
    reason="a file system that hangs is one of root's on a loop device, frozen",
)
def test_a_spool_that_hangs_holds_a_job_up_for_two_seconds(tmp_path, measured):
    image, spool = tmp_path / "image", tmp_path / "spool"
    image.write_bytes(bytes(8 << 20))
    spool.mkdir()
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    if subprocess.run(["mount", "-o", "loop", image, spool], capture_output=True).returncode:
        pytest.skip("no loop device here")
    try:
        ready(spool, TODAY)
        subprocess.run(["fsfreeze", "-f", spool], check=True)
        try:
            assert 2 < measured(spool) < 6
        finally:
            subprocess.run(["fsfreeze", "-u", spool], check=True)
        assert names(spool) == []
    finally:
        subprocess.run(["umount", "-l", spool], check=True)


def test_a_profile_that_takes_too_long_is_given_up_and_not_the_job(spool, measured):
    measured(spool, ADVISOR_FINISH_SECONDS="0")
    assert names(spool) == []
    assert list(given_up(spool)) == ["no profile: here.77.0: the end of the job took too long"]
    assert os.listdir(day(spool)) == list(given_up(spool)) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_disk_that_is_really_full_takes_no_part_of_a_profile(spool, measured):
    small = ["mount", "-t", "tmpfs", "-o", "size=4k,mode=3733", "tmpfs", day(spool)]
    if subprocess.run(small, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        measured(spool)
        assert names(spool) == []
        assert ["could not be written" in line for line in given_up(spool)] == [True]
        assert os.listdir(day(spool)) == []
    finally:
        subprocess.run(["umount", day(spool)], check=True)


def test_a_cap_closes_the_spool_and_opens_it_again(spool):
    (spool / "cap").write_text("1k\n")
    first = deliver(spool, "here.1.0", bytes(2000), TODAY)
    ready(spool, TODAY)
    assert (spool / "full").exists()
    with pytest.raises(OSError, match="cap"):
        deliver(spool, "here.2.0", b"x", TODAY)
    first.unlink()
    ready(spool, TODAY)
    assert not (spool / "full").exists()


def test_drafts_of_past_days_go(spool):
    (day(spool) / ".here.1.0.draft").touch()
    ready(spool, TODAY)
    assert os.listdir(day(spool)) == [".here.1.0.draft"]
    ready(spool, TODAY + timedelta(days=5))
    assert not day(spool).exists()
