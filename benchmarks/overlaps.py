#!/usr/bin/env python3
"""How near the overlap that the collector tells comes to the true one: tests/waits/achieved.c under
each MPI library, with messages of several sizes: benchmarks/OVERLAP.md.

Usage: overlaps.py [--rounds N] [--library NAME[,NAME]] [--results FILE] [--table]

The truth is the program's own: with its clock it sees what its messages had before the completing
calls and still needed in them, and, in every other turn, how long such a message takes that has no
time before. A round takes about 35 s a library on two quiet cores. One JSON line a run is added to
--results (overlaps.jsonl); --table writes the table, and runs nothing.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, Sequence

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import numpy as np  # noqa: E402
import result_lines  # noqa: E402
from mpi_builds import compile_program, environment, find, run, why_missing  # noqa: E402

from advisor.analysis.measure import measure  # noqa: E402
from advisor.intake.read import read  # noqa: E402
from advisor.launching.collector.build import by_hand  # noqa: E402

LIBRARIES = "ompi4,ompi5,mpich4,mpich5,impi"
SIZES = {1 << 16: (2000, 1200), 1 << 18: (2000, 1200), 1 << 20: (2000, 1200), 1 << 22: (4000, 600)}
"""Bytes: microseconds of computing, turns."""
CASES = tuple(itertools.product(SIZES, ("both", "sender"), ("kept", "written")))
CIRCUMSTANCES = ("date", "library", "bytes", "computing", "contents", "load")
NEAR = (0.02, 0.05, 0.1)
Line = Dict[str, Any]


def efficiency(gap: np.ndarray, rest: np.ndarray, message: float) -> float:
    """Achieved of possible, by METRICS 10, of messages (any shape, seconds) that take `message`
    seconds."""
    possible = np.minimum(gap, message)
    return float(np.maximum(np.minimum(possible, message - rest), 0).sum() / possible.sum())


def line_of(printed: str, profile: Path) -> Line:
    """Truth, and what is told with its bounds; the turns in which nobody computes say how long a
    message takes. LookupError if nothing is told."""
    gap, rest, whole = (
        np.array([float(word) for word in printed.split()]).reshape(-1, 2, 3).transpose(2, 0, 1)
    )
    column = measure(read(profile)).tables["run"].columns["overlap_efficiency"]
    if column.reason:
        raise LookupError(str(column.reason))
    own = float(np.median(whole[::2, 0]))
    reported = {
        name: round(float(values[0]), 4)
        for name, values in (("found", column.values), ("low", column.low), ("high", column.high))
    }
    return {
        "microseconds": round(1e6 * own, 1),
        "true": round(efficiency(gap, rest, own), 4),
        **reported,
    }


def measured(library: str, folder: str) -> Callable[[int, str, str], Line]:
    """(size, who computes, what becomes of the bytes) → the line of a run."""
    build = find(library)
    program = compile_program(
        build, "c", [ROOT / "tests" / "waits" / "achieved.c"], Path(folder) / f"achieved-{library}"
    )
    collector = by_hand(build.mpicc, None, environment(build), print)

    def get(size: int, computing: str, contents: str) -> Line:
        with tempfile.TemporaryDirectory() as out:
            words = [str(size), *map(str, SIZES[size]), computing, contents]
            front = [
                "env",
                f"LD_PRELOAD={collector}",
                f"ADVISOR_OUTPUT={out}",
                f"ADVISOR_RUN=overlaps-{os.getpid()}-{time.monotonic_ns()}",
            ]
            return line_of(
                run(build, 2, [*front, str(program), *words]).stdout, Path(out) / "merged.profile"
            )

    return get


def runs(asked: argparse.Namespace, folder: str):
    """Lines; the libraries take turns."""
    names = [name for name in asked.library.split(",") if not why_missing(name)]
    programs = {name: measured(name, folder) for name in names}
    for _, name, (size, computing, contents) in itertools.product(
        range(asked.rounds), names, CASES
    ):
        reported = {
            "date": time.strftime("%Y-%m-%d"),
            "library": name,
            "bytes": size,
            "computing": computing,
            "contents": contents,
            "load": round(os.getloadavg()[0], 2),
        }
        try:
            yield {**reported, **programs[name](size, computing, contents)}
        except (
            RuntimeError,
            OSError,
            ValueError,
            LookupError,
            subprocess.SubprocessError,
        ) as problem:
            yield {**reported, "failed": f"{type(problem).__name__}: {problem}"}


def off(line: Line) -> float:
    """How far the truth is outside the interval; 0 inside."""
    return max(line["low"] - line["true"], line["true"] - line["high"], 0.0)


def row(name: str, lines: Sequence[Line]) -> str:
    known = [line for line in lines if "true" in line]
    if not known:
        return f"| {name} | {len(lines)} | none told |  |  |  |  |"
    within = " / ".join(str(sum(off(line) <= near for line in known)) for near in NEAR)
    values = [
        float(np.median([line["high"] - line["low"] for line in known])),
        float(np.median([abs(line["found"] - line["true"]) for line in known])),
        max(map(off, known)),
    ]
    return (
        f"| {name} | {len(lines)} | {len(known)} | {within} | "
        + " | ".join(f"{value:.3f}" for value in values)
        + " |"
    )


def table(results: Path) -> str:
    """All runs of the results, by library and by who computes. The file is shortened."""
    lines = result_lines.read(results, CIRCUMSTANCES)
    result_lines.write(results, lines, CIRCUMSTANCES)
    parts = [
        "# Overlap beside the program's own clock",
        "",
        "`benchmarks/overlaps.py --table` writes this page from `benchmarks/overlaps.jsonl`. The values",
        "are overlap efficiencies from 0 to 1: of the transfer time that could have passed before the",
        "completing calls, the share that did.",
        "",
        (
            "| messages | runs | told | truth within 0.02 / 0.05 / 0.1 of the interval | width of"
            " the interval, median | value off the truth, median | truth outside, most |"
        ),
        "|---|---|---|---|---|---|---|",
    ]
    for key in ("library", "computing", "contents", "bytes"):
        parts += [
            row(f"{key}: {value}", [line for line in lines if line[key] == value])
            for value in dict.fromkeys(line[key] for line in lines)
        ]
    return "\n".join([*parts, row("all", lines), ""])


def main() -> None:
    """Run, keep, write the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--library", default=LIBRARIES)
    parser.add_argument("--results", type=Path, default=HERE / "overlaps.jsonl")
    parser.add_argument("--table", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for line in () if asked.table else runs(asked, folder):
            with open(asked.results, "a", encoding="utf-8") as out:
                out.write(json.dumps(line) + "\n")
            print(json.dumps(line), flush=True)
    (HERE / "OVERLAP.md").write_text(table(asked.results), encoding="utf-8")


if __name__ == "__main__":
    main()
