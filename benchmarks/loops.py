#!/usr/bin/env python3
"""Full loops on real programs, from a run to what was verified and compared, written down with what
was printed: advisor/verifying/LOOPS.md.

Usage: loops.py [--only lmp|pw.x] [--work DIR] [--plain]

Needs lmp and pw.x of Debian 12 with Open MPI, and two cores. As root, ranks run under `chrt -r 1`,
which shuts out other load and takes both cores for about five minutes in all; --plain leaves it
out. What was printed is kept beside the runs, so that --only writes the whole page.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Tuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from advisor import __version__  # noqa: E402

PAGE = ROOT / "advisor" / "verifying" / "LOOPS.md"
INPUTS = ROOT / "samples" / "inputs"
LONGEST = 12
"""Lines of an output that the page shows: what came of it stands on top."""


class Loop(NamedTuple):
    """`prepare`: (input, pattern, replacement, new name). `steps`: words of advisor; {n} is the
    launcher with what stands before the program."""

    title: str
    explained: str
    prepare: Tuple[str, str, str, str]
    steps: List[str]


LMP = Loop(
    "LAMMPS: a vacuum over half of the box",
    "`samples/inputs/in.lj.imbalanced` cuts a box along x whose right half contains next to no atoms;\n"
    "`in.lj.long` is the same with 3200 steps. The remedy is a setting of the program. It is therefore\n"
    "tried as another command, in the name of the finding that it addresses. Pairs use the short input.",
    ("in.lj.imbalanced", r"(?m)^run .*$", "run             3200", "in.lj.long"),
    [
        "run -o before -- {n} lmp -in in.lj.long -log none",
        (
            "verify before --metric lammps --margin 2% --against 'lammps-balance: {n} lmp -in"
            " in.lj.imbalanced -log none -var balance yes' -- {n} lmp -in in.lj.imbalanced -log"
            " none"
        ),
        "run -o after --quiet -- {n} lmp -in in.lj.long -log none -var balance yes",
        "report before | grep -B 3 tried",
        "compare before after",
    ],
)
PWX = Loop(
    "Quantum ESPRESSO: k-point pools, and a setting that promises much",
    "`samples/inputs/si8.scf.in` has 8 atoms of silicon and 6 k-points; `si8.large.in` is the same with\n"
    "a cutoff of 46 Ry. Without pools, both ranks work together on each k-point. `-ndiag 1` is tried as\n"
    "well; counts of calls would recommend it on more ranks. The energy is the check.",
    ("si8.scf.in", r"ecutwfc = 30.0", "ecutwfc = 46.0", "si8.large.in"),
    [
        "run -o before -- {n} pw.x -in si8.large.in",
        (
            "verify before --metric qe --margin 2% --check 'grep -q \"^! *total energy *="
            ' *-63.339405" "$ADVISOR_TRIAL_OUTPUT"\' --against \'qe-pools: {n} pw.x -nk 2 -in'
            " si8.scf.in' --against '{n} pw.x -ndiag 1 -in si8.scf.in' -- {n} pw.x -in si8.scf.in"
        ),
        "run -o after --quiet -- {n} pw.x -nk 2 -in si8.large.in",
        "report before | grep -B 3 tried",
        "compare before after",
    ],
)
LOOPS: Dict[str, Loop] = {"lmp": LMP, "pw.x": PWX}


def launch(plain: bool) -> str:
    """The launcher up to the program: ranks on cores of their own, in front of all other load where
    that is allowed."""
    allowed = (
        not plain
        and shutil.which("chrt")
        and subprocess.run(["chrt", "-r", "1", "true"], capture_output=True).returncode == 0
    )
    return "mpirun.openmpi --bind-to core -n 2" + (" chrt -r 1" if allowed else "")


def run(name: str, folder: Path, start: str) -> List[Dict[str, str]]:
    """All steps of a loop: [{"typed": …, "printed": …}]."""
    loop = LOOPS[name]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    source, pattern, replacement, changed = loop.prepare
    text = (INPUTS / source).read_text()
    (folder / source).write_text(text)
    (folder / changed).write_text(re.sub(pattern, replacement, text))
    environment = {
        **os.environ,
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT),
        "XDG_DATA_HOME": str(folder / "data"),
        "COLUMNS": "118",
        "NO_COLOR": "1",
    }
    return [
        {
            "typed": "advisor " + step.format(n=start),
            "printed": printed(step.format(n=start), folder, environment),
        }
        for step in loop.steps
    ]


def printed(words: str, folder: Path, environment: Dict[str, str]) -> str:
    """What advisor says on both channels; what the program prints goes its own way and is left
    out."""
    line = f'"{sys.executable}" -m advisor {words}'
    if words.startswith("run "):
        line += " 2>&1 >/dev/null"
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=900,
    )
    if done.returncode not in (0, 1):
        sys.exit(f"advisor {words}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout.replace(str(folder), "/home/you/case").strip("\n")


def section(name: str, steps: List[Dict[str, str]]) -> List[str]:
    """One loop as Markdown."""
    loop = LOOPS[name]
    lines = [f"## {loop.title}", "", loop.explained, ""]
    for step in steps:
        shown = step["printed"].split("\n")
        cut = (
            [*shown[:LONGEST], f"… ({len(shown) - LONGEST} lines more)"]
            if len(shown) > LONGEST + 3
            else shown
        )
        lines += ["", f"    $ {step['typed']}", *(f"    {line}".rstrip() for line in cut)]
    return [*lines, ""]


def page(known: Dict[str, List[Dict[str, str]]]) -> str:
    """The whole page."""
    head = [
        "# Loops",
        "",
        "Two programs on the way from the first run to the verified change, as printed on a virtual machine",
        "with two cores (Debian 12, Open MPI 4.1.4). `benchmarks/loops.py` writes this page; the inputs are",
        "in `samples/inputs`. `chrt -r 1` keeps other programs off the cores and needs root: omit it",
        f"elsewhere. The output is that of advisor {__version__}; later versions word some lines differently.",
        "",
    ]
    return "\n".join(
        head + [line for name, steps in known.items() for line in section(name, steps)]
    )


def main() -> None:
    """Run, keep what was printed, write the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=LOOPS)
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "loops")
    parser.add_argument("--plain", action="store_true")
    arguments = parser.parse_args()
    work = arguments.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    kept = work / "printed.json"
    known = json.loads(kept.read_text()) if kept.exists() else {}
    for name in [arguments.only] if arguments.only else LOOPS:
        known[name] = run(name, work / name, launch(arguments.plain))
        kept.write_text(json.dumps(known, indent=1))
    PAGE.write_text(page({name: known[name] for name in LOOPS if name in known}), encoding="utf-8")


if __name__ == "__main__":
    main()
