"""A change with which the job may not start is tried alone first; that takes no launcher to see."""

from __future__ import annotations

import os

import pytest

from advisor.verifying.campaign import Campaign, Change, verify
from advisor.verifying.pairs import Limits
from advisor.verifying.trial import Command


def ran(tmp_path, before: str, after: str, risky: bool):
    """(verdict, sides of the runs in their order, why the campaign stopped)."""
    begin = Command(("sh", "-c", before), {}, tmp_path)
    campaign = Campaign(begin, dict(os.environ), tmp_path, limits=Limits(0.4, 4))
    change = Change("x", ("x",), {"A": "1"}, Command(("sh", "-c", after), {}, tmp_path), risky)
    (found,) = verify(campaign, [change], lambda known: None, lambda *so_far: None)
    return found.verdict, [run["side"] for run in campaign.runs], campaign.stopped


STARTS = [
    # as it was   with the change   risky   verdict, runs
    ("exit 0", "exit 7", True, "breaks", ["start", "baseline"], ""),
    ("exit 0", "exit 7", False, "breaks", ["baseline", "variant"], ""),
    (
        "exit 3",
        "exit 7",
        True,
        "undecided",
        ["start", "baseline"],
        "the command as it was failed: exit code 3, see 002-baseline.err",
    ),
]


@pytest.mark.parametrize("before, after, risky, verdict, sides, stopped", STARTS)
def test_a_job_that_does_not_start_is_seen_first(
    tmp_path, before, after, risky, verdict, sides, stopped
):
    assert ran(tmp_path, before, after, risky) == (verdict, sides, stopped)


def test_a_job_that_starts_is_compared(tmp_path):
    _, sides, _ = ran(tmp_path, "exit 0", "exit 0", True)
    assert (sides[0], set(sides[1:])) == ("start", {"baseline", "variant"})
