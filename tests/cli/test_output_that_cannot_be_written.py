"""Standard output that is full, closed, or read no further; words that no shell would take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from advisor.__main__ import main

HEAT = str(Path(__file__).resolve().parents[2] / "samples" / "profiles" / "heat.4r.json")
FULL = "advisor: Standard output cannot be written: No space left on device.\n"


@pytest.mark.parametrize(
    "words, redirected, code, said",
    [
        ("version", ">/dev/full", 2, FULL),
        (f"report {HEAT}", ">/dev/full", 2, FULL),
        (f"report {HEAT}", ">&-", 0, ""),
        (f"show {HEAT}", ">&- 2>&-", 0, ""),
        (f"show {HEAT}", "| true", 141, ""),
    ],
)
def test_it_is_said_in_a_sentence_or_not_at_all(words, redirected, code, said):
    line = f"set -o pipefail; {sys.executable} -m advisor {words} {redirected}"
    done = subprocess.run(["bash", "-c", line], stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (code, said)


@pytest.mark.parametrize(
    "words, what, do",
    [
        (
            ("report", HEAT, "--mpi", "'mpirun"),
            "--mpi 'mpirun has a quote that does not end.",
            "Write it like this: 'mpirun -n 4'",
        ),
        (
            ("exec", "--finish", "0", "-o", "/nowhere"),
            "/nowhere is not the folder of a job that advisor exec started (No such file or"
            " directory).",
            "Give that folder with -o.",
        ),
        (("rules", "lst"), "advisor rules has no command lst.", "Did you mean list?"),
    ],
)
def test_the_answer_says_what_to_type(words, what, do, capsys):
    assert main(list(words)) == 2
    assert capsys.readouterr().err == f"advisor: {what}\nadvisor: {do}\n"
