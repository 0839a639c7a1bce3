#!/usr/bin/env python3
"""Events per second: our reader of OTF2 traces beside otf2-print, readers that do nothing, and the
Python bindings.

Usage: otf2reading.py [--ranks 8] [--events 5000000] [--threads CORES] [--bindings PYTHON] [--rounds
3] [--folder /tmp] [--only empty,otf2]

All read the same trace, which is written first (some 13.5 bytes an event); they take turns, and of
each the fastest round counts. PYTHON: an interpreter that can `import otf2`; it reads a hundredth
of the trace. --only: the readers whose names begin so, beside ours. Ours reads with one thread and
with --threads (as many as there are cores). Prints a Markdown table by CPU time, with ratios
against our one thread, by elapsed time, with ratios against all our threads, and the most memory
that each took; then the load of the machine before and after.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Dict, List, Tuple

HERE = Path(__file__).resolve().parent
EVENTS_A_STEP, HUNDREDTH = 16, 100
BINDINGS = (
    "import otf2, sys\nwith otf2.reader.open(sys.argv[1]) as trace:\n    for location, event in"
    " trace.events: pass\n"
)


def cost(words: List[str]) -> Tuple[float, float, float]:
    """Seconds of CPU time in all threads, seconds elapsed, and MiB of memory of one run; what it
    prints is thrown away."""
    begin = time.perf_counter()
    child = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{words[0]} failed")
    return used.ru_utime + used.ru_stime, time.perf_counter() - begin, used.ru_maxrss / 1024


def compile_all(folder: Path) -> None:
    """The writer of the trace, the reader that does nothing, and ours."""
    for name in ("write_trace", "read_nothing"):
        subprocess.run(
            ["cc", "-O2", str(HERE / "otf2" / f"{name}.c"), "-o", str(folder / name), "-lotf2"],
            check=True,
        )
    subprocess.run(
        ["sh", str(HERE.parent / "collectors" / "otf2" / "build.sh"), str(folder / "otf2-profile")],
        check=True,
    )


def write(folder: Path, name: str, ranks: int, events: int) -> str:
    """A trace; its anchor file."""
    subprocess.run(
        [
            str(folder / "write_trace"),
            str(folder / name),
            str(ranks),
            str(max(1, events // ranks // EVENTS_A_STEP)),
        ],
        check=True,
    )
    return str(folder / name / "traces.otf2")


def name_of(threads: int) -> str:
    """Our reader in the table."""
    return f"advisor, {threads} thread{'s' * (threads > 1)}"


def variants(folder: Path, trace: str, threads: int) -> Dict[str, List[str]]:
    """What is run, by name; ours first."""
    return {
        **{
            name_of(each): [
                str(folder / "otf2-profile"),
                trace,
                str(folder / "profile"),
                str(each),
                str(8 << 30),
                "600",
            ]
            for each in sorted({1, threads})
        },
        "empty callbacks, each location": [str(folder / "read_nothing"), trace, "local"],
        "empty callbacks, each location, nothing mapped": [
            str(folder / "read_nothing"),
            trace,
            "plain",
        ],
        "empty callbacks, all in order of time": [str(folder / "read_nothing"), trace, "global"],
        "otf2-print": ["otf2-print", trace],
    }


def table(events: int, threads: int, best: Dict[str, Tuple[float, float, float]]) -> List[str]:
    """Lines of Markdown."""
    counted = {what: events // (HUNDREDTH if what.startswith("Python") else 1) for what in best}
    ours = [best[name_of(number)][kind] / events for kind, number in enumerate((1, threads))]
    heads = [
        f"million events a {what} | {name_of(number)}, is"
        for what, number in (("CPU second", 1), ("second", threads))
    ]
    lines = [f"| reader | {' | '.join(heads)} | MiB |", "|---|---|---|---|---|---|"]
    for what, costs in best.items():
        each = [costs[kind] / counted[what] for kind in (0, 1)]
        cells = [
            cell
            for kind in (0, 1)
            for cell in (f"{1e-6 / each[kind]:.2f}", f"{each[kind] / ours[kind]:.2f}x as fast")
        ]
        lines.append(f"| {what} | {' | '.join(cells)} | {costs[2]:.0f} |")
    return lines


def options() -> argparse.Namespace:
    """What is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    for name, value in (
        ("ranks", 8),
        ("events", 5_000_000),
        ("threads", os.cpu_count() or 1),
        ("rounds", 3),
    ):
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--bindings", metavar="PYTHON")
    parser.add_argument("--folder", help="where the trace is written")
    parser.add_argument(
        "--only", metavar="NAMES", default="", help="names of readers, or how they begin"
    )
    return parser.parse_args()


def main() -> None:
    """Measure and print."""
    given = options()
    best: Dict[str, Tuple[float, float, float]] = {}
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        compile_all(folder)
        runs = variants(folder, write(folder, "trace", given.ranks, given.events), given.threads)
        runs = {
            what: words
            for what, words in runs.items()
            if what.startswith("advisor") or what.startswith(tuple(given.only.split(",")))
        }
        if given.bindings:
            runs["Python bindings"] = [
                given.bindings,
                "-c",
                BINDINGS,
                write(folder, "small", given.ranks, given.events // HUNDREDTH),
            ]
        for _ in range(given.rounds):
            for what, words in runs.items():
                best[what] = tuple(map(min, zip(best.get(what, (float("inf"),) * 3), cost(words))))
    print("\n".join(table(given.events, given.threads, best)))
    print(f"\nLoad before: {before:.1f}, after: {os.getloadavg()[0]:.1f}; cores: {os.cpu_count()}.")


if __name__ == "__main__":
    main()
