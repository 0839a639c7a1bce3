#!/usr/bin/env python3
"""Events per second of CPU time: our reader of OTF2 traces beside otf2-print, readers that do nothing, and the Python bindings.

Usage: otf2reading.py [--ranks 8] [--events 5000000] [--threads 1] [--bindings PYTHON] [--rounds 3]

All read the same trace, which is written first; they take turns, and of each the fastest round counts. PYTHON: an interpreter that can
`import otf2`; it reads a hundredth of the trace. Prints a Markdown table; ratios are against our reader.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Dict, List

HERE = Path(__file__).resolve().parent
EVENTS_A_STEP, HUNDREDTH = 16, 100
BINDINGS = "import otf2, sys\nwith otf2.reader.open(sys.argv[1]) as trace:\n    for location, event in trace.events: pass\n"


def seconds(words: List[str]) -> float:
    """CPU time of one run, in all its threads; what it prints is thrown away."""
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{words[0]} failed")
    return used.ru_utime + used.ru_stime


def compile_all(folder: Path) -> None:
    """The writer of the trace, the reader that does nothing, and ours."""
    for name in ("write_trace", "read_nothing"):
        subprocess.run(["cc", "-O2", str(HERE / "otf2" / f"{name}.c"), "-o", str(folder / name), "-lotf2"], check=True)
    subprocess.run(["sh", str(HERE.parent / "collectors" / "otf2" / "build.sh"), str(folder / "otf2-profile")], check=True)


def write(folder: Path, name: str, ranks: int, events: int) -> str:
    """A trace; its anchor file."""
    subprocess.run([str(folder / "write_trace"), str(folder / name), str(ranks), str(max(1, events // ranks // EVENTS_A_STEP))], check=True)
    return str(folder / name / "traces.otf2")


def variants(folder: Path, trace: str, threads: int) -> Dict[str, List[str]]:
    """What is run, by name; ours first."""
    return {
        "advisor": [str(folder / "otf2-profile"), trace, str(folder / "profile"), str(threads), str(8 << 30), "600"],
        "empty callbacks, each location": [str(folder / "read_nothing"), trace, "local"],
        "empty callbacks, all in order of time": [str(folder / "read_nothing"), trace, "global"],
        "otf2-print": ["otf2-print", trace],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("ranks", 8), ("events", 5_000_000), ("threads", 1), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--bindings", metavar="PYTHON")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder, best = Path(name), {}
        compile_all(folder)
        runs = variants(folder, write(folder, "trace", given.ranks, given.events), given.threads)
        if given.bindings:
            runs["Python bindings"] = [given.bindings, "-c", BINDINGS, write(folder, "small", given.ranks, given.events // HUNDREDTH)]
        for _ in range(given.rounds):
            for what, words in runs.items():
                best[what] = min(best.get(what, float("inf")), seconds(words))
    rates = {what: given.events / (HUNDREDTH if what.startswith("Python") else 1) / best[what] / 1e6 for what in runs}
    print("| reader | million events/s | advisor is |\n|---|---|---|")
    for what, rate in rates.items():
        print(f"| {what} | {rate:.2f} | {rates['advisor'] / rate:.2f}x as fast |")


if __name__ == "__main__":
    main()
