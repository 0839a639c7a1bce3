"""What a terminal shows: bold if it wants it, nothing but text if not."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from terminals import pieces

ROOT = Path(__file__).resolve().parents[2]
PROFILE = ROOT / "samples" / "profiles" / "heat.4r.json"


def in_a_terminal(*words, **environment):
    """What `advisor` writes to a terminal."""
    here, there = pty.openpty()
    surroundings = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "advisor", *map(str, words)],
        cwd=ROOT,
        stdout=there,
        env={**surroundings, "TERM": "xterm", **environment},
    )
    os.close(there)
    found = b"".join(pieces(here))
    process.wait(60)
    return found.decode()


@pytest.mark.parametrize(
    "words", [("show", PROFILE), ("show", PROFILE, "operation"), ("report", PROFILE), ("doctor",)]
)
def test_no_color_is_obeyed_by_every_command(words):
    assert "\x1b[" in in_a_terminal(*words)
    assert "\x1b" not in in_a_terminal(*words, NO_COLOR="1")
    if words != ("doctor",):  # it looks at the whole machine, which takes its time
        assert "\x1b" not in in_a_terminal(*words, TERM="dumb")


def test_a_row_that_stands_upright_begins_with_its_name_and_says_of_how_many_it_is():
    text = in_a_terminal(
        "show", PROFILE, "rank", "--limit", "1", NO_COLOR="1", COLUMNS="80"
    ).replace("\r", "")
    assert [line.split()[:2] for line in text.splitlines()[1:3]] == [["id", "0"], ["node", "n1"]]
    assert text.endswith("\n1 row of 4\n")
