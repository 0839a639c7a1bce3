#!/usr/bin/env python3
"""What the collector adds to one MPI call, in nanoseconds and in instructions, beside a bare run and other profilers.

Usage: callcost.py MPICC COLLECTOR.so [--launch WORD …] [--peer NAME=LIB.so …] [--rounds N] [--instructions]

Compiles callcost.c with MPICC and runs it on one rank, the variants taking turns, so that a slow moment of the machine hits
all alike. ns: minimum over the rounds of the minimum over chunks. Instructions: those that the profiler's own library executes, by callgrind.
Prints a Markdown table; `added` and the ratio are against the bare run of the same invocation.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List

from callgrind import own_instructions_per_call

OPERATIONS = {"allreduce": 1, "bcast": 1, "barrier": 1, "isir": 3, "sendrecv": 1, "iprobe": 1, "testnull": 1}
FEW, MANY = 20000, 40000


def environment(library: str) -> Dict[str, str]:
    values = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    values.pop("LD_PRELOAD", None)
    if library:
        values["LD_PRELOAD"] = library
    return values


def nanoseconds(program: str, launch: List[str], library: str, calls: int) -> Dict[str, float]:
    """ns per call of each operation."""
    preload = ["env", "LD_PRELOAD=" + library] if library else []
    # Peers write their reports into the current folder: the program's own is thrown away.
    line = [*launch, *preload, program, "-n", str(calls)]
    done = subprocess.run(line, env=environment(""), cwd=Path(program).parent, capture_output=True, text=True, timeout=600)
    found = re.findall(r"^op (\w+) .* min_ns ([\d.]+)", done.stdout, re.M)
    return {name: float(value) / OPERATIONS.get(name, 1) for name, value in found}


def instructions(program: str, library: str, operation: str) -> float:
    """Instructions per call of one operation that the profiler executes itself; callgrind.py."""
    out = Path(program).with_name("counted")
    return own_instructions_per_call([program, "-o", operation, "-k", "1"], environment(library), library, FEW, MANY, out) / OPERATIONS[operation]


def table(unit: str, results: Dict[str, Dict[str, float]]) -> str:
    """{variant: {operation: value}} as Markdown; the first variant is the base."""
    names = list(results)
    base = results[names[0]]
    lines = ["| %s per call | %s |" % (unit, " | ".join(names)), "|---|" + "---|" * len(names)]
    for operation in base:
        cells = ["%.1f" % base[operation]]
        for name in names[1:]:
            value = results[name].get(operation)
            cells.append("-" if value is None else "%.1f (+%.1f, x%.2f)" % (value, value - base[operation], value / base[operation]) if base[operation] else "%.1f" % value)
        lines.append("| %s | %s |" % (operation, " | ".join(cells)))
    return "\n".join(lines)


def measure_time(program: str, launch: List[str], variants: Dict[str, str], rounds: int) -> Dict[str, Dict[str, float]]:
    best: Dict[str, Dict[str, float]] = {name: {} for name in variants}
    for _ in range(rounds):
        for name, library in variants.items():
            for operation, value in nanoseconds(program, launch, library, 100000).items():
                if operation in OPERATIONS:
                    best[name][operation] = min(value, best[name].get(operation, value))
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mpicc")
    parser.add_argument("collector")
    parser.add_argument("--launch", nargs="*", default=[])
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=LIB.so")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--instructions", action="store_true")
    asked = parser.parse_args()
    variants = {"bare": "", "advisor": str(Path(asked.collector).resolve()), **dict(peer.split("=", 1) for peer in asked.peer)}
    with tempfile.TemporaryDirectory() as folder:
        program = folder + "/callcost"
        subprocess.run([asked.mpicc, "-O2", "-g", str(Path(__file__).with_name("callcost.c")), "-o", program], check=True)
        print(table("ns", measure_time(program, asked.launch, variants, asked.rounds)))
        if asked.instructions:
            counted = {name: {o: instructions(program, library, o) if library else 0.0 for o in OPERATIONS} for name, library in variants.items()}
            print("\n" + table("instructions added", counted))
    return 0


if __name__ == "__main__":
    sys.exit(main())
