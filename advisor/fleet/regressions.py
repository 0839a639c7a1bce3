"""What takes longer, or less long, since a library or a setting changed: jobs of the same user,
program, size and work before and after.

How it is told, and how often it is wrong, is in docs/FLEET.md and benchmarks/FLEET.md. These
are natural experiments: other things may have changed on the same day, and no gain rests on them.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from datetime import date
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Sequence, Tuple

import numpy as np

from advisor.fleet.installed import arrow

LEAST_JOBS = 8
"""With the old and with the new value."""
MOST_JOBS = 120
"""Of a series, the last ones: what happened long before says nothing of today."""
MOST_VALUES = 5
"""Of a setting in a series: one with more of them is no choice, such as a folder of the job."""
EFFECT = 0.02
"""Smaller changes are not worth a look."""
SIGMAS = 4.2
"""Of the normal distribution. One look in 75 000 would be wrong if noise were independent."""
_TRIMMED = 0.2
"""Share of the jobs at either end that do not count: runs that were disturbed."""
_ELSEWHERE = 1.0
"""By which another day may fit better. Beyond that, something else changed on that day."""
_UNTOLD = 12.0
"""By which the square of another factor's sigmas, twice its log likelihood, may be less and it is
named as well: they changed at nearly the same time."""
_FLOOR = 0.003
"""Least standard deviation of a run's time: clocks are no better."""
LIBRARY = "MPI library"
_SAME = ("cluster", "partition_name", "user_name", "application", "nodes", "ranks", "work")
"""Columns that are alike in a series."""


@dataclass(frozen=True)
class Series:
    """Jobs that did the same, in the order of time. `factors`: name → value of each job; empty
    where it was not set."""

    names: Tuple[str, ...]
    """User, application, nodes, ranks."""
    days: Sequence[date]
    seconds: np.ndarray
    factors: Mapping[str, np.ndarray]


class Change(NamedTuple):
    """`effect`: of the time a run takes, as a share; `low` and `high` its 95 % interval. `also`:
    what changed at nearly the same time and cannot be told from it, as (name, before, now)."""

    names: Tuple[str, ...]
    factor: str
    before: str
    now: str
    effect: float
    low: float
    high: float
    sigmas: float
    jobs_before: int
    jobs_now: int
    since: date
    also: Tuple[Tuple[str, str, str], ...] = ()


class _Split(NamedTuple):
    factor: str
    before: str
    now: str
    old: np.ndarray
    new: np.ndarray


def changes(series: Series) -> List[Change]:
    """What changed its time, the surest first; each is told with those before it taken out."""
    count = min(len(series.seconds), MOST_JOBS)
    days = list(series.days)[-count:]
    values = np.log(np.asarray(series.seconds, dtype=float)[-count:])
    splits = list(_splits({name: each[-count:] for name, each in series.factors.items()}))
    found: List[Change] = []
    while splits:
        told = [(_compared(values, split), split) for split in splits]
        (effect, error, sigmas), best = max(told, key=lambda each: abs(each[0][2]))
        if abs(sigmas) < SIGMAS or abs(effect) < EFFECT or _elsewhere(values, best, sigmas):
            break
        alike = [
            split
            for (other, _, sure), split in told
            if split is not best and other * effect > 0 and sure**2 > sigmas**2 - _UNTOLD
        ]
        found.append(
            Change(
                series.names,
                best.factor,
                best.before,
                best.now,
                math.expm1(effect),
                math.expm1(effect - 1.96 * error),
                math.expm1(effect + 1.96 * error),
                sigmas,
                int(best.old.sum()),
                int(best.new.sum()),
                days[int(np.flatnonzero(best.new)[0])],
                tuple((each.factor, each.before, each.now) for each in alike),
            )
        )
        values = values - effect * best.new
        splits = [each for each in splits if all(each is not one for one in (best, *alike))]
    return found


def _splits(factors: Mapping[str, np.ndarray]) -> Iterator[_Split]:
    """The value of the last job against the one that was usual before it."""
    for name, values in factors.items():
        kinds, counts = np.unique(values, return_counts=True)
        if not 1 < len(kinds) <= MOST_VALUES:
            continue
        now = values[-1]
        before = max(zip(counts, kinds), key=lambda each: (each[1] != now, each[0]))[1]
        old, new = values == before, values == now
        if min(old.sum(), new.sum()) >= LEAST_JOBS:
            yield _Split(name, str(before), str(now), old, new)


def _compared(values: np.ndarray, split: _Split) -> Tuple[float, float, float]:
    """Effect, its standard error, and how sure: Yuen's test of trimmed means, wider where runs of
    neighbouring times are alike."""
    new, old = _trimmed(values[split.new]), _trimmed(values[split.old])
    effect, variances = new[0] - old[0], (new[1], old[1])
    error = math.sqrt(sum(variances))
    freedom = sum(variances) ** 2 / sum(
        variance**2 / (kept - 1) for variance, kept in zip(variances, (new[2], old[2]))
    )
    both = split.new | split.old
    rest = values - np.where(split.new, new[0], old[0])
    error *= _alike(rest[both])
    return effect, error, _normal(effect / error, freedom)


