#!/usr/bin/env python3
"""What a report says of programs on a machine that others use too, beside what it says of them on a
quiet one.

Usage: loaded.py [--loads "1 loop,2 loops,4 loops,quota,core taken"] [--only NAME,NAME]
                 [--quiet N] [--rounds N] [--keep DIR] [--mpi ompi4]

Runs each program alone, three times unless --quiet says otherwise; then beside 1, 2 and 4 busy
loops that take cores from it, in a control group with a quota of one CPU, and with CPU 0 taken
away by a real-time loop from half of its time on (the last two need root). Prints a table: elapsed,
time without a core, wait time and transfer time with their intervals, and the first finding.

"Meets": the interval of the loaded run and the hull of the quiet runs' intervals meet, or are
less than 0.5 % of the quiet run apart, which no report would mention. A loaded run may say that it
had no core, or less than the quiet one; it must not say something else of the program. The machine
must be quiet otherwise: the table says how much it was not.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from threading import Timer
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from advisor.advice import judge, load_rules  # noqa: E402
from advisor.analysis.measure import measure  # noqa: E402
from advisor.base import resource_paths  # noqa: E402
from advisor.intake.read import read  # noqa: E402
from mpi_builds import (
    Build,
    compile_program,
    environment,
    find,
    python,
    python_environment,
)  # noqa: E402

INPUTS = ROOT / "samples" / "inputs"
SAMPLES = {
    "healthy": "307",
    "uneven_compute": "97",
    "serial_phase": "97",
    "many_barriers": "80021",
    "small_reductions": "10007",
    "alltoall": "2003",
    "polling": "199",
    "waiting_habits": "97",
}
"""With their steps: some ranks that wait busily take a hundred times as long beside four loops."""
SHORTER = {
    "in.lj.small": ("run             400", "run             100"),
    "si8.scf.in": (" 2 2 2 0 0 0", " 1 1 1 0 0 0"),
}
"""What is replaced in inputs, for the same reason."""
SLIGHT = 0.005
"""Of elapsed: no report mentions less."""
BUSY = "while True: pass"
LOADS = ("1 loop", "2 loops", "4 loops", "quota", "core taken")
ENTER = ("sh", "-c", 'echo $$ > "$0"/cgroup.procs && exec "$@"')
"""Words in front of a command that runs it in the control group whose folder follows."""
BEFORE = 0.5
"""Seconds from the command to the end of MPI_Init, about."""
OURS = ("cores-taken-by-others", "oversubscribed-busy-waiting")
"""Findings that say that there were too few cores."""
RANKS = 2


class Program(NamedTuple):
    """`words` with `{folder}` for a folder that holds the inputs; `python`: they follow an
    interpreter with mpi4py."""

    name: str
    words: Tuple[str, ...]
    python: bool = False


APPLICATIONS = (
    Program("lmp", ("lmp", "-in", "in.lj.small", "-log", "none")),
    Program("pw.x", ("pw.x", "-in", "si8.scf.in")),
    Program("mpi4py ring", ("-m", "mpi4py.bench", "ringtest", "-l", "20000"), True),
)


class Seen(NamedTuple):
    """Of one run; seconds, intervals as (low, value, high). `first`: rule on top, "" for none."""

    elapsed: float
    no_core: float
    wait: Tuple[float, float, float]
    transfer: Tuple[float, float, float]
    first: str


def programs(build: Build, folder: Path, only: Sequence[str]) -> Iterator[Tuple[str, List[str]]]:
    """Names and command lines of those that are there."""
    for name in SAMPLES:
        if not only or name in only:
            source = ROOT / "samples" / f"{name}.c"
            built = compile_program(build, "c", [source], folder / name, ["-O2", "-lm"])
            yield name, [str(built), SAMPLES[name]]
    for program in APPLICATIONS:
        if (not only or program.name in only) and (
            program.python or shutil.which(program.words[0])
        ):
            yield program.name, [*([str(python(build))] if program.python else []), *program.words]


@contextmanager
def load(kind: str, half: float) -> Iterator[Tuple[str, ...]]:
    """What takes cores from a program while it runs; words in front of its command. `half`: seconds
    after which a core is taken."""
    loop = [sys.executable, "-c", BUSY]
    rivals = [subprocess.Popen(loop) for _ in range(int(kind.split()[0]) if "loop" in kind else 0)]
    later = Timer(
        half,
        lambda: rivals.append(subprocess.Popen(["chrt", "-f", "10", "taskset", "-c", "0", *loop])),
    )
    group = quota() if kind == "quota" else None
    if kind == "core taken":
        later.start()
    try:
        yield (*ENTER, str(group)) if group else ()
    finally:
        later.cancel()
        for rival in rivals:
            rival.kill()
            rival.wait()
        if group:
            group.rmdir()


def quota() -> Path:
    """A new control group whose tasks together get the time of one CPU."""
    first = Path("/sys/fs/cgroup/cpu")
    group = (first if first.is_dir() else first.parent) / f"advisor-loaded-{os.getpid()}"
    group.mkdir()
    if first.is_dir():
        (group / "cpu.cfs_quota_us").write_text("100000")
    else:
        (group / "cpu.max").write_text("100000 100000")
    return group


def one_run(
    build: Build, words: Sequence[str], kind: str, half: float, folder: Path
) -> Optional[Seen]:
    """None if it failed."""
    work = Path(tempfile.mkdtemp(dir=folder))
    for file in INPUTS.iterdir():
        text = file.read_text(encoding="utf-8")
        (work / file.name).write_text(text.replace(*SHORTER.get(file.name, ("", ""))), "utf-8")
    with load(kind, half) as front:
        line = [
            *front,
            sys.executable,
            "-m",
            "advisor",
            "run",
            "--output",
            str(work / "result"),
            "--",
            *build.launcher,
            "-n",
            str(RANKS),
            *words,
        ]
        settings = {
            **os.environ,
            **environment(build),
            **python_environment(build),
            "PYTHONPATH": os.pathsep.join(
                (str(ROOT), python_environment(build).get("PYTHONPATH", ""))
            ),
        }
        done = subprocess.run(
            line, cwd=work, env=settings, capture_output=True, text=True, timeout=900
        )
    if done.returncode:
        print(f"{words[0]}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return seen(work / "result")


def seen(result: Path) -> Seen:
    """What a report of it would say."""
    measures = measure(read(result))
    row, columns = measures.tables["run"].row(0), measures.tables["run"].columns
    findings = judge(measures, load_rules([resource_paths.rules()])).findings
    return Seen(
        row["time"],
        row["no_core_share"] or 0.0,
        _interval(columns["wait_time"]),
        _interval(columns["transfer_time"]),
        findings[0].rule if findings else "",
    )


def _interval(column) -> Tuple[float, float, float]:
    value = float(column.values[0])
    return tuple(
        value if ends is None else float(ends[0])
        for ends in (column.low, column.values, column.high)
    )


def meets(
    quiet: Tuple[float, float, float], loaded: Tuple[float, float, float], elapsed: float
) -> str:
    """Whether the two intervals meet; else by how many seconds they are apart."""
    apart = max(loaded[0] - quiet[2], quiet[0] - loaded[2], 0.0)
    return "yes" if apart <= SLIGHT * elapsed else f"{apart:.2f} s apart"


def together(runs: Sequence[Seen]) -> Seen:
    """Several runs as one: medians, and intervals that hold those of all."""
    wait, transfer = (
        (
            min(each[0] for each in ends),
            median(each[1] for each in ends),
            max(each[2] for each in ends),
        )
        for ends in ([run.wait for run in runs], [run.transfer for run in runs])
    )
    first = max((run.first for run in runs), key=[run.first for run in runs].count)
    return Seen(
        median(run.elapsed for run in runs), max(run.no_core for run in runs), wait, transfer, first
    )


def row(name: str, kind: str, now: Seen, quiet: Optional[Seen]) -> str:
    """One line of the table."""
    cells = [
        name,
        kind,
        f"{now.elapsed:.2f}",
        f"{100 * now.no_core:.1f} %",
        *(
            f"{low:.2f} to {high:.2f} ({value:.2f})"
            for low, value, high in (now.wait, now.transfer)
        ),
    ]
    if quiet is None:
        return "| " + " | ".join((*cells, "", "", now.first or "none", "")) + " |"
    same = "yes" if now.first in ("", *OURS, quiet.first) else "NO"
    return (
        "| "
        + " | ".join(
            (
                *cells,
                meets(quiet.wait, now.wait, quiet.elapsed),
                meets(quiet.transfer, now.transfer, quiet.elapsed),
                now.first or "none",
                same,
            )
        )
        + " |"
    )


def table(
    build: Build,
    wanted: Sequence[str],
    only: Sequence[str],
    quiet_runs: int,
    rounds: int,
    folder: Path,
) -> Dict[str, int]:
    """Prints it; how many loaded runs there were, how many whose intervals do not meet those of the
    quiet run, and how many with another finding on top."""
    counts = {"runs": 0, "wait": 0, "transfer": 0, "first": 0}
    print(
        "| program | load | elapsed, s | without a core | waiting, s | transfer, s | waiting meets"
        " quiet | transfer meets quiet | first finding | as quiet, or none |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for name, words in programs(build, folder, only):
        alone = [
            run for run in (one_run(build, words, "", 0, folder) for _ in range(quiet_runs)) if run
        ]
        if not alone:
            continue
        quiet = together(alone)
        print(row(name, "none", quiet, None), flush=True)
        for kind in [each for each in wanted for _ in range(rounds)]:
            now = one_run(build, words, kind, BEFORE + quiet.elapsed / 2, folder)
            if now is None:
                continue
            print(row(name, kind, now, quiet), flush=True)
            counts["runs"] += 1
            counts["wait"] += meets(quiet.wait, now.wait, quiet.elapsed) != "yes"
            counts["transfer"] += meets(quiet.transfer, now.transfer, quiet.elapsed) != "yes"
            counts["first"] += now.first not in ("", *OURS, quiet.first)
    return counts


def main() -> None:
    """See above."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--loads", default=",".join(LOADS))
    options.add_argument("--only", default="")
    options.add_argument("--quiet", type=int, default=3)
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--keep", type=Path)
    options.add_argument("--mpi", default="ompi4")
    chosen = options.parse_args()
    folder = chosen.keep or Path(tempfile.mkdtemp(prefix="advisor-loaded-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(
        f"{chosen.mpi}, {RANKS} ranks, {os.cpu_count()} CPUs; load of the minute before:"
        f" {os.getloadavg()[0]:.2f}\n"
    )
    only = [name for name in chosen.only.split(",") if name]
    counts = table(
        find(chosen.mpi), chosen.loads.split(","), only, chosen.quiet, chosen.rounds, folder
    )
    print(
        f"\n{counts['runs']} loaded runs: waiting does not meet the quiet run's in"
        f" {counts['wait']}, transfer in {counts['transfer']}, another first finding in"
        f" {counts['first']}."
    )
    if not chosen.keep:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
