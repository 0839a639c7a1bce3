"""What profilers add to whole programs: interleaved pairs of a bare run and one with the profiler.
`costs.py` runs it.

A profiler has a bare run beside it, in turns before and after it, so that what drifts cancels; the
first one takes part in every round, others in every second. Of each run: the wall clock of the
whole command, user and system time of all its processes, and the time that the program itself
tells. Runs of ours also leave a profile, which says what the collector believes to have cost
(METRICS 14: calls × calibrated cost, and the end): an estimate, not a difference of two runs.
"""

from __future__ import annotations

import math
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from advisor.analysis.measure import measure
from advisor.intake.read import read
from advisor.model.student import quantile
from profilers import BARE, Profiler

LONGEST = 300.0
"""Seconds of a run."""
INPUTS = Path(__file__).resolve().parent.parent / "samples" / "inputs"


class Application(NamedTuple):
    """`metric`: the last match of it in the output is the program's own time, minutes (or nothing)
    and seconds. `python`: words that follow an interpreter."""

    name: str
    words: Tuple[str, ...]
    metric: str
    python: bool = False


APPLICATIONS = (
    Application("pw.x", ("pw.x", "-in", "si8.scf.in"), r"PWSCF .*CPU +(?:(\d+)m)? *([\d.]+)s WALL"),
    Application("lmp", ("lmp", "-in", "in.lj.small", "-log", "none"), r"()Loop time of ([\d.]+)"),
    Application(
        "mpi4py ring",
        ("-m", "mpi4py.bench", "ringtest", "-l", "300000"),
        r"()loops = ([\d.e+-]+) seconds",
        True,
    ),
    Application(
        "mpi4py ring, 64 KiB",
        ("-m", "mpi4py.bench", "ringtest", "-n", "65536", "-l", "60000"),
        r"()loops = ([\d.e+-]+) seconds",
        True,
    ),
)


class Run(NamedTuple):
    """Seconds; `estimated`: share of the run that the collector says it took, None for others."""

    wall: float
    processor: float
    own: float
    estimated: Optional[float]


def why_not(application: Application, interpreter: str) -> Optional[str]:
    """Why it cannot be run here."""
    if application.python:
        return None if interpreter else "no interpreter with mpi4py"
    return (
        None if shutil.which(application.words[0]) else f"{application.words[0]} is not installed"
    )


def one_run(
    launch: Sequence[str],
    application: Application,
    words: Sequence[str],
    profiler: Profiler,
    environment: Mapping[str, str],
) -> Run:
    """RuntimeError if it ends with another code than 0 or tells no time."""
    with (
        tempfile.TemporaryDirectory() as folder,
        open(folder + "/printed", "w+", errors="replace") as printed,
    ):
        for file in INPUTS.iterdir():
            shutil.copy(file, folder)
        began = time.monotonic()
        line = [*launch, *profiler.front(folder), *words]
        child = subprocess.Popen(
            line,
            cwd=folder,
            env=dict(environment),
            stdout=printed,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        # a profiler may hang in its shared memory after another's crash
        timeout = threading.Timer(LONGEST, os.killpg, (child.pid, signal.SIGTERM))
        timeout.start()
        _, status, used = os.wait4(child.pid, 0)
        timeout.cancel()
        passed = time.monotonic() - began
        child.returncode = os.waitstatus_to_exitcode(status)
        printed.seek(0)
        text = printed.read()
        found = re.findall(application.metric, text)
        if status or not found:
            raise RuntimeError(
                f"{application.name} with {profiler.name} ended with {child.returncode}:"
                f" {text.strip()[-300:]}"
            )
        return Run(
            passed,
            used.ru_utime + used.ru_stime,
            60 * float(found[-1][0] or 0) + float(found[-1][1]),
            estimated(Path(folder)),
        )


def estimated(folder: Path) -> Optional[float]:
    """Mean over ranks of the collector's own cost, as share of the time between MPI_Init and
    MPI_Finalize."""
    profile = folder / "merged.profile"
    return (
        float(measure(read(profile)).tables["run"].row(0)["overhead_share"])
        if profile.exists()
        else None
    )


def pairs(
    launch: Sequence[str],
    application: Application,
    words: Sequence[str],
    profilers: Sequence[Profiler],
    rounds: int,
    environment: Mapping[str, str],
) -> Iterator[Dict[str, Any]]:
    """One line of results for each pair."""
    failed: List[str] = []
    try:
        one_run(launch, application, words, BARE, environment)  # a warm-up: files and frequencies
    except RuntimeError as problem:
        yield {"row": application.name, "profiler": BARE.name, "failed": str(problem)}
        return
    for number in range(rounds):
        for profiler in profilers:
            turn, left_out = divmod(number, 1 if profiler is profilers[0] else 2)
            if left_out or profiler.name in failed:
                continue
            order = (BARE, profiler) if turn % 2 == 0 else (profiler, BARE)
            try:
                runs = {
                    each.name: one_run(launch, application, words, each, environment)
                    for each in order
                }
            except RuntimeError as problem:
                failed.append(profiler.name)
                yield {"row": application.name, "profiler": profiler.name, "failed": str(problem)}
                continue
            bare, with_it = runs["bare"], runs[profiler.name]
            print(
                f"{application.name} {number + 1}/{rounds} {profiler.name}: {bare.wall:.2f} s bare,"
                f" {with_it.wall:.2f} s with it",
                file=sys.stderr,
            )
            yield {
                "row": application.name,
                "profiler": profiler.name,
                "bare": bare._asdict(),
                "with": with_it._asdict(),
            }


def interval(measured: Sequence[Tuple[float, float]]) -> Tuple[float, float, float]:
    """Added share: low, mean, high. As `advisor verify` for one look: 95 %, Student, of log ratios;
    [(bare, with)], two pairs at least."""
    ratios = [math.log(with_it / bare) for bare, with_it in measured]
    half = quantile(0.975, len(ratios) - 1) * stdev(ratios) / math.sqrt(len(ratios))
    low, mean, high = (math.expm1(fmean(ratios) + step) for step in (-half, 0, half))
    return low, mean, high
