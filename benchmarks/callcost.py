#!/usr/bin/env python3
"""What the collector adds to one MPI call, in nanoseconds and in instructions, beside a bare run
and other profilers.

Usage: callcost.py MPICC COLLECTOR.so [--launch WORD …] [--peer NAME=LIB.so[,VARIABLE=VALUE …] …]
[--rounds N] [--cold] [--instructions]

Compiles callcost.c with MPICC and runs it on one rank, the variants taking turns, so that a slow
moment of the machine hits all alike. ns: minimum over the rounds of the minimum over chunks;
--cold: of the mean of the middle half of calls before which 2 MiB were touched. Instructions: all
that are executed, by callgrind. Prints a Markdown table; `added` and the ratio are against the bare
run of the same invocation. `costs.py` does this and the rest of what a profiler costs, and keeps
it.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List, Mapping, Sequence

from callgrind import count, within_functions
from profilers import BARE, Profiler, peer

HERE = Path(__file__).resolve().parent
OPERATIONS = {
    "allreduce": 1,
    "bcast": 1,
    "barrier": 1,
    "isir": 3,
    "sendrecv": 1,
    "iprobe": 1,
    "testnull": 1,
    "putfence": 2,
    "lock": 2,
    "allreduce64k": 1,
    "sendrecv64k": 1,
    "dup": 2,
}
"""Calls in a round of each."""
DEAR = ("allreduce64k", "sendrecv64k", "dup")
"""callcost.c has 50 times fewer rounds of these."""
FEW, MANY = 20000, 40000
HOT = ("-n", "100000")
COLD = ("-n", "20000", "-k", "1000", "-e", "2048")
Times = Dict[str, Dict[str, List[float]]]


def nanoseconds(
    line: Sequence[str], environment: Mapping[str, str], folder: str, field: str
) -> Dict[str, float]:
    """ns per call of each operation. RuntimeError with the last words of a program that fails."""
    done = subprocess.run(
        line,
        env=dict(environment),
        cwd=folder,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=600,
    )
    found = re.findall(rf"^op (\w+) .* {field} ([\d.]+)", done.stdout, re.M)
    if done.returncode or not found:
        raise RuntimeError(f"ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    return {name: float(value) / OPERATIONS[name] for name, value in found}


def times(
    program: str,
    launch: Sequence[str],
    profilers: Sequence[Profiler],
    rounds: int,
    environment: Mapping[str, str],
    words: Sequence[str] = HOT,
) -> Times:
    """{profiler: {operation: ns per call of each round}}; a profiler that fails has the reason as
    its only operation, without values."""
    results: Times = {each.name: {} for each in profilers}
    field = "mid_ns" if "-e" in words else "min_ns"
    for _ in range(rounds):
        for each in profilers:
            # Peers write their reports into the current folder.
            with tempfile.TemporaryDirectory() as folder:
                try:
                    for operation, value in nanoseconds(
                        [*launch, *each.front(folder), program, *words], environment, folder, field
                    ).items():
                        results[each.name].setdefault(operation, []).append(value)
                except (RuntimeError, subprocess.TimeoutExpired) as problem:
                    results[each.name].setdefault(f"failed: {problem}", [])
    return results


def instructions(
    program: str, profiler: Profiler, environment: Mapping[str, str]
) -> Dict[str, float]:
    """{operation: instructions per call}, in whatever library they are executed, beyond the first
    20 000 rounds (of dear operations 400)."""
    with tempfile.TemporaryDirectory() as folder:
        words = [word.split("=", 1) for word in profiler.front(folder)[1:]]
        values = {**environment, **dict(words)}
        few, many = (
            within_functions(
                count([program, "-k", "1"], values, turns, Path(folder) / f"counted-{turns}"), "op_"
            )
            for turns in (FEW, MANY)
        )
    return {
        each: (
            (many[each] - few[each])
            / (OPERATIONS[each] * (MANY - FEW) * (0.02 if each in DEAR else 1))
        )
        for each in many
        if each in few
    }


def table(unit: str, results: Mapping[str, Mapping[str, float]]) -> str:
    """{variant: {operation: value}} as Markdown; the first variant is the base."""
    names = list(results)
    base = results[names[0]]
    lines = ["| %s per call | %s |" % (unit, " | ".join(names)), "|---|" + "---|" * len(names)]
    for operation in base:
        cells = ["%.1f" % base[operation]]
        for name in names[1:]:
            value = results[name].get(operation)
            cells.append(
                "-"
                if value is None
                else (
                    "%.1f (+%.1f, x%.2f)"
                    % (value, value - base[operation], value / base[operation])
                    if base[operation]
                    else "%.1f" % value
                )
            )
        lines.append("| %s | %s |" % (operation, " | ".join(cells)))
    return "\n".join(lines)


def root_environment() -> Dict[str, str]:
    """This one, in which root may start Open MPI; nothing is preloaded."""
    values = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    values.pop("LD_PRELOAD", None)
    return values


def compiled(mpicc: str, folder: str, environment: Mapping[str, str]) -> str:
    """callcost.c in `folder`."""
    program = folder + "/callcost"
    subprocess.run(
        [mpicc, "-O2", "-g", "-w", str(HERE / "callcost.c"), "-o", program],
        env=dict(environment),
        check=True,
    )
    return program


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mpicc")
    parser.add_argument("collector")
    parser.add_argument("--launch", nargs="*", default=[])
    parser.add_argument("--peer", action="append", default=[], metavar="NAME=LIB.so")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--instructions", action="store_true")
    asked = parser.parse_args()
    variants = [
        BARE,
        Profiler("advisor", (str(Path(asked.collector).resolve()),)),
        *map(peer, asked.peer),
    ]
    environment = root_environment()
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(asked.mpicc, folder, environment)
        measured = times(
            program, asked.launch, variants, asked.rounds, environment, COLD if asked.cold else HOT
        )
        print(
            table(
                "ns",
                {
                    name: {o: min(values) for o, values in rows.items() if values}
                    for name, rows in measured.items()
                },
            )
        )
        if asked.instructions:
            print(
                "\n"
                + table(
                    "instructions",
                    {each.name: instructions(program, each, environment) for each in variants},
                )
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
