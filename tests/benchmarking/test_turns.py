"""Two commands that take turns on the cores: each uses its own processor time, and one that fails
is told."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
import interleaved as turns  # noqa: E402
from profilers import BARE, Profiler  # noqa: E402

BUSY = (
    "import sys, time\nwhile time.process_time() < float(sys.argv[1]):"
    " pass\nsys.exit(int(sys.argv[2]))"
)
OTHER = Profiler("other")


def sides(folder, seconds, codes=(0, 0)):
    program = turns.Longer("busy", ())
    return [
        turns.Side(
            [],
            program,
            (sys.executable, "-c", BUSY, str(busy), str(code)),
            profiler,
            os.environ,
            str(folder),
        )
        for profiler, busy, code in zip((BARE, OTHER), seconds, codes)
    ]


def test_each_side_has_its_own_processor_time(tmp_path):
    bare, other = turns.interleave(sides(tmp_path, (0.6, 0.9)), 1)
    assert 0.6 <= bare < other and other >= 0.9


def test_a_side_that_fails_is_told(tmp_path):
    both = sides(tmp_path, (0.2, 0.2), (0, 7))
    with pytest.raises(RuntimeError, match="busy with other ended with 7"):
        turns.interleave(both, 1)
    for side in both:
        side.end()


def test_inputs_are_made_longer(tmp_path):
    for program in turns.PROGRAMS:
        for file, old, _ in program.changes:
            assert old in (turns.INPUTS / file).read_text(encoding="utf-8")
