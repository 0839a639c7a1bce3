"""Which files a run has left on this host: those that this user wrote, no larger than a rank makes
them, and nothing else."""

from __future__ import annotations

import os
import re
import secrets
import subprocess
from pathlib import Path

import pytest
from mpi_builds import REPOSITORY, compile_program, find, preloaded, require, run

from advisor.intake.container.framing import RECORD_MAGIC, open_bytes, split
from advisor.launching.run import rank_records

STRANGER = 54321


@pytest.fixture
def place(tmp_path):
    """(environment whose $TMPDIR is open to all, this folder, the run, a folder for what is
    collected)."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    return {"TMPDIR": str(shared)}, shared, secrets.token_hex(8), tmp_path / "parts"


def test_the_bound_holds_the_largest_record(collector, tmp_path):
    """As many blocks as there can be threads that called MPI, of the size that the record itself
    tells."""
    build, name = require(find("mpich4")), secrets.token_hex(8)
    program = compile_program(
        build,
        "c",
        [REPOSITORY / "tests" / "collectors" / "ending.c"],
        tmp_path / "ending",
        ["-pthread"],
    )
    run(build, 1, [*preloaded(collector(build), tmp_path, f"ADVISOR_RUN={name}"), program, "kill"])
    (record,) = rank_records.collect(name, tmp_path, os.environ)
    blocks = split(open_bytes(str(record)), RECORD_MAGIC)[0]["blocks"]
    limit = int(
        re.search(
            r"BLOCK_LIMIT = (\d+)",
            (REPOSITORY / "collectors" / "core" / "record" / "record.h").read_text(),
        ).group(1)
    )
    assert record.stat().st_size == blocks["offset"] + blocks["stride"]
    assert (
        blocks["offset"] + limit * blocks["stride"]
        <= rank_records.LARGEST["record"]
        < 4 * (blocks["offset"] + limit * blocks["stride"])
    )


@pytest.mark.parametrize("where", ["own", "shared"])
def test_what_is_ours_is_moved_without_its_holes(place, where):
    environment, shared, name, parts = place
    folder = shared / f"advisor-{os.geteuid()}" if where == "own" else shared
    folder.mkdir(mode=0o700, exist_ok=True)
    with open(folder / f"advisor-{name}-1.record", "wb") as file:
        file.write(b"begin")
        file.truncate(64 << 20)
        file.seek(40 << 20)
        file.write(b"middle")
    assert rank_records.collect(name, parts, environment) == [parts / f"advisor-{name}-1.record"]
    moved = (parts / f"advisor-{name}-1.record").read_bytes()
    assert (len(moved), moved[:5], moved[40 << 20 : (40 << 20) + 6], moved.count(0)) == (
        64 << 20,
        b"begin",
        b"middle",
        (64 << 20) - 11,
    )
    assert (parts / f"advisor-{name}-1.record").stat().st_blocks * 512 < 1 << 20
    assert list(shared.iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "hard link", "too large", "stranger's"])
def test_what_is_none_is_left_where_it_is(place, tmp_path, kind):
    environment, shared, name, parts = place
    path, other = shared / f"advisor-{name}-1.record", tmp_path / "other"
    other.write_text("x")
    make = {
        "link": lambda: path.symlink_to(other),
        "pipe": lambda: os.mkfifo(path),
        "folder": path.mkdir,
        "hard link": lambda: os.link(other, path),
        "too large": lambda: path.touch() or os.truncate(path, rank_records.LARGEST["record"] + 1),
        "stranger's": (
            lambda: (
                path.touch()
                or (
                    os.chown(path, STRANGER, STRANGER)
                    if os.geteuid() == 0
                    else pytest.skip("only root can give a file away")
                )
            )
        ),
    }
    make[kind]()
    assert rank_records.collect(name, parts, environment) == []
    assert os.path.lexists(path) and not parts.exists() and other.read_text() == "x"


def test_a_folder_with_our_name_that_is_not_ours_is_not_looked_into(place):
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    environment, shared, name, parts = place
    own = shared / f"advisor-{os.geteuid()}"
    own.mkdir()
    (own / f"advisor-{name}-1.record").write_text("x")
    os.chown(own, STRANGER, STRANGER)
    assert list(rank_records.left_behind(name, environment)) == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_record_that_a_stranger_put_under_the_parents_number_hides_no_rank(collector, tmp_path):
    """A process below a measured one counts as its child, and runs unmeasured:
    /dev/shm/advisor-RUN-PID.record says who is one."""
    build, name = require(find("mpich4")), secrets.token_hex(8)
    program = compile_program(
        build,
        "c",
        [REPOSITORY / "tests" / "collectors" / "ending.c"],
        tmp_path / "ending",
        ["-pthread"],
    )
    words = [program, "kill"]
    environment = {
        **os.environ,
        "LD_PRELOAD": collector(build),
        "ADVISOR_OUTPUT": str(tmp_path),
        "ADVISOR_RUN": name,
    }
    planted = Path(f"/dev/shm/advisor-{name}-{os.getpid()}.record")
    planted.write_bytes(bytes(4 << 20))
    os.chown(planted, STRANGER, STRANGER)
    try:
        subprocess.run(words, env=environment, timeout=60)
        assert len(rank_records.collect(name, tmp_path, os.environ)) == 1
    finally:
        planted.unlink()
