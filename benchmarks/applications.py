#!/usr/bin/env python3
"""What profilers add to a whole program, in percent of its time: interleaved pairs of a bare run and one with the profiler.

Usage: applications.py --tool NAME=LIB.so [--tool …] [--pairs N] [--metric REGEX] [--folder FOLDER] -- mpirun -n 2 {} lmp -in in.lj

{} is where the profiler's `env LD_PRELOAD=…` goes in front of the program. In each round every tool has a bare run beside it, in turns before and
after it, so that what drifts cancels. Time: the first group of REGEX in the program's output (the last match), or the wall clock of the command.
The interval is that of `advisor verify` for one look (95 %, Student), on log ratios. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Dict, List, Sequence, Tuple

from advisor.verifying.student import quantile


def seconds(words: Sequence[str], library: str, metric: str, folder: str) -> float:
    """Of one run; the job ends with exit code 0 or the benchmark stops."""
    with tempfile.TemporaryDirectory() as output:
        front = ["env", f"LD_PRELOAD={library}", f"ADVISOR_OUTPUT={output}", "ADVISOR_RUN=benchmark"] if library else []
        at = words.index("{}")
        line = [*words[:at], *front, *words[at + 1 :]]
        begin = time.monotonic()
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, errors="replace", timeout=1800)
        passed = time.monotonic() - begin
    if done.returncode:
        sys.exit(f"{line} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    found = re.findall(metric, done.stdout) if metric else [passed]
    return float(found[-1]) if found else sys.exit(f"{metric} is not in what {line} printed")


def pairs(words: Sequence[str], tools: Dict[str, str], rounds: int, metric: str, folder: str) -> Dict[str, List[Tuple[float, float]]]:
    """{tool: [(bare seconds, seconds with it)]}."""
    seconds(words, "", metric, folder)  # a warm-up: files and frequencies
    results: Dict[str, List[Tuple[float, float]]] = {name: [] for name in tools}
    for number in range(rounds):
        for name, library in tools.items():
            order = ("", library) if number % 2 == 0 else (library, "")
            times = {each: seconds(words, each, metric, folder) for each in order}
            results[name].append((times[""], times[library]))
            print(f"{number + 1}/{rounds} {name}: {times[''] :.2f} s bare, {times[library] :.2f} s with it", file=sys.stderr)
    return results


def row(name: str, measured: Sequence[Tuple[float, float]]) -> str:
    """One line of the table."""
    ratios = [math.log(with_ / bare) for bare, with_ in measured]
    half = quantile(0.975, len(ratios) - 1) * stdev(ratios) / math.sqrt(len(ratios))
    low, mean, high = (100 * math.expm1(fmean(ratios) + step) for step in (-half, 0, half))
    middle = 100 * math.expm1(median(ratios))
    return f"| {name} | {median(bare for bare, _ in measured):.2f} | {mean:+.2f} % [{low:+.2f}, {high:+.2f}] | {middle:+.2f} % | {len(ratios)} |"


def arguments(argv: Sequence[str]) -> argparse.Namespace:
    """The command line; what stands after -- is `words`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", action="append", required=True, metavar="NAME=LIB.so")
    parser.add_argument("--pairs", type=int, default=8)
    parser.add_argument("--metric", default="")
    parser.add_argument("--folder", default=".")
    at = list(argv).index("--") if "--" in argv else len(argv)
    given = parser.parse_args(argv[:at])
    given.words = list(argv[at + 1 :])
    if "{}" not in given.words or given.pairs < 2:
        parser.error("give the command after --, with {} in front of the program, and at least two pairs")
    return given


def main() -> None:
    """Run, print."""
    given = arguments(sys.argv[1:])
    named = (tool.split("=", 1) for tool in given.tool)
    tools = {name: str(Path(os.path.abspath(library))) for name, library in named}
    results = pairs(given.words, tools, given.pairs, given.metric, given.folder)
    print("| profiler | bare, s | added: mean [95 %] | added: median | pairs |\n|---|---|---|---|---|")
    for name, measured in results.items():
        print(row(name, measured))


if __name__ == "__main__":
    main()
