#!/usr/bin/env python3
"""How the end of a job and its report grow with the ranks, from 2 to 131 072: scale.c and
matching.c for the ranks' part, `advisor report` for the rest.

Usage: scale.py [--ranks 2,64,1024,4096,16384,131072] [--rounds N] [--write]

The job is constructed (see scale.c); its records are filled and put together by the collector's own
code. Times are CPU times, the least of the rounds. Prints a Markdown table; --write puts it into
collectors/COST.md and draws benchmarks/growth.svg, both axes logarithmic.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Dict, List

HERE = Path(__file__).resolve().parent
SOURCES = HERE.parent / "collectors" / "core"
PAGE, PICTURE = HERE.parent / "collectors" / "COST.md", HERE / "growth.svg"
MARKS = "<!-- growth: scale.py --write -->\n\n", "\n<!-- end of growth -->\n"
COLUMNS = {
    "own": ("a rank's own part", "s"),
    "merge": ("merge, all ranks", "s"),
    "path": ("critical path of the merge", "s"),
    "matched": ("matching, each rank", "s"),
    "matching": ("matching, median way to rank 0 and back", "s"),
    "profile": ("profile", "MB"),
    "report": ("`advisor report`", "s"),
    "memory": ("its memory", "MB"),
    "page": ("HTML page", "MB"),
}
DRAWN = ("merge", "path", "report", "profile", "page")
COLOURS = ("#b45309", "#1d4ed8", "#111827", "#6b7280", "#0f766e")
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 380, 60, 230, 20, 40


def built(folder: Path, name: str, sources: str) -> Path:
    """A program of this folder with some of the collector's sources that need no MPI."""
    program = folder / name
    subprocess.run(
        [sys.executable, str(SOURCES.parent / "schema" / "generate.py"), "collector", str(folder)],
        check=True,
    )
    words = [
        "cc",
        "-std=gnu11",
        "-O2",
        *(f"-I{rooms}" for rooms in SOURCES.glob("*/")),
        f"-I{folder}",
        str(HERE / f"{name}.c"),
        *map(
            str,
            sorted(
                [*SOURCES.glob(f"*/{sources}"), *folder.glob("tables.c")]
                if sources == "*.c"
                else SOURCES.glob(f"*/{sources}")
            ),
        ),
        "-o",
        str(program),
        "-lm",
        "-ldl",
        "-lpthread",
    ]
    subprocess.run(words, check=True)
    return program


def reported(profile: Path, words: List[str]) -> Dict[str, float]:
    """Processor time in seconds and memory in MB of `advisor report`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [
            "/usr/bin/env",
            "time",
            "-f",
            "%M",
            sys.executable,
            "-m",
            "advisor",
            "report",
            str(profile),
            *words,
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"report": used, "memory": int(done.stderr.split()[-1]) * 1024 / 1e6}


def ended(ranks: int, profile: Path, folder: Path) -> Dict[str, float]:
    """The ranks' part: their records put together, and their samples."""
    found = [
        json.loads(
            subprocess.run(
                [folder / name, str(ranks), *more], check=True, capture_output=True, text=True
            ).stdout
        )
        for name, *more in (["scale", profile], ["matching"])
    ]
    return {**found[0], "matched": found[1]["all"] / ranks, "matching": found[1]["path"]}


def measured(ranks: int, rounds: int, folder: Path) -> Dict[str, float]:
    """All columns for one number of ranks."""
    profile, page = folder / "job.profile", folder / "page.html"
    least: Dict[str, float] = {}
    for _ in range(rounds):
        found = {**ended(ranks, profile, folder), **reported(profile, [])}
        least = {name: min(value, least.get(name, value)) for name, value in found.items()}
    reported(profile, ["-o", str(page)])
    return {**least, "profile": profile.stat().st_size / 1e6, "page": page.stat().st_size / 1e6}


def plot(rows: Dict[int, Dict[str, float]]) -> str:
    """Lines over ranks as SVG, one colour a column; each is named at its end."""
    low, high = -5.0, 2.0
    first, last = math.log2(min(rows)), math.log2(max(rows))

    def place(ranks: int, value: float) -> str:
        across = (math.log2(ranks) - first) / (last - first) * (WIDTH - LEFT - RIGHT) + LEFT
        down = TOP + (high - math.log10(value)) / (high - low) * (HEIGHT - TOP - BOTTOM)
        return f"{across:.1f},{down:.1f}"

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
        ' font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>'
    ]
    for power in range(int(low), int(high) + 1):
        across, down = place(min(rows), 10.0**power).split(",")
        parts.append(
            f'<path d="M{across},{down}H{WIDTH - RIGHT}" stroke="#e5e7eb"/><text x="{LEFT - 8}"'
            f' y="{down}" text-anchor="end" dy="4">{10.0**power:g}</text>'
        )
    parts += [
        f'<text x="{place(ranks, 1).split(",")[0]}" y="{HEIGHT - BOTTOM + 18}"'
        f' text-anchor="middle">{ranks}</text>'
        for ranks in rows
    ]
    ends = sorted(DRAWN, key=lambda name: -rows[max(rows)][name])
    down = 0.0
    for name, colour in zip(ends, COLOURS):
        points = " ".join(place(ranks, row[name]) for ranks, row in rows.items())
        down = max(float(place(max(rows), rows[max(rows)][name]).split(",")[1]), down + 15)
        parts.append(
            f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>'
        )
        parts.append(
            f'<text x="{WIDTH - RIGHT + 8}" y="{down:.1f}" dy="4"'
            f' fill="{colour}">{", ".join(COLUMNS[name]).replace("`", "")}</text>'
        )
    return "\n".join([*parts, f'<text x="{LEFT}" y="{HEIGHT - 6}">ranks</text></svg>', ""])


def shown(value: float, unit: str) -> str:
    """Two digits: 0.09 ms, 46 ms, 0.20 s, 134 MB."""
    if unit == "s" and value < 0.1:
        value, unit = 1e3 * value, "ms"
    digits = max(0, 1 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{value:.{min(digits, 2)}f} {unit}"


def table(rows: Dict[int, Dict[str, float]]) -> str:
    lines = [
        "| ranks | " + " | ".join(title for title, _ in COLUMNS.values()) + " |",
        "|---" * (len(COLUMNS) + 1) + "|",
        *(
            f"| {ranks} | "
            + " | ".join(shown(row[name], unit) for name, (_, unit) in COLUMNS.items())
            + " |"
            for ranks, row in rows.items()
        ),
    ]
    return "\n".join(lines) + "\n"


def write(rows: Dict[int, Dict[str, float]]) -> None:
    """The table into COST.md, and the picture."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(MARKS[0])
    after = rest.partition(MARKS[1])[2]
    PAGE.write_text(f"{before}{MARKS[0]}{table(rows)}{MARKS[1]}{after}", encoding="utf-8")
    PICTURE.write_text(plot(rows), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ranks", default="2,64,1024,4096,16384,131072")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, sources in {"scale": "*.c", "matching": "matching.c"}.items():
            built(Path(folder), name, sources)
        rows = {
            ranks: measured(ranks, arguments.rounds, Path(folder))
            for ranks in map(int, arguments.ranks.split(","))
        }
    print(table(rows), end="")
    if arguments.write:
        write(rows)


if __name__ == "__main__":
    main()
