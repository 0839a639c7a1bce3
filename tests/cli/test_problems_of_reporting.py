"""What goes wrong after a job is said, and the command goes on to the job's exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.cli.messages import problems_of_reporting
from advisor.model.errors import UserError

AGAIN = "advisor report out"


@pytest.mark.parametrize(
    "problem, said",
    [
        (None, []),
        (
            UserError("No rank left a record.", do="Look at stderr."),
            ["No rank left a record.", "Look at stderr."],
        ),
        (KeyboardInterrupt(), ["The report was interrupted.", f"To make it: {AGAIN}"]),
        (
            MemoryError("too much"),
            [
                "The report could not be made: MemoryError: too much",
                "The profile is kept in out.",
                f"To try again: {AGAIN}",
            ],
        ),
    ],
    ids=("nothing", "known", "Ctrl-C", "unknown"),
)
def test_it_is_said_and_goes_no_further(problem, said, capsys):
    with problems_of_reporting(Path("out"), "The profile is kept in out."):
        if problem:
            raise problem
    captured = capsys.readouterr()
    assert (captured.out, captured.err.splitlines()) == ("", [f"advisor: {line}" for line in said])
