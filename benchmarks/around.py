"""What `advisor run` adds before a job and after it, beside the same line without it: wall time, CPU time, programs started. One rank, which never waits for another.

    python benchmarks/around.py --rounds 5 [-- ADVISOR WORDS …]

"first": nothing is remembered of the library, the collector is built. "again": as all later jobs. Wall time is that of a quiet machine only; CPU time and the
number of programs hold on a busy one. What stands after the dashes is measured in place of this checkout's `advisor`.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Dict, List, Mapping, Sequence

HERE = Path(__file__).resolve().parent
LIBRARIES = {"Open MPI": ("mpicc.openmpi", "mpirun.openmpi"), "MPICH": ("mpicc.mpich", "mpirun.mpich")}
ROWS = ("seconds before", "seconds after", "CPU seconds")


def one_run(words: Sequence[str], environment: Mapping[str, str]) -> List[float]:
    """Wall time before the program and after it, and the CPU time of all processes. RuntimeError if it fails."""
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
        subprocess.run(["strace", "-f", "-qq", "-e", "trace=execve", "-o", trace.name, *words], env=dict(environment), capture_output=True, check=True)
        return float(len(re.findall(r"execve\(.* = 0$", trace.read(), re.MULTILINE)))


def added(bare: Sequence[str], measured: Sequence[str], rounds: int, environment: Mapping[str, str]) -> Dict[str, float]:
    """ROWS: medians of the differences of runs that take turns."""
    pairs = [(one_run(bare, environment), one_run(measured, environment)) for _ in range(rounds)]
    return {row: statistics.median(pair[1][place] - pair[0][place] for pair in pairs) for place, row in enumerate(ROWS)}


def library(name: str, advisor: Sequence[str], rounds: int) -> None:
    """Print the rows of one library."""
    compiler, launcher = LIBRARIES[name]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "ADVISOR_CACHE": f"{folder}/cache", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # Where containers set it, advisor would compile itself for each run, which users do not see.
        subprocess.run([compiler, "-O2", str(HERE / "around.c"), "-o", f"{folder}/around"], check=True)
        bare = [launcher, "-n", "1", f"{folder}/around"]
        measured = [*advisor, "run", "--quiet", "-o", f"{folder}/result", "--", *bare]
        one_run(measured, environment)  # builds the collector
        time.sleep(3)  # answers that rest on a file of this second are not kept
        shutil.rmtree(f"{folder}/cache/answers", ignore_errors=True)
        first = {"programs": programs(measured, environment) - programs(bare, environment)}
        shutil.rmtree(f"{folder}/cache/answers", ignore_errors=True)
        show(name, "first", {**added(bare, measured, 1, environment), **first})
        one_run(measured, environment)
        again = {"programs": programs(measured, environment) - programs(bare, environment)}
        show(name, "again", {**added(bare, measured, rounds, environment), **again})


def show(name: str, when: str, found: Mapping[str, float]) -> None:
    """One line."""
    print(f"{name}, {when}: " + ", ".join(f"{row} +{value:.3g}" for row, value in found.items()), flush=True)


def main() -> None:
    """Each library that is here."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("advisor", nargs="*", default=[sys.executable, "-m", "advisor"])
    arguments = parser.parse_args()
    for name, words in LIBRARIES.items():
        if all(map(shutil.which, words)):
            library(name, arguments.advisor, arguments.rounds)


if __name__ == "__main__":
    main()
