"""How often changes of 5 % are found, and named, and how often there is none: `python
benchmarks/fleet_regressions.py 400`, of simulated series with known truth."""

from __future__ import annotations

import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from advisor.fleet.regressions import LIBRARY, Change, Series, changes

FIRST = date(2026, 1, 5)
SETTINGS = ("OMPI_MCA_btl", "UCX_TLS", "OMP_PROC_BIND")


class Made(NamedTuple):
    """`planted`: the factor that makes jobs slower from the first `at` on; None: none does."""

    series: Series
    planted: Optional[str]
    at: int


def simulated(
    rng: np.random.Generator,
    jobs: int,
    planted: bool,
    noise: float = 0.03,
    near: float = 0.0,
    effect: float = 0.05,
    disturbed: float = 0.03,
    at: Optional[int] = None,
) -> Made:
    """Jobs of one program. Noise has heavy tails (Student's t, 3 degrees of freedom), neighbours
    are alike by `near`, and some jobs take up to twice as long. The library and three settings
    change once each, on days of their own; a fourth setting differs from job to job."""
    steps = rng.standard_t(3, jobs) * noise / np.sqrt(3)
    drift = np.zeros(jobs)
    for place in range(1, jobs):
        drift[place] = near * drift[place - 1] + rng.normal(0, noise * np.sqrt(1 - near**2))
    values = steps if not near else 0.5 * steps + drift
    values = values + (rng.random(jobs) < disturbed) * rng.uniform(0.1, 0.7, jobs)
    names = (LIBRARY, *SETTINGS)
    firsts = rng.integers(jobs // 6, 5 * jobs // 6, len(names))
    factors = {
        name: np.where(np.arange(jobs) < first, "old", "new").astype(object)
        for name, first in zip(names, firsts)
    }
    factors["RUN_FOLDER"] = np.array([str(place) for place in range(jobs)], dtype=object)
    factors["KMP_AFFINITY"] = rng.choice(["", "compact"], jobs).astype(object)
    guilty = str(rng.choice(names))
    first = int(firsts[names.index(guilty)]) if at is None else at
    factors[guilty] = np.where(np.arange(jobs) < first, "old", "new").astype(object)
    if planted:
        values = values + np.log1p(effect) * (np.arange(jobs) >= first)
    days = [FIRST + timedelta(days=place // 2) for place in range(jobs)]
    series = Series(("u", "app", "4", "256"), days, 600 * np.exp(values), factors)
    return Made(series, guilty if planted else None, first)


def until(series: Series, jobs: int) -> Series:
    """As it was known after so many jobs."""
    factors = {name: values[:jobs] for name, values in series.factors.items()}
    return Series(series.names, series.days[:jobs], series.seconds[:jobs], factors)


def slower(series: Series) -> List[Change]:
    """What is said to take longer."""
    return [each for each in changes(series) if each.effect > 0]


def found(made: Made, after: int) -> Tuple[bool, bool, int]:
    """Whether it is found so many jobs after the change, whether the right one is among those that
    are named for it, and how many these are."""
    told = slower(until(made.series, made.at + after))
    if not told:
        return False, False, 0
    names = [told[0].factor, *(name for name, _, _ in told[0].also)]
    return True, made.planted in names, len(names)


def alarms(made: Made, a_week: int) -> Tuple[int, int]:
    """Wrong alarms, each counted once, and weeks looked at."""
    known: Dict[str, int] = {}
    weeks = 0
    for jobs in range(2 * a_week, len(made.series.seconds) + 1, a_week):
        weeks += 1
        for each in slower(until(made.series, jobs)):
            known.setdefault(each.factor, jobs)
    return len(known), weeks


CASES = (
    ("noise of 2 %", {"noise": 0.02}),
    ("noise of 3 %", {"noise": 0.03}),
    ("noise of 5 %", {"noise": 0.05}),
    ("noise of 3 %, neighbours alike (0.3)", {"noise": 0.03, "near": 0.3}),
    ("noise of 3 %, neighbours alike (0.6)", {"noise": 0.03, "near": 0.6}),
)


def rates(count: int) -> None:
    """One line a case."""
    print(
        "| series | found after 25 jobs | after 50 | right one named | beside others | wrong alarms |"
    )
    print("|---|---:|---:|---:|---:|---:|")
    for name, more in CASES:
        early = late = named = several = wrong = weeks = 0
        for seed in range(count):
            made = simulated(np.random.default_rng(seed), 120, True, at=60, **more)
            early += found(made, 25)[0]
            told, right, names = found(made, 50)
            late, named, several = late + told, named + right, several + (names > 1)
            sound = simulated(np.random.default_rng(10**6 + seed), 144, False, **more)
            alarm, looked = alarms(sound, 12)
            wrong, weeks = wrong + alarm, weeks + looked
        print(
            f"| {name} | {early} of {count} | {late} of {count} | {named} of {late} | {several} |"
            f" {wrong} in {weeks:,} weeks ({1000 * wrong / weeks:.2f} in 1000) |",
            flush=True,
        )


if __name__ == "__main__":
    rates(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
