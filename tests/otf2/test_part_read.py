"""How much of a trace was read, by what the kernel counts of the reader's process."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from advisor.base import resource_paths
from advisor.intake import part_read

TRACE = Path(__file__).resolve().parent / "recorded" / "ping-pong"


def test_what_is_no_trace_has_no_part():
    assert part_read(str(resource_paths.samples() / "profiles" / "heat.4r.json")) is None
    assert part_read("/no/such/file") is None


@pytest.mark.parametrize("result", [TRACE, TRACE / "traces.otf2"], ids=["folder", "anchor"])
def test_the_part_is_that_of_bytes(result, tmp_path):
    reader = tmp_path / "otf2-profile-0123"
    shutil.copy(shutil.which("cat"), reader)
    look = part_read(str(result))
    assert look() == 0.0
    files = sorted((TRACE / "traces").iterdir())
    # It reads the files, and then waits for more.
    words = [reader, *files, "-"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
        until = time.monotonic() + 20
        while look() < 1.0 and time.monotonic() < until:
            time.sleep(0.01)
        assert look() == 1.0
        process.stdin.close()
    assert look() == 0.0
