"""A short run of the coverage-guided fuzzer; a long one is started by hand, see
coverage_guided.py."""

from __future__ import annotations

import importlib.util
import subprocess
import sys

import pytest

from .seeds import TESTS

SECONDS = 4


@pytest.mark.parametrize("kind", ["profile", "record"])
def test_no_input_breaks_a_reader(kind, tmp_path):
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("atheris is not installed: there is no wheel of it for this machine")
    # A shell between: the kernel counts the memory of whoever starts a program as its own peak, and
    # the fuzzer has a limit for that.
    words = [
        "sh",
        "-c",
        '"$@"; exit $?',
        "sh",
        sys.executable,
        str(TESTS / "fuzz" / "coverage_guided.py"),
        kind,
        str(SECONDS),
    ]
    done = subprocess.run(
        words,
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "TMPDIR": str(tmp_path)},
        capture_output=True,
        timeout=120,
    )
    output = done.stderr.decode("utf-8", "replace")
    assert done.returncode == 0, output[-4000:]
    assert "Done " in output
