#!/usr/bin/env python3
"""All that the collector costs, beside bare runs and other profilers that take turns with it:
benchmarks/COSTS.md.

Usage: costs.py [--only PART[,PART]] [--rounds N] [--pairs N] [--programs PART] [--peer
NAME=LIB.so[,VARIABLE=VALUE …] …] [--library NAME[,NAME]] [--results FILE] [--table]

PART (default: all), with its time on two quiet cores with four peers:
  hot           time of a call, in loops: minimum of chunks (10 s a round)
  cold          the same after 2 MiB have been touched before each call (10 s a round)
  together      hot, on two ranks that communicate (15 s a round)
  others        hot, ours alone, under the other MPI libraries (10 s a round)
  instructions  of a call, by callgrind: does not depend on other load (5 minutes)
  end           MPI_Finalize and what comes after it, memory, output; 2 and 4 ranks (15 s a round)
  applications  pw.x, lmp and mpi4py's ring on two ranks, end to end, in pairs (--pairs)
  turns         the same, longer, ours alone: both of a pair at once, in turns of fifty milliseconds
  (a minute a pair of all)

Peers: IPM, TALP, mpiP and `mpiP without stacks`, built for --library (Open MPI 4 of the system), by
--peer or in the environment: ADVISOR_PEER_IPM, ADVISOR_PEER_TALP, ADVISOR_PEER_MPIP. What is
missing is a gap in the table. One JSON line a row and profiler, or a pair of runs, is added to
--results (costs.jsonl); the table takes the latest run of each part. --table writes it, and runs
nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Sequence

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path[:0] = [str(HERE), str(ROOT), str(ROOT / "tests")]

import applications  # noqa: E402
import callcost  # noqa: E402
import cost_table  # noqa: E402
import finalize  # noqa: E402
import interleaved as turns  # noqa: E402
from mpi_builds import (
    Build,
    environment,
    find,
    python,
    python_environment,
    why_missing,
)  # noqa: E402
from profilers import BARE, Profiler, chosen, gaps, why_not  # noqa: E402

from advisor.launching.collector.build import by_hand  # noqa: E402

OTHERS = ("ompi5", "mpich4", "mpich5", "impi")
Line = Dict[str, Any]


class Place(NamedTuple):
    """`profilers`: ours, ours with the system's clock, and the peers that are there."""

    build: Build
    folder: str
    environment: Mapping[str, str]
    profilers: List[Profiler]
    rounds: int
    pairs: int
    programs: str


def place(name: str, folder: str, peers: Sequence[Profiler], asked: argparse.Namespace) -> Place:
    """Programs of one library are compiled in a folder of its own."""
    build = find(name)
    within = Path(folder, name)
    within.mkdir()
    # Open MPI 4.1 cannot make a window of one rank with its default components.
    values = environment(build, {"OMPI_MCA_osc": "pt2pt"} if name == "ompi4" else {})
    library = str(by_hand(build.mpicc, None, values, print))
    clock = str(within / "other_clock.so")
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O2", str(HERE / "other_clock.c"), "-ldl", "-o", clock],
        check=True,
    )
    ours = [Profiler("advisor", (library,)), Profiler(cost_table.SYSTEM_CLOCK, (clock, library))]
    return Place(
        build, str(within), values, [*ours, *peers], asked.rounds, asked.pairs, asked.programs
    )


def lines_of(measured: Mapping[str, Mapping[str, List[float]]]) -> Iterator[Line]:
    """One line a profiler and row; what failed, with the reason."""
    for name, rows in measured.items():
        for row, values in rows.items():
            if row.startswith("failed: "):
                yield {"profiler": name, "failed": row[8:]}
            elif values:
                yield {
                    "profiler": name,
                    "row": row,
                    "values": [round(value, 3) for value in values],
                }


def calls(at: Place, words: Sequence[str], ranks: int = 1) -> Iterator[Line]:
    program = callcost.compiled(at.build.mpicc, at.folder, at.environment)
    launch = [*at.build.launcher, "-n", str(ranks)] if ranks > 1 else []
    return lines_of(
        callcost.times(program, launch, [BARE, *at.profilers], at.rounds, at.environment, words)
    )


def instructions(at: Place) -> Iterator[Line]:
    program = callcost.compiled(at.build.mpicc, at.folder, at.environment)
    for each in (BARE, *(each for each in at.profilers if each.name != cost_table.SYSTEM_CLOCK)):
        try:
            counted = callcost.instructions(program, each, at.environment)
        except (subprocess.SubprocessError, OSError) as problem:
            yield {"profiler": each.name, "failed": str(problem)[-200:]}
            continue
        yield from lines_of(
            {each.name: {operation: [value] for operation, value in counted.items()}}
        )


