#!/usr/bin/env python3
"""Real runs with a planted fault: recorded once, judged from their profiles.

python benchmarks/diagnosis/real_runs.py [--tool aps]    judges the profiles in recorded/
python benchmarks/diagnosis/real_runs.py --record        runs the programs and records them anew
"""

from __future__ import annotations

import argparse
import shlex
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any, Iterator, Mapping, Sequence

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT), str(HERE), str(ROOT / "tests")]

from answers import Judged, line, sums, verdict  # noqa: E402
from labelled_cases import Case  # noqa: E402
from programs import Made  # noqa: E402
from simulator import Machine  # noqa: E402
from tools import TOOLS  # noqa: E402

try:
    import tomllib
except ModuleNotFoundError:  # Python below 3.11
    import tomli as tomllib

RECORDED = HERE / "recorded"
RUNS = tomllib.loads((HERE / "recorded.toml").read_text(encoding="utf-8"))["run"]
CROWDED = "too few cores"
KEPT = ("ranks", "calls", "communicators", "members", "sites", "peers", "waits", "delays")
"""Of the tables of a profile: not those of slices of time, which are most of a small one."""


def small(profile: Any) -> Any:
    """A profile of some kilobytes: without slices of time, settings, and the names of all settings
    that its library knows."""
    facts = {
        key: fact for key, fact in profile.library.facts.items() if not key.startswith("settings.")
    }
    return replace(
        profile,
        tables={name: profile.tables[name] for name in KEPT if name in profile.tables},
        settings=(),
        library=replace(profile.library, facts=facts),
    )


def record(run: Mapping[str, Any]) -> None:
    """Compile, run and keep one of them."""
    from mpi_builds import compile_program, environment, find, require_program

    from advisor.bundling.redact import redact
    from advisor.intake.container.write import write
    from advisor.intake.read import read

    build = find(run["library"])
    require_program(build.mpicc)
    with tempfile.TemporaryDirectory() as folder:
        flags = ["-pthread", *(["-DCURED"] if run.get("cured") else [])]
        source = ROOT / "samples" / f"{run['sample']}.c"
        program = compile_program(build, "c", [source], f"{folder}/{run['sample']}", flags)
        advisor = [sys.executable, "-m", "advisor", "run", "--no-report", "-o", f"{folder}/result"]
        job = [*build.launcher, "-n", str(run["ranks"]), program, *run["words"]]
        root = {"PYTHONPATH": str(ROOT)}
        subprocess.run([*advisor, "--", *job], env=environment(build, root), cwd=folder, check=True)
        profile = redact(read(Path(folder) / "result"), keep_arguments=True).profile
    write(small(profile), file_of(run))


def file_of(run: Mapping[str, Any]) -> Path:
    """Its profile."""
    if "file" in run:
        return ROOT / run["file"]
    return RECORDED / f"{run['name']}.profile"


def record_all(only: Sequence[str]) -> None:
    """All of them, or those that are named."""
    RECORDED.mkdir(exist_ok=True)
    for run in RUNS:
        if "file" not in run and (not only or run["name"] in only):
            record(run)
            print(run["name"], file_of(run).stat().st_size, "bytes")


def crowded(profile: Any) -> bool:
    """Whether ranks had to share cores: as the kernel said how many tasks wanted one when the run
    ended, not as any tool told it."""
    facts = profile.nodes[0].facts
    return facts["loadavg"].value > facts["cpus"].value


def awake(profile: Any) -> Any:
    """The same run of a program that computes where a sample sleeps, so that it needs no cores."""
    ranks = dict(profile.tables["ranks"])
    if "asleep_outside" in ranks:
        ranks["asleep_outside"] = np.zeros_like(ranks["asleep_outside"])
    return replace(profile, tables={**profile.tables, "ranks": ranks})


def judged(tool: str) -> Iterator[Judged]:
    """Each recorded run with what a tool says of it. Without cores a rank waits for them: to say so
    first is right, too."""
    from advisor.analysis.measure import measure
    from advisor.intake.read import read

    answer = TOOLS[tool]()
    for run in RUNS:
        machine = Machine((0,) * run["ranks"])
        made = Made(run["label"], machine, [], [], tuple(run.get("culprits", ())))
        # What stands in the environment is true or not, and no fault of the program.
        profile = replace(awake(read(file_of(run))), settings=())
        said, cannot_tell = answer(measure(profile))._replace(ceiling=None), ()
        if crowded(profile) and said.labels[:1] == (CROWDED,):
            cannot_tell = (run["label"],)
            said = said._replace(
                labels=said.labels[1:], words=(*said.words[1:], "after " + said.words[0]), ranks=()
            )
        case = Case(run["name"], made, [], 1.0)
        yield case, said, verdict(case, said, cannot_tell)


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", choices=tuple(TOOLS), default="advisor", help="whom to ask")
    parser.add_argument("--record", action="store_true", help="run the programs anew")
    parser.add_argument("--only", default="", help="names of runs, as a shell splits them")
    chosen = parser.parse_args()
    if chosen.record:
        record_all(shlex.split(chosen.only))
        return
    found = list(judged(chosen.tool))
    for each in found:
        print(line(*each))
    print(sums(found))


if __name__ == "__main__":
    main()
