"""What other load took from the ranks of a test while it measured."""

from __future__ import annotations

from pathlib import Path

from advisor.analysis.measure import measure
from advisor.intake.read import read


def lost_inside_calls(profile: Path) -> float:
    """Seconds that the ranks of `profile` had no core inside MPI calls, summed over ranks."""
    tables = measure(read(profile)).tables
    return len(tables["rank"]) * tables["run"].row(0)["no_core_inside"]


def agrees(waited: float, clock: float, lost: float) -> bool:
    """Whether measured waiting is what the program's own `clock` says, in seconds: never more, and
    less by no more than the time `lost` without a core, which the clock counts as waiting."""
    slack = max(0.05 * clock, 0.004)
    return clock - slack - lost <= waited <= clock + slack
