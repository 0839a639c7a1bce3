"""What a campaign may cost, before it begins."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

from advisor.base.durations import duration
from advisor.model.errors import UserError
from advisor.verifying.statistics import FEWEST, MOST_PAIRS

_LENGTH = re.compile(r"(\d+(?:\.\d+)?)\s*(s|m|min|h|d)?", re.IGNORECASE)
_UNITS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
LONGEST = 365 * 86400.0
"""Seconds. What is longer was mistyped."""


@dataclass(frozen=True)
class Cost:
    """Of `changes` changes, each with `fewest` to `most` pairs. `run_seconds`: of one run; None if
    not known. `hosts`: of one run."""

    changes: int
    run_seconds: Optional[float]
    hosts: int
    budget: float
    most: int
    fewest: int = FEWEST

    @property
    def pairs(self) -> int:
        """Pairs at most: those of all changes together are counted too."""
        return self.most * (self.changes + (self.changes > 1))

    def seconds(self, pairs: int) -> Optional[float]:
        """What so many pairs take, but no more than the budget; None if not known."""
        return None if self.run_seconds is None else min(2 * pairs * self.run_seconds, self.budget)

    def sentences(self) -> "tuple[str, ...]":
        """The cost in words: runs, time, host hours."""
        low, high = self.seconds(self.fewest * self.changes), self.seconds(self.pairs)
        runs = (
            " to ".join(
                dict.fromkeys(str(2 * pairs) for pairs in (self.fewest * self.changes, self.pairs))
            )
            + " runs of the command"
        )
        if low is None or high is None:
            return (
                (
                    f"{runs}; how long one takes is not known; no new pair begins after"
                    f" {duration(self.budget)}"
                ),
            )
        each = f"about {duration(self.run_seconds)} each"
        total = (
            duration(high)
            if duration(low) == duration(high)
            else f"{duration(low)} to {duration(high)}"
        )
        hours = " to ".join(
            dict.fromkeys(f"{value * self.hosts / 3600:.2g}" for value in (low, high))
        )
        return (
            (
                f"{runs}, {each}: {total} in all, {hours} host hours; no pair begins that would not"
                f" fit into {duration(self.budget)}"
            ),
        )

    def refusal(self) -> Optional[UserError]:
        """Why it cannot be decided within the budget, if so."""
        needed = (
            None if self.run_seconds is None else 2 * self.fewest * self.changes * self.run_seconds
        )
        if needed is None or needed <= self.budget:
            return None
        return UserError(
            f"{self.fewest} pairs of {self.changes} change{'s' if self.changes > 1 else ''} take"
            f" about {duration(needed)}, more than the budget of {duration(self.budget)}.",
            "Fewer pairs decide nothing.",
            f"Give more time (--budget {needed / 60 + 1:.0f}m), or fewer changes (--advice ID), or"
            " a shorter command after two dashes.",
        )


def pairs_allowed(wanted: int) -> int:
    """The number of pairs, if it can be kept. Raises UserError."""
    if FEWEST <= wanted <= MOST_PAIRS:
        return wanted
    raise UserError(f"--pairs {wanted}: {FEWEST} to {MOST_PAIRS} pairs can be judged.")


def length(text: str, what: str) -> float:
    """Seconds of "90s", "30m", "1.5h" or "45" (minutes). Raises UserError."""
    found = _LENGTH.fullmatch(text.strip())
    if not found or float(found.group(1)) <= 0:
        raise UserError(f"{what} {text} is no length of time.", do="Write it like 90s, 30m or 2h.")
    seconds = float(found.group(1)) * _UNITS[(found.group(2) or "m").lower()]
    if seconds > LONGEST:
        raise UserError(
            f"{what} asks for more than a year, longer than any allocation.",
            do="Write it like 90s, 30m or 2h.",
        )
    return seconds


def share(text: str, what: str) -> float:
    """A share of "1 %", "1%" or "1". Raises UserError unless it is above 0 and below 50 %."""
    try:
        value = float(text.strip().rstrip("%")) / 100
    except ValueError:
        value = 0.0
    if not 0 < value < 0.5:
        raise UserError(f"{what} {text} is no share between 0 and 50 %.", do="Write it like 1%.")
    return value
