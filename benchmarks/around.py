"""What `advisor run` adds before a job and after it, beside the same line without it: wall time,
CPU time, programs started. One rank, which never waits for another.

    python benchmarks/around.py --rounds 5 [--results benchmarks/costs.jsonl] [-- ADVISOR WORDS …]

The report is among it. "first": nothing is remembered of the library, the collector is built.
"again": as all later jobs. Wall time is that of a quiet machine only; CPU time and the number of
programs hold on a busy one. What stands after the dashes is measured in place of this checkout's
`advisor`. `costs.py --table` writes the table.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, Iterator, List, Mapping, Sequence, Tuple

from cost_table import OURS, Rows, added, cell
from costs import circumstances

HERE = Path(__file__).resolve().parent
LIBRARIES = {
    "ompi4": ("mpicc.openmpi", "mpirun.openmpi"),
    "mpich4": ("mpicc.mpich", "mpirun.mpich"),
}
ROWS = ("seconds before", "seconds after", "CPU seconds")


def one_run(words: Sequence[str], environment: Mapping[str, str]) -> List[float]:
    """Wall time before the program and after it, and the CPU time of all processes. RuntimeError if
    it fails."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(words, env=dict(environment), capture_output=True, text=True, check=False)
    end, after = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    found = re.search(r"^around ([\d.]+) ([\d.]+)$", done.stdout, re.MULTILINE)
    if not found:
        raise RuntimeError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr[-300:]}")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [float(found.group(1)) - begin, end - float(found.group(2)), cpu]


def programs(words: Sequence[str], environment: Mapping[str, str]) -> float:
    """How many programs a line starts; unknown without strace."""
    if not shutil.which("strace"):
        return float("nan")
    with tempfile.NamedTemporaryFile("r") as trace:
        subprocess.run(
            ["strace", "-f", "-qq", "-e", "trace=execve", "-o", trace.name, *words],
            env=dict(environment),
            capture_output=True,
            check=True,
        )
        return float(len(re.findall(r"execve\(.* = 0$", trace.read(), re.MULTILINE)))


def interleaved(
    bare: Sequence[str], measured: Sequence[str], rounds: int, environment: Mapping[str, str]
) -> Rows:
    """ROWS, of runs that take turns."""
    pairs = [(one_run(bare, environment), one_run(measured, environment)) for _ in range(rounds)]
    return {
        row: {"bare": [pair[0][place] for pair in pairs], OURS: [pair[1][place] for pair in pairs]}
        for place, row in enumerate(ROWS)
    }


def started(bare: Sequence[str], measured: Sequence[str], environment: Mapping[str, str]) -> Rows:
    """The programs of a run without it and of one with it."""
    return {
        "programs": {"bare": [programs(bare, environment)], OURS: [programs(measured, environment)]}
    }


def library(name: str, advisor: Sequence[str], rounds: int) -> Iterator[Tuple[str, Rows]]:
    """What is measured of one library: on the first run, and on later ones."""
    compiler, launcher = LIBRARIES[name]
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "ADVISOR_CACHE": f"{folder}/cache",
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        # Where containers set it, advisor would compile itself for each run, which users do not
        # see.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run(
            [compiler, "-O2", str(HERE / "around.c"), "-o", f"{folder}/around"], check=True
        )
        bare = [launcher, "-n", "1", f"{folder}/around"]
        measured = [*advisor, "run", "--quiet", "-o", f"{folder}/result", "--", *bare]
        one_run(measured, environment)  # builds the collector
        time.sleep(3)  # answers that rest on a file of this second are not kept
        shutil.rmtree(f"{folder}/cache/answers", ignore_errors=True)
        first = interleaved(bare, measured, 1, environment)
        shutil.rmtree(f"{folder}/cache/answers", ignore_errors=True)
        yield "first", {**first, **started(bare, measured, environment)}
        yield (
            "again",
            {
                **interleaved(bare, measured, rounds, environment),
                **started(bare, measured, environment),
            },
        )


def show(name: str, when: str, found: Rows) -> None:
    """One line."""
    print(
        f"{name}, {when}: "
        + ", ".join(
            f"{row} {cell(added(each, OURS), 0 if row == 'programs' else 2)}"
            for row, each in found.items()
        ),
        flush=True,
    )


def keep(file: Path, reported: Mapping[str, object], name: str, when: str, found: Rows) -> None:
    """A line for each row and each side, as costs.py has them."""
    with open(file, "a", encoding="utf-8") as out:
        for row, sides in found.items():
            for profiler, values in sides.items():
                line: Dict[str, object] = {
                    "part": "around",
                    "library": name,
                    **reported,
                    "profiler": profiler,
                    "row": f"{when}: {row}",
                    "values": values,
                }
                out.write(json.dumps(line) + "\n")


def main() -> None:
    """Each library that is here."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--results", type=Path, help="append what was measured to this file")
    parser.add_argument("advisor", nargs="*", default=[sys.executable, "-m", "advisor"])
    arguments = parser.parse_args()
    for name, words in LIBRARIES.items():
        if all(map(shutil.which, words)):
            reported = circumstances()
            for when, found in library(name, arguments.advisor, arguments.rounds):
                show(name, when, found)
                if arguments.results:
                    keep(arguments.results, reported, name, when, found)


if __name__ == "__main__":
    main()
