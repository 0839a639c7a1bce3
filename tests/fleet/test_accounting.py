"""Output of a real sacct (Slurm 22.05 with slurmdbd, two nodes) → whose a step was and what it
used. Two of the jobs had names that were made to look like rows."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from advisor.fleet.accounting import COLUMNS, COMMAND, Accounted, read
from advisor.model.errors import UserError

RECORDED = Path(__file__).parent / "recorded"
BEGAN = datetime(2026, 11, 23, 13, 35, 15, tzinfo=timezone.utc)


@pytest.mark.parametrize(
    "job, step, expected",
    [
        # A step: its own nodes and time, the user of its job
        ("1", "0", Accounted("nobody", "climate", "all", "COMPLETED", BEGAN, 3.0, 2, 0, 0)),
        ("2", "0", Accounted("games", "chem", "all", "FAILED", BEGAN, 1.0, 1, 0, 0)),
        # "CANCELLED by 0" of the job is CANCELLED
        ("3", "extern", Accounted("games", "chem", "all", "CANCELLED", BEGAN, 10.0, 1, 0)),
        # The second task of an array has a number of its own
        ("6", "0", Accounted("nobody", "climate", "all", "COMPLETED", BEGAN, 2.0, 1, 0, 0)),
        ("5", "0", None),
    ],
)
def test_steps_of_a_real_slurm(job, step, expected):
    assert read(RECORDED / "sacct.txt").step("tests", job, step) == expected


def test_the_recorded_heading_is_that_of_the_documented_command():
    assert (RECORDED / "sacct.txt").read_text().split("\n")[0] == "|".join(COLUMNS)
    assert ",".join(COLUMNS) in COMMAND


def test_another_cluster_has_other_jobs():
    assert read(RECORDED / "sacct.txt").step("other", "1", "0") is None


@pytest.mark.parametrize(
    "content, said",
    [
        ((RECORDED / "sacct_with_names.txt").read_text(), "JobName"),
        ("JobID|JobName|State\n1|a|b\n", "is not output of sacct"),
        ("", "is not output of sacct"),
        ("JobIDRaw|User|User\n", "has columns that are not read"),
    ],
)
def test_columns_that_users_fill_are_refused(tmp_path, content, said):
    """A job's name may hold bars and line ends, as the recorded ones do."""
    (tmp_path / "sacct.txt").write_text(content)
    with pytest.raises(UserError, match=said):
        read(tmp_path / "sacct.txt")


def test_lines_that_are_no_rows_are_counted(tmp_path):
    hostile = "JobIDRaw|User\n1|alice\n2|bob|eve\n3\n../4|mallory\n1 |x\n\x00|\n\n"
    (tmp_path / "sacct.txt").write_text(hostile)
    found = read(tmp_path / "sacct.txt")
    assert (len(found), found.rejected) == (1, 5)
