#!/usr/bin/env python3
"""How near the collector's waits come to the true ones: all programs of tests/waits whose waits are
known, many times: benchmarks/TRUTH.md.

Usage: truths.py [--rounds N] [--ranks N[,N]] [--only NAME[,NAME]] [--simulated N] [--library NAME]
[--real-time] [--results FILE] [--table]

Two shares are counted: of runs whose wait is within 2 % of the truth, and, of those in which a part
of the calls was sampled, whose stated interval holds the truth. A round takes about 30 s on two
quiet cores, for each number of ranks: ranks that cannot run at once wait for a core, which no clock
tells from waiting for each other. --real-time: as root, under `chrt -r 1`, which shuts out other
load; a rank that has run for 0.95 s of a second the kernel then stops for the rest of it (950000 in
/proc/sys/kernel/sched_rt_runtime_us): no case may last so long, and `lasted` in its line says how
long it did. --simulated N: that many seeds of the jobs that tests/waits/simulate.c makes up, with 8
and 32 ranks (10 s each), and of 4096 ranks one; other load does not matter to them. One JSON line a
run is added to --results (truths.jsonl); --table writes the table, and runs nothing.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Sequence, Tuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
WAITS = ROOT / "tests" / "waits"
sys.path[:0] = [str(HERE), str(ROOT), str(ROOT / "tests"), str(WAITS)]

import numpy as np  # noqa: E402
import truth_table  # noqa: E402
from mpi_builds import compile_program, environment, find, run, why_missing  # noqa: E402
from test_waits import PATTERNS, estimate  # noqa: E402

from advisor.intake.read import read  # noqa: E402
from advisor.launching.collector.build import by_hand  # noqa: E402


class Case(NamedTuple):
    """A program with its words, and the operations that wait in it."""

    source: str
    words: Tuple[str, ...]
    operations: Tuple[str, ...]
    bent: bool = False


INSTANCES = {"every2": 6000, "random": 8000, "long": 200}
"""Where 12000 last more than 0.8 s."""


def truth(pattern: str, operation: str, bent: bool = False) -> Case:
    return Case(
        "truth.c", (pattern, operation, str(INSTANCES.get(pattern, 12000))), (operation,), bent
    )


def partners(what: str, operations: Tuple[str, ...], instances: int = 3000) -> Case:
    """Computing varies by 200 microseconds: the longest last 0.7 s."""
    return Case("partners.c", (what, str(instances), "200"), operations)


CASES: Dict[str, Case] = {
    **{
        f"Allreduce, {pattern}": truth(pattern, "Allreduce")
        for pattern in PATTERNS
        if pattern != "pareto"
    },
    **{
        f"{operation}, random": truth("random", operation)
        for operation in (
            "Barrier",
            "Bcast",
            "Reduce",
            "Alltoall",
            "Recv",
            "Sendrecv",
            "Waitall",
            "Wait",
            "Win_fence",
        )
    },
    "Waitall, every16": truth("every16", "Waitall"),
    "Allgather, random, pairs made and freed": truth("random", "Allgather"),
    "Allreduce, two hosts whose clocks run apart": truth("long", "Allreduce", True),
    **{
        f"{', '.join(operations)}, {what}": partners(what, operations)
        for what, operations in (
            ("scan", ("Scan",)),
            ("any", ("Recv",)),
            ("matched", ("Mprobe",)),
            ("persistent", ("Waitall",)),
            ("exposed", ("Win_wait",)),
            ("late_post", ("Win_start", "Win_complete")),
        )
    },
    "Recv, pipeline": partners("pipeline", ("Recv",), 4000),
}
Measure = Callable[[Case, int], Dict[str, Any]]


def prepared(name: str, folder: str, first: Sequence[str]) -> Measure:
    """Compiles all for the library `name`; what runs a case. `first`: words before each program."""
    build = find(name)
    collector = str(by_hand(build.mpicc, None, environment(build), print))
    bent = f"{folder}/bent.so"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", str(WAITS / "bent_clock.c"), "-ldl", "-o", bent],
        check=True,
    )
    programs = {
        source: compile_program(build, "c", [WAITS / source], f"{folder}/{source[:-2]}", ["-O2"])
        for source in ("truth.c", "partners.c")
    }

    def measured(case: Case, ranks: int) -> Dict[str, Any]:
        with tempfile.TemporaryDirectory(dir=folder) as out:
            preload = f"{bent}:{collector}" if case.bent else collector
            done = run(
                build,
                ranks,
                [
                    *first,
                    "env",
                    f"LD_PRELOAD={preload}",
                    f"ADVISOR_OUTPUT={out}",
                    "ADVISOR_RUN=truths",
                    programs[case.source],
                    *case.words,
                ],
            )
            if done.returncode:
                raise RuntimeError(f"ended with {done.returncode}: {done.stderr.strip()[-200:]}")
            said = done.stdout.split()
            return {
                **judged(float(said[1]), read(Path(out) / "merged.profile"), case.operations),
                **{name: float(said[said.index(name) + 1]) for name in ("stalled", "lasted")},
            }

    return measured


def judged(true: float, profile: Any, operations: Sequence[str]) -> Dict[str, Any]:
    """Seconds of all ranks, and how many calls there were and were sampled."""
    found = [estimate(profile, operation) for operation in operations]
    waits = profile.tables["waits"]
    chosen = np.isin(waits["operation"], operations)
    return {
        "true": true,
        "found": float(sum(wait for wait, _ in found)),
        "half": float(sum(half for _, half in found)),
        "calls": int(waits["calls"][chosen].sum()),
        "sampled": int(waits["sampled"][chosen].sum()),
    }


def busy() -> Tuple[float, float]:
    """Seconds that all cores have been busy, and that our children have used of them."""
    user, nice, system, _, _, interrupts, soft, stolen = map(
        int, Path("/proc/stat").read_text().split("\n")[0].split()[1:9]
    )
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (user + nice + system + interrupts + soft + stolen) / os.sysconf(
        "SC_CLK_TCK"
    ), used.ru_utime + used.ru_stime


def beside(work: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
    """What it returns, and how many cores others used meanwhile."""
    began, before = time.monotonic(), (busy(), time.process_time())
    reported = work()
    (all_cores, children), own = busy(), time.process_time()
    spent = all_cores - before[0][0] - (children - before[0][1]) - (own - before[1])
    return {"others": round(max(0.0, spent / (time.monotonic() - began)), 3), **reported}


def runs(asked: argparse.Namespace, folder: str) -> Iterator[Dict[str, Any]]:
    """The cases take turns."""
    names = [name for name in CASES if any(part in name for part in asked.only.split(","))]
    measured = prepared(asked.library, folder, ["chrt", "-r", "1"] if asked.real_time else [])
    for _, ranks, name in itertools.product(
        range(asked.rounds), map(int, asked.ranks.split(",")), names
    ):
        reported = {
            "case": name if ranks == 2 else f"{name}, {ranks} ranks",
            "ranks": ranks,
            "cores": os.cpu_count(),
        }
        try:
            yield {**reported, **beside(lambda: measured(CASES[name], ranks))}
        except (RuntimeError, OSError, ValueError, subprocess.SubprocessError) as problem:
            yield {**reported, "failed": f"{type(problem).__name__}: {problem}"}


def simulations(seeds: int, folder: str) -> Iterator[Dict[str, Any]]:
    """Jobs in one process, with the collector's own sampling and matching."""
    core, finish = ROOT / "collectors" / "core", ROOT / "collectors" / "pmpi" / "finish"
    subprocess.run(
        [
            "cc",
            "-O2",
            "-I",
            str(core),
            "-I",
            str(finish),
            *(
                str(each)
                for each in (
                    WAITS / "simulate.c",
                    core / "samples.c",
                    core / "matching.c",
                    finish / "wait_strata.c",
                )
            ),
            "-lm",
            "-o",
            f"{folder}/simulate",
        ],
        check=True,
    )
    wanted = [
        (pattern, ranks, 20000, seed)
        for pattern in PATTERNS
        for ranks in (8, 32)
        for seed in range(1, seeds + 1)
    ]
    wanted += (
        [(pattern, 4096, 6000, 1) for pattern in ("linear", "every4", "once")] if seeds else []
    )
    for pattern, ranks, instances, seed in wanted:
        reported = subprocess.run(
            [f"{folder}/simulate", pattern, str(ranks), str(instances), str(seed)],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split()
        true, found, deviation, sampled = (float(word) for word in reported[1:8:2])
        yield {
            "case": f"simulated: {pattern}, {ranks} ranks",
            "true": true,
            "found": found,
            "half": 2 * deviation,
            "calls": instances,
            "sampled": int(sampled),
        }


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--ranks", default="2", help="even numbers, by commas")
    parser.add_argument("--only", default="", help="parts of names of cases, by commas")
    parser.add_argument("--simulated", type=int, default=0, metavar="SEEDS")
    parser.add_argument("--library", default="ompi4")
    parser.add_argument("--real-time", action="store_true")
    parser.add_argument("--results", type=Path, default=HERE / "truths.jsonl")
    parser.add_argument("--table", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Run, keep, write the table."""
    asked = arguments()
    if not asked.table and asked.rounds and why_missing(asked.library):
        sys.exit(why_missing(asked.library))
    lines: List[Iterator[Dict[str, Any]]] = []
    with tempfile.TemporaryDirectory() as folder:
        if not asked.table:
            lines = [
                simulations(asked.simulated, folder),
                runs(asked, folder) if asked.rounds else iter(()),
            ]
        for line in (line for part in lines for line in part):
            with open(asked.results, "a", encoding="utf-8") as out:
                out.write(
                    json.dumps(
                        {"date": time.strftime("%Y-%m-%d"), "library": asked.library, **line}
                    )
                    + "\n"
                )
            print(truth_table.sentence(line), flush=True)
    print(truth_table.write(asked.results))


if __name__ == "__main__":
    main()
