#!/usr/bin/env python3
"""Many ranks on few cores, bare and under `advisor run`, in turns: what is added at start and end,
and whether each job ends as it would without us.

Usage: crowded.py [--builds ompi4,mpich4] [--ranks 2,8,32,128,256] [--rounds N] [--jsonl FILE]

Columns, medians over the rounds, bare → with advisor (which advises nothing here: --no-report): the
start, from the command to the last rank's return from MPI_Init; the end, from the first rank's call
of MPI_Finalize to the end of the command; processor time of all processes; and of how many commands
the launcher complained, or the output or the exit code was not that of a good run. FILE also has
each command's exit code and what it wrote to stderr.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, Iterator, List, Sequence

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "tests")]

from mpi_builds import compile_program, environment, find  # noqa: E402

_LIMIT_SECONDS = 1800
_COLUMNS = {"start": "start, s", "end": "end, s", "cpu": "processor time, s"}


def front(advised: bool, folder: str) -> List[str]:
    """What stands before the launch line."""
    return (
        [sys.executable, "-m", "advisor", "run", "--no-report", "-o", f"{folder}/result", "--"]
        if advised
        else []
    )


def one_run(build, program: str, ranks: int, advised: bool) -> Dict[str, Any]:
    """One command: its columns, and `ended`: empty if it ended well, else what was wrong."""
    with tempfile.TemporaryDirectory() as folder:
        line = [*front(advised, folder), *build.launcher, "-n", str(ranks), program]
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        try:
            done = subprocess.run(
                line,
                env=environment(build, {"PYTHONPATH": str(HERE.parent)}),
                capture_output=True,
                text=True,
                errors="replace",
                timeout=_LIMIT_SECONDS,
            )
        except subprocess.TimeoutExpired:
            return {"ended": f"not within {_LIMIT_SECONDS} s"}
        end, after = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        reported = re.fullmatch(rf"sum {ranks} begun ([\d.]+) ends ([\d.]+)\n", done.stdout)
        said = next(
            (what for what in ("exiting improperly", "BAD TERMINATION") if what in done.stderr), ""
        )
        outcome = {"code": done.returncode, "stderr": done.stderr[-4000:]}
        if done.returncode or not reported or said:
            return {
                "ended": (
                    f"code {done.returncode}, output {'whole' if reported else 'not whole'}, launcher:"
                    f" {said or 'nothing'}"
                ),
                **outcome,
            }
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return {
            "ended": "",
            "start": float(reported[1]) - begin,
            "end": end - float(reported[2]),
            "cpu": cpu,
            **outcome,
        }


def measured(build, ranks: int, rounds: int) -> Iterator[Dict[str, Any]]:
    """Runs in turns; which of the two comes first changes from round to round."""
    with tempfile.TemporaryDirectory() as folder:
        program = compile_program(build, "c", [HERE / "crowded.c"], Path(folder) / "crowded")
        one_run(build, program, 2, True)  # The collector is built, and programs are in memory.
        for number in range(rounds):
            for advised in (False, True) if number % 2 else (True, False):
                yield {
                    "build": build.name,
                    "ranks": ranks,
                    "advised": advised,
                    "load": os.getloadavg()[0],
                    **one_run(build, program, ranks, advised),
                }


def table(runs: Sequence[Dict[str, Any]]) -> List[str]:
    """Lines of Markdown."""
    lines = [
        "| library | ranks | "
        + " | ".join(_COLUMNS.values())
        + " | ended otherwise, bare | with advisor |",
        "|---" * 7 + "|",
    ]
    for name, ranks in dict.fromkeys((run["build"], run["ranks"]) for run in runs):
        mine = {
            advised: [
                run
                for run in runs
                if (run["build"], run["ranks"], run["advised"]) == (name, ranks, advised)
            ]
            for advised in (False, True)
        }
        cells = [
            " → ".join(_median(mine[advised], column) for advised in (False, True))
            for column in _COLUMNS
        ]
        wrong = [
            f"{sum(bool(run['ended']) for run in mine[advised])} of {len(mine[advised])}"
            for advised in (False, True)
        ]
        lines.append(" | ".join([f"| {name}", str(ranks), *cells, *wrong]) + " |")
    return lines


def _median(runs: Sequence[Dict[str, Any]], column: str) -> str:
    values = [run[column] for run in runs if column in run]
    return f"{statistics.median(values):.2f}" if values else "gap"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--builds", default="ompi4,mpich4")
    parser.add_argument("--ranks", default="2,8,32,128,256")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument(
        "--jsonl",
        metavar="FILE",
        type=Path,
        help="append each run to this file, and make the table of all that it holds",
    )
    arguments = parser.parse_args()
    runs: List[Dict[str, Any]] = []
    if arguments.jsonl and arguments.jsonl.exists():
        runs = [
            json.loads(line) for line in arguments.jsonl.read_text(encoding="utf-8").splitlines()
        ]
    for name in arguments.builds.split(","):
        for ranks in map(int, arguments.ranks.split(",")):
            for run in measured(find(name), ranks, arguments.rounds):
                runs.append(run)
                print(json.dumps(run), file=sys.stderr, flush=True)
                if arguments.jsonl:
                    with open(arguments.jsonl, "a", encoding="utf-8") as file:
                        file.write(json.dumps(run) + "\n")
    print("\n".join(table(runs)))


if __name__ == "__main__":
    main()
