"""Commands that take longer say what they do, in a terminal alone."""

from __future__ import annotations

import io
import time

import pytest

from advisor.cli import progress
from advisor.cli.progress import Progress

LINES = [
    # stage, part of it, seconds     line
    (0, 0.0, 3, "advisor: reading, 3 s"),
    (1, 0.0, 10, "advisor: judging, 10 s, about 10 s left"),
    (1, 0.5, 90, "advisor: judging, 90 s, about 30 s left"),
]


@pytest.mark.parametrize("at, part, seconds, line", LINES)
def test_a_line_says_what_is_done_and_how_long_it_may_take(at, part, seconds, line):
    one = Progress("reading", "judging")
    one.stage(at, part)
    assert one.line(seconds) == line


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    "stream, patience, begins",
    [
        (Terminal(), 0.0, "\r\x1b[Kadvisor: reading"),
        (Terminal(), 9.0, ""),  # not before some seconds
        (io.StringIO(), 0.0, ""),  # a file
    ],
)
def test_it_is_written_to_terminals_alone_and_wiped_out(stream, patience, begins, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", patience)
    with Progress("reading", stream=stream):
        deadline = time.monotonic() + 5
        while begins and not stream.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    said = stream.getvalue()
    assert said.startswith(begins) and said.endswith("\r\x1b[K" if begins else "")
