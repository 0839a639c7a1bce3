"""CPU time that always-on measurement adds to whole jobs: pairs of a run with and without, in
random order, the whole command with start-up, second start and profile.

    chrt -f 10 python benchmarks/fleet_cost.py 6 [--write]

Two ranks of Open MPI 4. Ranks that wait spin, so CPU time is the time that they take.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

from applications import INPUTS, interval

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
# Ten seconds of CPU time each: what every job pays once is a small part of a job of a centre.
PROGRAMS = {
    "pw.x": ["pw.x", "-in", "si8.scf.in"],
    "lmp": ["lmp", "-in", "in.lj.small", "-log", "none"],
    "many_barriers": ["many_barriers", "400009"],
    "small_reductions": ["small_reductions", "700001"],
    "communicator_churn": ["communicator_churn", "700001"],
    "window_create": ["window_create", "2200013"],
    "small_messages": ["small_messages", "24007"],
}


def processor_time(words: Sequence[str], folder: Path, variables: Dict[str, str]) -> float:
    """Seconds of the command and all that it started. RuntimeError if it fails."""
    child = subprocess.Popen(
        words, cwd=folder, env=variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise RuntimeError(f"{words} ended with {child.returncode}")
    return used.ru_utime + used.ru_stime


def prepared(place: Path) -> Dict[str, List[str]]:
    """The programs that are there, with their paths, and what a centre installs."""
    shutil.copytree(INPUTS, place / "inputs")
    melt = place / "inputs" / "in.lj.small"
    melt.write_text(re.sub(r"(?m)^run .*", "run 1500", melt.read_text()))
    words = ["fleet", "install", str(place / "home"), "--spool", str(place / "spool")]
    subprocess.run(
        [sys.executable, "-m", "advisor", *words, "--mpicc", "mpicc.openmpi", "--share", "100%"],
        cwd=HERE.parent,
        check=True,
        stdout=subprocess.DEVNULL,
    )
    place.joinpath("spool", *f"{datetime.now(timezone.utc):%Y %m %d}".split()).mkdir(parents=True)
    found = {}
    for name, line in PROGRAMS.items():
        source = SAMPLES / f"{name}.c"
        if source.exists():
            made = place / name
            subprocess.run(["mpicc.openmpi", "-O1", source, "-o", made, "-lm"], check=True)
            found[name] = [str(made), *line[1:]]
        elif shutil.which(line[0]):
            found[name] = line
    return found


def measured(place: Path, pairs: int) -> Dict[str, List[Tuple[float, float]]]:
    """Program → (without, with) of each pair. A run that left no profile does not count as one
    with it."""
    programs = prepared(place)
    launch = ["mpirun.openmpi", "--allow-run-as-root", "--bind-to", "core", "-n", "2"]
    found: Dict[str, List[Tuple[float, float]]] = {name: [] for name in programs}
    for number in range(pairs + 1):  # The first ones read files for the first time.
        for name, words in programs.items():
            bare = {**os.environ, "OMP_NUM_THREADS": "1"}
            own = {
                "LD_PRELOAD": f"{place}/home/lib/advisor-fleet.so",
                "SLURM_JOB_ID": str(1000 + len(list(place.glob("spool/*/*/*/*")))),
            }
            pair = {}
            for loaded in random.sample((False, True), 2):
                variables = {**bare, **own} if loaded else bare
                pair[loaded] = processor_time([*launch, *words], place / "inputs", variables)
            if len(list(place.glob("spool/*/*/*/*"))) != number * len(programs) + 1 + list(
                programs
            ).index(name):
                raise RuntimeError(f"{name} left no profile")
            if number:
                found[name].append((pair[False], pair[True]))
    return found


def table(found: Dict[str, List[Tuple[float, float]]]) -> str:
    """Markdown."""
    lines = ["| program | pairs | CPU without, s | added [95 %] |", "|---|---:|---:|---:|"]
    for name, values in found.items():
        low, mean, high = interval(values)
        middle = sorted(bare for bare, _ in values)[len(values) // 2]
        lines.append(
            f"| {name} | {len(values)} | {middle:.2f} | {mean:+.2%} [{low:+.2%}, {high:+.2%}] |"
        )
    return "\n".join(lines)


def main() -> int:
    """Measure, and print or write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=int)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fleet-cost-") as name:
        found = measured(Path(name), max(2, arguments.pairs))
    text = f"Load {os.getloadavg()[1]:.1f} on {os.cpu_count()} cores.\n\n{table(found)}"
    print(text)
    if arguments.write:
        page = HERE / "FLEET.md"
        before, _, rest = page.read_text().partition("<!-- cost -->\n")
        after = rest.partition("<!-- end of cost -->")[2]
        page.write_text(f"{before}<!-- cost -->\n{text}\n<!-- end of cost -->{after}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
