"""All runs in a row: trend, speed-up and parallel efficiency over ranks."""

from __future__ import annotations

import os
from statistics import median
from typing import Any, Optional, Sequence, Tuple

from advisor.comparing.comparable import refusals
from advisor.model.comparison import Point


def points(runs: Sequence[Any], weak: bool) -> Tuple[Point, ...]:
    """One point a run (compare.Measured), in the order given.

    The reference of speed-up and efficiency is the median run time of the runs with the fewest
    ranks. Efficiency over ranks, strong: T0 P0 / (T P); weak, where the work grows with the ranks:
    T0 / T.
    """
    fewest = min(_ranks(run) for run in runs)
    scaled = len({_ranks(run) for run in runs}) > 1 and len({_program(run) for run in runs}) == 1
    reference = median(run.elapsed.run for run in runs if _ranks(run) == fewest) if scaled else None
    return tuple(_point(run, runs[0], reference, fewest, weak) for run in runs)


def _point(run: Any, first: Any, reference: Optional[float], fewest: int, weak: bool) -> Point:
    profile, time = run.advice.measures.profile, run.elapsed.run
    same = not refusals(first.advice.measures, run.advice.measures)
    speedup = reference / time if reference and time else None
    efficiency = None if speedup is None else speedup if weak else speedup * fewest / _ranks(run)
    share = run.advice.measures.tables["run"].row(0).get("mpi_share")
    change = time / first.elapsed.run - 1 if same and run is not first else None
    source = _named(profile.source)
    return Point(
        source,
        _program(run),
        profile.run.started,
        _ranks(run),
        len(profile.nodes),
        time,
        share,
        change,
        speedup,
        efficiency,
    )


def _named(source: str) -> str:
    """The result folder of a profile, or the file of another kind."""
    folder, _, name = source.rpartition("/")
    return (folder if name == "profile" and folder else source).rstrip("/")


def _ranks(run: Any) -> int:
    value = run.advice.measures.tables["run"].row(0).get("ranks")
    return int(value) if isinstance(value, (int, float)) else 1


def _program(run: Any) -> str:
    return os.path.basename(run.advice.measures.profile.run.program)