def _trimmed(values: np.ndarray) -> Tuple[float, float, int]:
    """Mean of the middle, variance of that mean by winsorising, and how many were in the middle."""
    ordered = np.sort(values)
    count, cut = len(ordered), int(_TRIMMED * len(ordered))
    middle = ordered[cut : count - cut]
    winsorised = np.clip(ordered, middle[0], middle[-1])
    spread = max(float(winsorised.var(ddof=1)), (_FLOOR * (1 - 2 * _TRIMMED)) ** 2)
    kept = len(middle)
    return float(middle.mean()), (count - 1) * spread / (kept * (kept - 1)), kept


def _alike(rest: np.ndarray) -> float:
    """By which a standard error is larger than that of independent runs: AR(1) of what remains."""
    scale = 1.4826 * float(np.median(np.abs(rest))) or _FLOOR
    capped = np.clip(rest / scale, -2.5, 2.5)
    near = float((capped[1:] * capped[:-1]).mean() / max(1e-12, float((capped**2).mean())))
    # The estimate is low by about 1/n per mean that was taken out.
    near = min(0.8, max(0.0, near + 2 / len(rest)))
    return math.sqrt((1 + near) / (1 - near))


def _normal(value: float, freedom: float) -> float:
    """Student's t as the normal distribution has it (Wallace 1959)."""
    found = (8 * freedom + 1) / (8 * freedom + 3)
    return math.copysign(found * math.sqrt(freedom * math.log1p(value**2 / freedom)), value)


def _elsewhere(values: np.ndarray, split: _Split, sigmas: float) -> bool:
    """Whether another day parts fast from slow jobs clearly better than this change does."""
    count = len(values)
    at = int(np.flatnonzero(split.new)[0])
    far = max(LEAST_JOBS // 2, count // 10)
    for place in range(LEAST_JOBS, count - LEAST_JOBS + 1, 2):
        if abs(place - at) > far:
            late = np.arange(count) >= place
            other = _Split("", "", "", ~late, late)
            if abs(_compared(values, other)[2]) > abs(sigmas) + _ELSEWHERE:
                return True
    return False


def all_changes(jobs: Any, settings: Any) -> List[Change]:
    """Of the Arrow tables of the queries series_jobs and series_settings, the largest first."""
    found = [change for series in all_series(jobs, settings) for change in changes(series)]
    return sorted(found, key=lambda change: -abs(change.effect) * change.jobs_now)


def all_series(jobs: Any, settings: Any) -> Iterator[Series]:
    """Series with jobs enough, each with its last ones: of millions of jobs, few do the same."""
    rows, begins = _repeated(jobs)
    kept = jobs.take(arrow().array(rows))
    known = arrow().compute.is_in(settings["profile"], kept["profile"].combine_chunks())
    columns = settings.filter(known)
    chosen: Dict[str, Dict[str, str]] = defaultdict(dict)
    for profile, name, value in zip(*(columns[each].to_pylist() for each in columns.column_names)):
        chosen[profile][name] = value
    for begin, end in zip(begins, (*begins[1:], len(rows))):
        part = kept.slice(begin, end - begin).to_pylist()
        yield _series(tuple(part[0][key] for key in _SAME), part, chosen)


def _repeated(jobs: Any) -> Tuple[np.ndarray, List[int]]:
    """Rows of series with jobs enough, one series after the other and each in its own order; and
    where each begins."""
    series = np.zeros(jobs.num_rows, np.int64)
    for name in _SAME:
        codes = jobs[name].combine_chunks().dictionary_encode().indices
        numbers = arrow().compute.fill_null(codes, -1).to_numpy().astype(np.int64) + 1
        # Numbered anew each time: products of many columns would not fit
        series = np.unique(series * (numbers.max(initial=0) + 1) + numbers, return_inverse=True)[1]
    order = np.argsort(series, kind="stable")
    first = np.flatnonzero(np.diff(series[order], prepend=-1))
    rows: List[np.ndarray] = []
    begins, count = [], 0
    for begin, end in zip(first, (*first[1:], len(order))):
        if end - begin >= 2 * LEAST_JOBS:
            rows.append(order[max(begin, end - MOST_JOBS) : end])
            begins.append(count)
            count += len(rows[-1])
    return (np.concatenate(rows) if rows else np.empty(0, np.int64)), begins


def _series(
    key: Tuple[Any, ...],
    rows: Sequence[Mapping[str, Any]],
    chosen: Mapping[str, Mapping[str, str]],
) -> Series:
    names = {name for row in rows for name in chosen.get(row["profile"], ())}
    factors = {
        name: np.array([chosen.get(row["profile"], {}).get(name, "") for row in rows], dtype=object)
        for name in sorted(names)
    }
    library = [f"{row['library']} {row['library_version']}" for row in rows]
    factors[LIBRARY] = np.array(library, dtype=object)
    shown = tuple(str(part) for part in key[2:6])
    seconds = np.array([row["elapsed"] for row in rows])
    return Series(shown, [row["day"] for row in rows], seconds, factors)


def told(change: Change) -> str:
    """What changed, in words: "MPI library: openmpi 4.1.6 → openmpi 5.0.5"."""
    pairs = [(change.factor, change.before, change.now), *change.also]
    return "; ".join(
        f"{name}: {before or 'not set'} → {now or 'not set'}" for name, before, now in pairs
    )
