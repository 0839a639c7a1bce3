"""What a profiler adds to the end of a job, to its memory and to the disk, beside a bare run and
other profilers: finalize.c under ended.c, which also sees what happens after MPI_Finalize, where
some write their reports. `costs.py` runs it."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List, Mapping, NamedTuple, Sequence

from profilers import Profiler

HERE = Path(__file__).resolve().parent
ROWS = ("finalize_ms", "ended_ms", "pss_kib", "rss_kib", "peak_kib", "output_bytes")
"""Longest MPI_Finalize; from the last begin of it to the end of the last process; mean over ranks
of memory before it, twice, and of the peak; what was written."""


class Programs(NamedTuple):
    """Both compiled."""

    measured: str
    around: str


def compiled(mpicc: str, folder: str, environment: Mapping[str, str]) -> Programs:
    """Both programs in `folder`."""
    made = Programs(folder + "/finalize", folder + "/ended")
    for compiler, source, output in (
        (mpicc, "finalize.c", made.measured),
        ("cc", "ended.c", made.around),
    ):
        subprocess.run(
            [compiler, "-O2", str(HERE / source), "-o", output], env=dict(environment), check=True
        )
    return made


def rows(printed: str, written: int) -> Dict[str, float]:
    """ROWS of what all ranks printed."""
    lines = [
        tuple(map(float, line))
        for line in re.findall(
            r"^finalize ([\d.]+) begin ([\d.]+) rss (-?\d+) pss (-?\d+)", printed, re.M
        )
    ]
    ends = [
        tuple(map(float, line))
        for line in re.findall(r"^ended ([\d.]+) maxrss (\d+)", printed, re.M)
    ]
    if not lines or len(lines) != len(ends):
        raise RuntimeError(f"{len(lines)} ranks answered, {len(ends)} ended")
    took, began, resident, proportional = zip(*lines)
    ended, peak = zip(*ends)
    mean = [sum(values) / len(values) for values in (proportional, resident, peak)]
    return dict(
        zip(ROWS, (1e3 * max(took), 1e3 * (max(ended) - max(began)), *mean, float(written)))
    )


def one_run(
    launch: Sequence[str], programs: Programs, profiler: Profiler, environment: Mapping[str, str]
) -> Dict[str, float]:
    """ROWS of one run. RuntimeError if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        line = [*launch, programs.around, *profiler.front(folder), programs.measured]
        done = subprocess.run(
            line,
            cwd=folder,
            env=dict(environment),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=120,
        )
        if done.returncode:
            raise RuntimeError(f"ended with {done.returncode}: {done.stderr.strip()[-200:]}")
        return rows(
            done.stdout,
            sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()),
        )


def measure(
    launch: Sequence[str],
    programs: Programs,
    profilers: Sequence[Profiler],
    rounds: int,
    environment: Mapping[str, str],
) -> Dict[str, Dict[str, List[float]]]:
    """{profiler: {row: value of each round}}; the profilers take turns; one that fails has the
    reason as a row without values."""
    results: Dict[str, Dict[str, List[float]]] = {each.name: {} for each in profilers}
    for _ in range(rounds):
        for each in profilers:
            try:
                for name, value in one_run(launch, programs, each, environment).items():
                    results[each.name].setdefault(name, []).append(value)
            except (RuntimeError, subprocess.TimeoutExpired) as problem:
                results[each.name].setdefault(f"failed: {problem}", [])
    return results
