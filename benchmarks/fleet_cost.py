"""CPU time that always-on measurement adds to a job, in two parts.

    chrt -f 10 python benchmarks/fleet_cost.py [--seconds 50] [--starts 30] [--write]

While it runs: programs repeat a block of some 20 ms (fleet_blocks.c), with the collector and
without, in pairs and drawn order, inside one run, so that what the machine does hits both. Per
program: the median of the pairs' ratios, with a 95 % interval (bootstrap), and all blocks with it
over all without, which also holds what is rare. The same without the collector shows what the
method itself adds. Once: whole commands that do next to nothing, with and without, in pairs.

Two ranks of Open MPI 4. Ranks that wait spin, so CPU time is the time that they take. Eight
programs at 50 s take nine minutes. Each line goes to fleet_costs.jsonl; --write puts the table into
FLEET.md.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from costs import circumstances
from result_lines import Line, put, read, rounded, write

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "fleet_costs.jsonl"
SAID_ONCE = ("run", "processor", "cores", "state", "load")
PROGRAMS = "stencil gradients transform particles panels tasks puts sums_only".split()
NO_PROGRAM = "sums_only"
"""Nothing but the shortest calls: shown, and not counted towards the goal."""
GOAL = 0.005
CONTROL = 0.2
"""Of a program's seconds, for the same without the collector."""
LAUNCH = "mpirun.openmpi --allow-run-as-root --bind-to core -n 2".split()
RESAMPLES = 1000
Pairs = List[Tuple[float, float]]


class Place:
    """What a centre installs, and the program, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.spool, self.program = folder / "spool", folder / "fleet_blocks"
        self.preload = f"{folder}/home/lib/advisor-fleet.so"
        self.jobs = 0
        words = ["fleet", "install", str(folder / "home"), "--spool", str(self.spool)]
        subprocess.run(
            [sys.executable, "-m", "advisor", *words, "--mpicc", "mpicc.openmpi"]
            + ["--share", "100%"],
            cwd=HERE.parent,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        self.spool.joinpath(f"{datetime.now(timezone.utc):%Y/%m/%d}").mkdir(parents=True)
        source = HERE / "fleet_blocks.c"
        subprocess.run(["mpicc.openmpi", "-O1", source, "-o", self.program], check=True)

    def run(self, kind: str, seconds: float, with_it: bool) -> Tuple[float, Pairs]:
        """CPU seconds of all processes of the command, and its pairs. RuntimeError if it fails, or
        if there is not one profile where it is measured, and none where it is not."""
        self.jobs += 1
        variables = {**os.environ, "SLURM_JOB_ID": str(self.jobs)}
        if with_it:
            variables["LD_PRELOAD"] = self.preload
        words = [*LAUNCH, str(self.program), kind, str(seconds)]
        with tempfile.TemporaryFile("w+") as printed:
            child = subprocess.Popen(words, env=variables, stdout=printed)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            printed.seek(0)
            lines = [line.split() for line in printed if line.startswith("pair ")]
        if status or len(list(self.spool.glob(f"*/*/*/*.{self.jobs}.*.profile"))) != with_it:
            raise RuntimeError(f"{words} ended with {child.returncode}, or its profile is missing")
        return used.ru_utime + used.ru_stime, [(float(row[1]), float(row[2])) for row in lines]


def interval(values: Sequence[float]) -> List[float]:
    """Lower end, median and upper end: 95 %, bootstrap."""
    drawn = random.Random(1)
    medians = sorted(
        statistics.median(drawn.choices(values, k=len(values))) for _ in range(RESAMPLES)
    )
    return [medians[RESAMPLES // 40], statistics.median(values), medians[-RESAMPLES // 40 - 1]]


def while_it_runs(place: Place, kind: str, seconds: float) -> Line:
    """Shares of CPU time."""
    _, found = place.run(kind, (1 - CONTROL) * seconds, True)
    _, control = place.run(kind, CONTROL * seconds, False)
    bare, loaded = (math.fsum(side) for side in zip(*found))
    return {
        "row": kind,
        "pairs": len(found),
        "added": interval([each / alone - 1 for alone, each in found]),
        "all": loaded / bare - 1,
        "control": interval([each / alone - 1 for alone, each in control]),
    }


def once(place: Place, pairs: int) -> Line:
    """Seconds of CPU time that each job pays. The first pair reads files for the first time."""
    differences = []
    for number in range(pairs + 1):
        took: Dict[bool, float] = {}
        for with_it in random.sample((False, True), 2):
            took[with_it] = place.run("particles", 0, with_it)[0]
        if number:
            differences.append(took[True] - took[False])
    return {"row": "once", "pairs": pairs, "added": interval(differences)}


def table(lines: Sequence[Line]) -> str:
    """Markdown, of the lines of one run."""
    text = [
        f"{lines[0]['run'][:10]}, {lines[0]['processor']}, {lines[0]['cores']} cores, load"
        f" {lines[0]['load']} at the start, state {lines[0]['state']}.",
        "",
        "| program | pairs | added [95 %] | all blocks | without the collector | below 0.5 % |",
        "|---|---:|---:|---:|---:|---|",
    ]
    programs = [line for line in lines if line["row"] != "once"]
    for line in programs:
        shown = "shown" if line["added"][2] <= GOAL else "not shown"
        text.append(
            f"| {line['row']} | {line['pairs']} | {_percent(line['added'])} |"
            f" {line['all']:+.2%} | {_percent(line['control'])} | {shown} |"
        )
    counted = [line for line in programs if line["row"] != NO_PROGRAM]
    good = sum(line["added"][2] <= GOAL for line in counted)
    text += ["", f"Below 0.5 %, upper end: {good} of {len(counted)} programs."]
    for line in lines:
        if line["row"] == "once":
            low, middle, high = (1e3 * each for each in line["added"])
            text += [
                f"Once a job: {middle:+.0f} ms [{low:+.0f}, {high:+.0f}] of CPU time for both"
                f" ranks, which is 0.5 %",
                f"of {high / 1e3 / GOAL:.0f} CPU seconds (upper end).",
            ]
    return "\n".join(text)


def _percent(ends: Sequence[float]) -> str:
    low, middle, high = ends
    return f"{middle:+.2%} [{low:+.2%}, {high:+.2%}]"


def main() -> int:
    """Measure, keep each line at once, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=50, help="of each program")
    parser.add_argument("--starts", type=int, default=30, help="pairs of short commands")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    here, lines = circumstances(), []
    with tempfile.TemporaryDirectory(prefix="fleet-cost-") as name:
        place = Place(Path(name))
        for kind in [*PROGRAMS, "once"]:
            found = (
                once(place, arguments.starts)
                if kind == "once"
                else while_it_runs(place, kind, arguments.seconds)
            )
            lines.append({**here, **{key: rounded(each) for key, each in found.items()}})
            before = read(arguments.results, SAID_ONCE)
            write(arguments.results, [*before, lines[-1]], SAID_ONCE)
            print(lines[-1], file=sys.stderr)
    print(table(lines))
    if arguments.write:
        put(HERE / "FLEET.md", {"cost": table(lines)})
    return 0


if __name__ == "__main__":
    sys.exit(main())
