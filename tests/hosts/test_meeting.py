"""Ranks on hosts that share no memory learn from the result folder whether all of them have the
collector."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time
from datetime import datetime, timezone
from pathlib import Path

import pytest
from fake_hosts import Hosts, why_impossible
from lines import advised, launch, run
from mpi_builds import compile_program, find, require

from advisor.fleet.spool import ready

pytestmark = pytest.mark.skipif(bool(why_impossible()), reason=why_impossible())
CLEAR = '[ "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" = 3 ] && unset LD_PRELOAD; exec "$@"'


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """build → traffic.c compiled with it."""
    folder = tmp_path_factory.mktemp("meeting")
    return lambda build: compile_program(
        require(build), "c", [Path(__file__).with_name("traffic.c")], folder / build.name
    )


@pytest.mark.parametrize("name", ["ompi4", "mpich5"])
def test_all_have_it(name, program, tmp_path):
    build = find(name)
    with Hosts(2, own_memory=True) as pair:
        done = advised(build, pair, launch(build, pair, 2, [program(build), 2, 1000]), tmp_path)
    assert done.code == 0, done.err
    ranks, peers = done.profile.tables["ranks"], done.profile.tables["peers"]
    assert (ranks["state"].tolist(), ranks["node"].tolist()) == ([2] * 4, [0, 0, 1, 1])
    assert set(peers["path"]) == {"intra_node", "other"}  # known only to ranks that met


@pytest.mark.parametrize("name", ["ompi4", "mpich5"])
def test_one_on_the_second_host_has_none(name, program, tmp_path):
    """Nobody waits for it; what the others counted comes into the result folder from both hosts."""
    build = find(name)
    with Hosts(2, own_memory=True) as pair:
        done = advised(
            build,
            pair,
            launch(build, pair, 2, ["sh", "-c", CLEAR, "sh", program(build), 2, 1000]),
            tmp_path,
        )
    assert done.code == 0, done.err
    assert done.profile.tables["ranks"]["rank"].tolist() == [0, 1, 2]
    assert "1 of 4 ranks did not report: 3" in " ".join(done.report.split())


EACH_ITS_SPOOL = (
    "case $OMPI_COMM_WORLD_RANK in 0 | 1) ADVISOR_SPOOL={first} ;; *) ADVISOR_SPOOL={second} ;; esac;"
    " export ADVISOR_SPOOL ADVISOR_SPOOL_NAME=t.1.0 ADVISOR_FINISH_SECONDS=1;"
    ' LD_PRELOAD={collector} exec "$@"'
)


@pytest.mark.skipif(
    os.geteuid() != 0 or not shutil.which("fsfreeze") or not os.path.exists("/dev/loop-control"),
    reason="a file system that hangs is one of root's on a loop device, frozen",
)
def test_a_spool_that_begins_to_hang_while_hosts_meet_holds_nobody_up_for_long(
    program, tmp_path, collector
):
    """The second host writes elsewhere, so the first one still waits for it when its own file is
    there and the file system freezes. It stays frozen until the job has ended with its own code."""
    build, spool = require(find("ompi4")), tmp_path / "spool"
    for place in (spool, tmp_path / "elsewhere"):
        place.mkdir()
        ready(place, datetime.now(timezone.utc).date())
    image = tmp_path / "image"
    image.write_bytes(bytes(8 << 20))
    subprocess.run(["mkfs.ext4", "-q", image], check=True)
    if subprocess.run(["mount", "-o", "loop", image, spool], capture_output=True).returncode:
        pytest.skip("no loop device here")
    script = EACH_ITS_SPOOL.format(
        first=spool, second=tmp_path / "elsewhere", collector=collector(build)
    )
    froze = []

    def freeze():
        while not froze and time.monotonic() < begin + 60:
            if list(spool.glob("*/*/*/rendezvous-*/h-*")):
                froze.append(subprocess.run(["fsfreeze", "-f", spool]).returncode)
            time.sleep(0.002)

    try:
        ready(spool, datetime.now(timezone.utc).date())
        begin = time.monotonic()
        freezing = threading.Thread(target=freeze)
        with Hosts(2, own_memory=True) as pair:
            words = ["sh", "-c", script, "sh", program(build), 2, 1000]
            freezing.start()
            done = run(build, pair, launch(build, pair, 2, words), tmp_path)
        took = time.monotonic() - begin
        freezing.join()
        assert (froze, done.code, done.err) == ([0], 0, "")
        assert took < 30
    finally:
        froze.append(None)
        subprocess.run(["fsfreeze", "-u", spool], capture_output=True)
        subprocess.run(["umount", "-l", spool], check=True)
    assert list(tmp_path.glob("*/*/*/*/*.profile")) == []
