#!/usr/bin/env python3
"""What reading, measuring, judging and rendering cost from 2 to thousands of ranks, and how large
the files are.

Usage: stages.py [PROFILE] [--ranks 2,256,4096] [--rounds N]

PROFILE (default: a recorded run of pw.x) is repeated until it has so many ranks. CPU seconds,
fastest of the rounds. The last column is the peer: the same tables read by Python's own json, as
ratio of (read + measure) to it.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Callable, Dict, Tuple

import numpy as np

from advisor import advice, analysis, intake, reports
from advisor.base import resource_paths
from advisor.model.profile import Profile

PER_RANK = ("ranks", "calls", "members", "sites", "peers", "windows")


def repeated(profile: Profile, ranks: int) -> Profile:
    """The profile with its ranks repeated, numbered anew."""
    have = len(profile.tables["ranks"]["rank"])
    copies = -(-ranks // have)
    tables = {
        name: _copies(table, copies, have) if name in PER_RANK else table
        for name, table in profile.tables.items()
    }
    return replace(profile, tables=tables, run=replace(profile.run, ranks_expected=copies * have))


def _copies(table: Dict[str, np.ndarray], copies: int, have: int) -> Dict[str, np.ndarray]:
    rows = len(next(iter(table.values())))
    made = {name: np.concatenate([column] * copies) for name, column in table.items()}
    shift = np.repeat(np.arange(copies) * have, rows)
    for name in ("rank", "peer"):
        if name in made:
            made[name] = np.where(made[name] < 0, made[name], made[name] + shift).astype(
                made[name].dtype
            )
    return made


def timed(work: Callable, rounds: int) -> Tuple[float, object]:
    """CPU seconds of the fastest round, and what it made."""
    best, made = float("inf"), None
    for _ in range(rounds):
        begin = time.process_time()
        made = work()
        best = min(best, time.process_time() - begin)
    return best, made


def stages(profile: Profile, folder: Path, rounds: int) -> str:
    """One line of the table."""
    file, plain = folder / "profile", folder / "plain.json"
    intake.write(profile, file)
    plain.write_text(
        json.dumps(
            {
                name: {key: column.tolist() for key, column in table.items()}
                for name, table in profile.tables.items()
            }
        )
    )
    rules = advice.load_rules([resource_paths.rules()])
    peer, _ = timed(lambda: json.loads(plain.read_text()), rounds)
    reading, known = timed(lambda: intake.read(file), rounds)
    measuring, measures = timed(lambda: analysis.measure(known), rounds)
    judging, judged = timed(lambda: advice.judge(measures, rules), rounds)
    rendering, page = timed(lambda: reports.render(reports.compose(judged), "html"), rounds)
    seconds = " | ".join(f"{value:.3f}" for value in (reading, measuring, judging, rendering))
    ranks = len(profile.tables["ranks"]["rank"])
    return (
        f"| {ranks} | {seconds} | {file.stat().st_size} | {len(page.encode())} |"
        f" {(reading + measuring) / peer:.2f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "profile", nargs="?", default=str(resource_paths.samples() / "profiles" / "pw_si8.2r.json")
    )
    parser.add_argument("--ranks", default="2,256,4096")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    print(
        "| ranks | read, s | measure, s | judge, s | page, s | profile, B | page, B | (read +"
        " measure) / json |\n" + "|---" * 8 + "|"
    )
    for ranks in map(int, given.ranks.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            print(
                stages(repeated(intake.read(given.profile), ranks), Path(folder), given.rounds),
                flush=True,
            )


if __name__ == "__main__":
    main()
