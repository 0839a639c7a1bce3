#!/usr/bin/env python3
"""What the collector adds to MPI_Finalize, in milliseconds, and what it writes, in bytes, beside a bare run and other profilers.

Usage: finalize.py MPICC COLLECTOR.so --launch "mpirun -n" [--ranks 2,4] [--peer NAME=LIB.so …] [--rounds N]

The variants take turns. Of each run the longest rank counts; of the runs, the fastest. Prints a Markdown table; ratios are
against the bare run of the same invocation.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Tuple


def one_run(launch: List[str], ranks: int, program: str, library: str) -> Tuple[float, int]:
    """Seconds in MPI_Finalize of the longest rank, and bytes that the profiler left in its folder."""
    with tempfile.TemporaryDirectory() as folder:
        words = ["env", "LD_PRELOAD=" + library, "ADVISOR_OUTPUT=" + folder, "ADVISOR_RUN=finalize"] if library else []
        done = subprocess.run([*launch, str(ranks), *words, program], cwd=folder, capture_output=True, text=True, timeout=300)
        seconds = [float(found) for found in re.findall(r"^finalize ([\d.]+)", done.stdout, re.M)]
        if len(seconds) != ranks:
            sys.exit(f"{ranks} ranks were started and {len(seconds)} answered:\n{done.stderr}")
        return max(seconds), sum(file.stat().st_size for file in Path(folder).rglob("*") if file.is_file())


def measure(launch: List[str], ranks: int, program: str, variants: Dict[str, str], rounds: int) -> Dict[str, Tuple[float, int]]:
    """{variant: (fastest seconds, bytes)}; the variants take turns."""
    results: Dict[str, Tuple[float, int]] = {}
    for _ in range(rounds):
        for name, library in variants.items():
            seconds, size = one_run(launch, ranks, program, library)
            results[name] = (min(seconds, results.get(name, (seconds, 0))[0]), size)
    return results


def row(ranks: int, results: Dict[str, Tuple[float, int]]) -> str:
    """One line of the table."""
    bare = results["bare"][0]
    cells = [f"{1e3 * bare:.2f}"]
    cells += [f"{1e3 * seconds:.2f} ({seconds / bare:.2f}x), {size} B" for name, (seconds, size) in results.items() if name != "bare"]
    return f"| {ranks} | " + " | ".join(cells) + " |"


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mpicc")
    parser.add_argument("collector")
    parser.add_argument("--launch", required=True, help="the launcher up to and with its option for ranks")
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=LIB.so")
    parser.add_argument("--rounds", type=int, default=5)
    return parser.parse_args()


def main() -> None:
    """Compile, run, print."""
    given = arguments()
    variants = {"bare": "", "advisor": os.path.abspath(given.collector), **dict(peer.split("=", 1) for peer in given.peer)}
    with tempfile.TemporaryDirectory() as folder:
        program = str(Path(folder) / "finalize")
        subprocess.run([given.mpicc, "-O2", str(Path(__file__).with_suffix(".c")), "-o", program], check=True)
        print("| ranks | " + " | ".join(f"{name}, ms" for name in variants) + " |\n|---|" + "---|" * len(variants))
        for ranks in map(int, given.ranks.split(",")):
            print(row(ranks, measure(shlex.split(given.launch), ranks, program, variants, given.rounds)), flush=True)


if __name__ == "__main__":
    main()
