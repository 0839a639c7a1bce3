"""What an archive consists of lies in its folder: nothing else is opened, and no pipe or device is
waited for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.intake import read
from advisor.model.errors import UserError

from .archives import writer
from .test_against_print import PING_PONG

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def trace(tmp_path):
    """A copy that a test may change, and beside it a whole archive of somebody else's."""
    shutil.copytree(PING_PONG.parent, tmp_path / "trace")
    shutil.copytree(PING_PONG.parent, tmp_path / "outside")
    return tmp_path / "trace"


@pytest.mark.parametrize(
    "part", ["traces.otf2", "traces.def", "traces/0.def", "traces/0.evt", "traces"]
)
def test_a_link_out_of_the_folder_is_not_followed(part, trace):
    place = trace / part
    shutil.rmtree(place) if place.is_dir() else place.unlink()
    place.symlink_to(Path("..") / ("../outside" if "/" in part else "outside") / part)
    with pytest.raises(UserError, match="leads out of its folder|is a link"):
        read(trace)


def test_a_link_inside_the_folder_is_a_part(trace):
    writer()
    (trace / "traces" / "0.evt").rename(trace / "kept.evt")
    (trace / "traces" / "0.evt").symlink_to("../kept.evt")
    assert len(read(trace).tables["ranks"]["rank"]) == 2


@pytest.mark.parametrize("part", ["traces.def", "traces/0.def", "traces/1.evt"])
@pytest.mark.parametrize("kind", ["a pipe", "a device"])
def test_a_pipe_or_a_device_is_not_waited_for(part, kind, trace):
    (trace / part).unlink()
    os.mkfifo(trace / part) if kind == "a pipe" else (trace / part).symlink_to("/dev/zero")
    done = subprocess.run(
        [sys.executable, "-m", "advisor", "report", str(trace)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, "Traceback" in done.stderr) == (2, False), done.stderr
    assert (
        "is not a regular file" if kind == "a pipe" else "leads out of its folder"
    ) in done.stderr


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed")
@pytest.mark.parametrize("text", [b"../outside/traces", b"/etc/passwd\0\0\0\0\0\0"])
def test_texts_of_the_first_file_are_no_names_of_files(text, trace, tmp_path):
    """All that the reader opens below our folder belongs to the archive, whatever the anchor's
    texts say."""
    anchor = trace / "traces.otf2"
    content = anchor.read_bytes()
    for old in (
        b"OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE",
        b"OTF2::MPI_COMMUNICATION_COMPLETE",
        b"Score-P 7.1\0",
    ):
        content = content.replace(old, text[: len(old)].ljust(len(old), b"x"), 1)
    anchor.write_bytes(content)
    log = tmp_path / "log"
    words = [
        "strace",
        "-f",
        "-e",
        "trace=open,openat",
        "-o",
        str(log),
        sys.executable,
        "-m",
        "advisor",
        "report",
        str(anchor),
    ]
    subprocess.run(
        words, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, timeout=100
    )
    assert "traces.otf2" in log.read_text() and "/outside/" not in log.read_text()
    assert not any(
        "/etc/passwd" in line and "O_CLOEXEC" not in line for line in log.read_text().splitlines()
    )