def ends(at: Place) -> Iterator[Line]:
    programs = finalize.compiled(at.build.mpicc, at.folder, at.environment)
    others = [each for each in at.profilers if each.name != cost_table.SYSTEM_CLOCK]
    for ranks in (2, 4):
        launch = [*at.build.launcher, "-n", str(ranks)]
        for line in lines_of(
            finalize.measure(launch, programs, [BARE, *others], at.rounds, at.environment)
        ):
            yield {**line, "ranks": ranks}


def on_programs(
    at: Place,
    programs: Sequence[Any],
    pairs: Callable[[Any, Sequence[str], Mapping[str, str]], Iterator[Line]],
) -> Iterator[Line]:
    """Lines of `pairs` (program, its words, environment) for each that was asked for; a gap for one
    that cannot be run here."""
    interpreter = python(at.build)
    values = {**at.environment, **python_environment(at.build)}
    for each in (each for each in programs if at.programs in each.name):
        missing = applications.why_not(each, interpreter)
        if missing:
            yield {"row": each.name, "profiler": "bare", "failed": missing}
        else:
            yield from pairs(
                each, [interpreter, *each.words] if each.python else each.words, values
            )


def whole_programs(at: Place) -> Iterator[Line]:
    others = [each for each in at.profilers if each.name in cost_table.WITH_APPLICATIONS]
    launch = [*at.build.launcher, "-n", "2"]
    return on_programs(
        at,
        applications.APPLICATIONS,
        lambda program, words, values: applications.pairs(
            launch, program, words, others, at.pairs, values
        ),
    )


def interleaved(at: Place) -> Iterator[Line]:
    launch = [*at.build.launcher, "-n", "2"]
    return on_programs(
        at,
        turns.PROGRAMS,
        lambda program, words, values: turns.pairs(
            launch, 2, program, words, at.profilers[0], at.pairs, values
        ),
    )


PARTS: Dict[str, Callable[[Place], Iterator[Line]]] = {
    "hot": lambda at: calls(at, callcost.HOT),
    "cold": lambda at: calls(at, callcost.COLD),
    "together": lambda at: calls(at, ("-w", "-n", "40000"), 2),
    "others": lambda at: calls(at, callcost.HOT),
    "instructions": instructions,
    "end": ends,
    "applications": whole_programs,
    "turns": interleaved,
}


def circumstances() -> Line:
    """When, where and of what."""
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.machine(),
    )
    state = subprocess.run(
        ["git", "describe", "--always"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    return {
        "run": time.strftime("%Y-%m-%dT%H:%M:%S"),
        "processor": model,
        "cores": os.cpu_count(),
        "state": state,
        "load": round(os.getloadavg()[0], 2),
    }


def run(
    part: str, libraries: Sequence[str], peers: Sequence[Profiler], asked: argparse.Namespace
) -> None:
    """One part, line by line, so that an interrupted one leaves what it had."""
    began, reported = time.time(), circumstances()
    with open(asked.results, "a", encoding="utf-8") as out, tempfile.TemporaryDirectory() as folder:
        for name in libraries:
            if why_missing(name):
                print(f"{part}: {why_missing(name)}")
                continue
            at = place(name, folder, peers if name == asked.library else [], asked)
            for line in PARTS[part](at):
                out.write(json.dumps({"part": part, "library": name, **reported, **line}) + "\n")
                out.flush()
    print(f"{part}: {time.time() - began:.0f} s", flush=True)


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default=",".join(PARTS), help="parts, by commas")
    parser.add_argument("--rounds", type=int, default=6, help="in which all take turns")
    parser.add_argument(
        "--pairs", type=int, default=10, help="of an application and ours; others have half of them"
    )
    parser.add_argument(
        "--programs", default="", help="part of the names of the applications to run; all"
    )
    parser.add_argument(
        "--peer", action="append", default=[], metavar="NAME=LIB.so[,VARIABLE=VALUE]"
    )
    parser.add_argument("--library", default="ompi4", help="that the peers were built for")
    parser.add_argument("--results", type=Path, default=HERE / "costs.jsonl")
    parser.add_argument("--table", action="store_true", help="write the tables, and run nothing")
    return parser.parse_args()


def main() -> None:
    """Run, keep, write the tables."""
    asked = arguments()
    known = chosen(asked.peer)
    peers = [each for each in known if not why_not(each)]
    for sentence in (
        []
        if asked.table
        else [f"{each.name} is not measured: {why_not(each)}" for each in known if why_not(each)]
        + gaps(known)
    ):
        print(sentence)
    for part in [] if asked.table else asked.only.split(","):
        run(
            part,
            (
                [name for name in OTHERS if name != asked.library]
                if part == "others"
                else [asked.library]
            ),
            peers,
            asked,
        )
    print(cost_table.write(asked.results))


if __name__ == "__main__":
    main()
