"""What the reader itself executes for an event, the library apart, is bounded: counted, not
timed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.intake.otf2.program import program

from .archives import writer

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "benchmarks"))
from callgrind import own_instructions  # noqa: E402

RANKS, EVENTS_A_STEP = 8, 16
FEW, MANY = 50, 150
MOST_INSTRUCTIONS = 300
"""Of a trace of messages and reductions: a quarter of its events begin a call, and another quarter
end one."""


def _counted(steps: int, folder: Path) -> int:
    """Instructions of the reader's own code for a trace of so many steps."""
    trace, out = folder / f"trace-{steps}", folder / f"counted-{steps}"
    subprocess.run([str(folder / "write_trace"), str(trace), str(RANKS), str(steps)], check=True)
    reader = [str(program()), str(trace / "traces.otf2"), str(folder / "profile"), "1", "0", "600"]
    subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *reader],
        check=True,
        capture_output=True,
    )
    return own_instructions(out, reader[0])


def test_an_event_costs_few_instructions_beside_those_of_the_library(tmp_path):
    writer()
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is not installed")
    source = REPOSITORY / "benchmarks" / "otf2" / "write_trace.c"
    subprocess.run(["cc", str(source), "-o", str(tmp_path / "write_trace"), "-lotf2"], check=True)
    events = (MANY - FEW) * RANKS * EVENTS_A_STEP
    assert 50 < (_counted(MANY, tmp_path) - _counted(FEW, tmp_path)) / events <= MOST_INSTRUCTIONS
