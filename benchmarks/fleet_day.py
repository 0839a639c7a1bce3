"""A day of short jobs on a real Slurm of this machine, through the whole way: TaskProlog, the
collector, the spool, ingest with sacct, report.

    python benchmarks/fleet_day.py 500 [--alone] [--write]

--alone lets ranks go before all other processes (chrt -f 10) and runs one job at a time: on a
machine with other work, every job else loses most to that, and the report says so.

Jobs are programs of samples/ with their planted fault, the same programs repaired, and LAMMPS and
pw.x where they are installed, each on one of four nodes; users are accounts that every Debian
has. Each program also runs unmeasured (ADVISOR_FLEET=off): output and exit code must be the
same, and the difference to the repaired program is the truth about what its fault costs.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import slurm_here

HERE = Path(__file__).resolve().parent
SAMPLES = HERE.parent / "samples"
SACCT = (
    "Cluster,JobIDRaw,User,Account,Partition,State,ExitCode,Start,End,ElapsedRaw,NNodes,NTasks,"
    "AllocCPUS,ConsumedEnergyRaw,NodeList"
)
USERS = ("games", "mail", "news", "backup")
RARE = ("lmp", "pw.x")
"""Take longer than the others: each is one job in thirty."""
LIMIT = 90


@dataclass(frozen=True)
class Program:
    """`rules`: any of them names the planted fault; none: it is healthy. `kept`: of the lines of
    output, those that do not tell times."""

    name: str
    words: Tuple[str, ...]
    ranks: int
    rules: Tuple[str, ...] = ()
    repaired: Optional[str] = None
    kept: str = ""


def _sample(
    name: str, steps: int, ranks: int, *rules: str, more: Tuple[str, ...] = ()
) -> List[Program]:
    cured = f"{name}-repaired"
    words = (str(steps), *more)
    return [
        Program(name, (name, *words), ranks, rules, cured),
        Program(cured, (cured, *words), ranks),
    ]


PROGRAMS = [
    *_sample("uneven_compute", 23, 4, "uneven-compute"),
    *_sample("serial_phase", 17, 4, "serial-phase-rank-0"),
    *_sample("communicator_churn", 10_007, 2, "communicator-churn"),
    *_sample("window_create", 50_021, 2, "win-create-instead-of-allocate"),
    *_sample("many_barriers", 10_007, 2, "many-barriers"),
    *_sample("polling", 101, 2, "frequent-polling"),
    *_sample("small_messages", 307, 2, "many-small-messages"),
    Program("healthy", ("healthy", "53"), 2),
    Program("lmp", ("lmp", "-in", "in.lj.small", "-log", "none"), 2, kept=r"^ *\d+ +\S+ +\S+"),
    Program("pw.x", ("pw.x", "-in", "si8.scf.in"), 2, kept="total energy|convergence"),
]


@dataclass
class Job:
    """One job that ran. `seconds`: wall clock of srun."""

    program: Program
    measured: bool
    code: int = -1
    said: str = ""
    seconds: float = 0.0


@dataclass
class Day:
    """Where everything is."""

    place: Path
    slurm: Optional[slurm_here.Slurm] = None
    jobs: List[Job] = field(default_factory=list)


def prepare(place: Path) -> None:
    """Programs, inputs, and what a centre installs."""
    place.chmod(0o755)
    for name in {each.words[0].replace("-repaired", "") for each in PROGRAMS}:
        source = SAMPLES / f"{name}.c"
        if source.exists():
            for output, more in ((name, []), (f"{name}-repaired", ["-DCURED"])):
                words = ["mpicc.openmpi", "-O1", *more, source, "-o", place / output, "-lm"]
                subprocess.run(words, check=True)
    shutil.copytree(SAMPLES / "inputs", place / "inputs")
    advisor(
        place,
        "fleet",
        "install",
        place / "home",
        "--spool",
        place / "spool",
        "--share",
        "100%",
        "--mpicc",
        "mpicc.openmpi",
    )
    (place / "spool").mkdir()
    advisor(place, "fleet", "ingest", place / "spool", place / "store")


def advisor(place: Path, *words: object) -> str:
    """One of its commands."""
    done = subprocess.run(
        [sys.executable, "-m", "advisor", *map(str, words)],
        cwd=HERE.parent,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return done.stdout


def run(day: Day, program: Program, user: str, measured: bool) -> Job:
    """One srun of a user's."""
    own = day.place / program.words[0]
    words = [str(own) if own.exists() else program.words[0], *program.words[1:]]
    line = [
        "setpriv",
        f"--reuid={user}",
        "--clear-groups",
        "srun",
        "--quiet",
        "--mpi=pmix",
        f"-A{'physics' if user < 'mail' else 'chemistry'}",
        "-N1",
        "--overcommit",
        f"-n{program.ranks}",
    ]
    assert day.slurm is not None
    variables = {
        **day.slurm.environment,
        "OMPI_MCA_mpi_yield_when_idle": "1",
        "OMP_NUM_THREADS": "1",
        **({} if measured else {"ADVISOR_FLEET": "off"}),
    }
    job = Job(program, measured)
    with tempfile.TemporaryDirectory(dir=day.place, prefix="run-") as folder:
        for file in (day.place / "inputs").iterdir():
            shutil.copy(file, folder)
        shutil.chown(folder, user)
        begin = time.monotonic()
        try:
            done = subprocess.run(
                [*line, *words],
                env=variables,
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=LIMIT,
            )
            job.code, job.said = done.returncode, done.stdout + done.stderr
        except subprocess.TimeoutExpired:
            job.said = "too slow"
        job.seconds = time.monotonic() - begin
    if program.kept:
        job.said = "\n".join(line for line in job.said.split("\n") if re.search(program.kept, line))
    return job


def work(day: Day, count: int, programs: List[Program], at_once: int) -> None:
    """All jobs, some at once, in random order; two of each program unmeasured."""
    often = [each for each in programs if each.name not in RARE]
    rare = [each for each in programs if each.name in RARE]
    plan = [(often[i % len(often)], True) for i in range(count - count // 30 * len(rare))]
    plan += [(each, True) for each in rare for _ in range(count // 30)]
    plan += [(each, False) for each in programs for _ in range(2)]
    random.Random(7).shuffle(plan)

    def one(number: int) -> Job:
        program, measured = plan[number]
        return run(day, program, USERS[number % len(USERS)], measured)

    with ThreadPoolExecutor(at_once) as pool:
        for number, job in enumerate(pool.map(one, range(len(plan)))):
            day.jobs.append(job)
            print(
                f"\r{number + 1}/{len(plan)} {job.program.name} {job.seconds:.1f} s ",
                end="",
                file=sys.stderr,
            )


def changed(day: Day) -> List[str]:
    """Jobs whose output or exit code is not that of the program when it is not measured."""
    bare: Dict[str, set] = {}
    for job in day.jobs:
        if not job.measured:
            bare.setdefault(job.program.name, set()).add((job.code, job.said))
    return [
        f"{job.program.name}: {job.code} {job.said[:200]!r}"
        for job in day.jobs
        if job.measured and (job.code, job.said) not in bare[job.program.name]
    ]


def stored(day: Day) -> Tuple[List[tuple], Dict[str, Tuple[float, float, float]]]:
    """Of each job its program and the rules that spoke; of each program its node hours lost with
    their interval."""
    import duckdb

    files = f"{day.place}/store/current"
    jobs = duckdb.sql(
        f"select j.program, list(f.rule) from '{files}/jobs/*.parquet' j left join"
        f" '{files}/findings/*.parquet' f on f.profile = j.profile group by j.profile, j.program"
    ).fetchall()
    lost = duckdb.sql(
        f"select program, sum(lost), sum(lost_low), sum(lost_high) from"
        f" '{files}/jobs/*.parquet' group by program"
    ).fetchall()
    return jobs, {name: (value, low, high) for name, value, low, high in lost}


def truth(day: Day) -> Dict[str, float]:
    """Planted program → node hours that its measured jobs would not have taken repaired."""
    seconds: Dict[str, float] = {}
    for name in {job.program.name for job in day.jobs}:
        all_of = [job.seconds for job in day.jobs if job.program.name == name and job.code == 0]
        seconds[name] = statistics.median(all_of) if all_of else 0.0
    found: Dict[str, float] = {}
    for job in day.jobs:
        if job.measured and job.program.repaired in seconds:
            more = seconds[job.program.name] - seconds[job.program.repaired]
            found[job.program.name] = found.get(job.program.name, 0.0) + more / 3600
    return found


def wrong_orders(
    true: Dict[str, float], lost: Dict[str, Tuple[float, float, float]]
) -> Tuple[int, int]:
    """Pairs of planted programs; those whose order the stated intervals exclude."""
    names = [name for name in true if name in lost]
    pairs = [(a, b) for a in names for b in names if true[a] > true[b]]
    return len(pairs), [f"{a} before {b}" for a, b in pairs if lost[a][2] < lost[b][1]]


def report(day: Day, minutes: float) -> str:
    """What goes into FLEET.md."""
    jobs, lost = stored(day)
    measured = [job for job in day.jobs if job.measured]
    planted = {each.name: each.rules for each in PROGRAMS if each.rules}
    true = truth(day)
    pairs, wrong = wrong_orders(true, lost)
    lines = [
        f"{len(measured)} jobs of {len({job.program.name for job in measured})} programs and"
        f" {len(USERS)} users on"
        f" {len(slurm_here.NODES)} nodes in {minutes:.0f} minutes,"
        f" load {os.getloadavg()[2]:.1f} on {os.cpu_count()} cores."
        f" {len(jobs)} profiles reached the store."
        f" {len(changed(day))} jobs had another output or exit code.",
        "",
        "| program | planted | profiles | fault named | any finding |"
        " node seconds lost, report [interval] | truth |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for name in sorted({program for program, _ in jobs}):
        own = [rules or [] for program, rules in jobs if program == name]
        named = sum(any(rule in planted.get(name, ()) for rule in rules) for rules in own)
        value, low, high = lost[name]
        lines.append(
            f"| {name} | {' '.join(planted.get(name, ())) or '-'} | {len(own)} |"
            f" {named if name in planted else '-'} | {sum(any(rules) for rules in own)} |"
            f" {value * 3600:.2f} [{low * 3600:.2f}, {high * 3600:.2f}] |"
            f" {true.get(name, float('nan')) * 3600:.2f} |"
        )
    total = sum(1 for program, _ in jobs if program in planted)
    recalled = sum(
        any(rule in planted[program] for rule in rules or [])
        for program, rules in jobs
        if program in planted
    )
    lines += [
        "",
        f"Planted faults named: {recalled} of {total}. Pairs of planted programs whose"
        f" order the intervals exclude: {len(wrong)} of {pairs}"
        f"{': ' if wrong else ''}{', '.join(wrong)}.",
    ]
    said = [line if line.startswith("|") else textwrap.fill(line, 100) for line in lines]
    return "\n".join(said).replace("nan", "-")


def write(text: str) -> None:
    """Into FLEET.md, between two marks."""
    page = HERE / "FLEET.md"
    before, _, rest = page.read_text().partition("<!-- day -->\n")
    after = rest.partition("<!-- end of day -->")[2]
    page.write_text(f"{before}<!-- day -->\n{text}\n<!-- end of day -->{after}")


def main() -> int:
    """Run the day."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jobs", type=int)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    reason = slurm_here.missing(database=True)
    if reason:
        print(reason, file=sys.stderr)
        return 1
    begin = time.monotonic()
    before = ("chrt", "-f", "10") if arguments.alone else ()
    with tempfile.TemporaryDirectory(prefix="fleet-day-") as name:
        day = Day(Path(name))
        prepare(day.place)
        programs = [
            each
            for each in PROGRAMS
            if (day.place / each.words[0]).exists() or shutil.which(each.words[0])
        ]
        with slurm_here.cluster(
            day.place / "slurm", day.place / "home" / "task-prolog", database=True, before=before
        ) as slurm:
            day.slurm = slurm
            work(day, arguments.jobs, programs, 1 if arguments.alone else 2)
            time.sleep(3)  # until slurmdbd has the last ones
            told = slurm.run(
                "sacct", "-a", "-P", "-S", "now-2days", f"--format={SACCT}", input=None
            )
            (day.place / "sacct.txt").write_text(told.stdout)
        print(
            advisor(
                day.place,
                "fleet",
                "ingest",
                day.place / "spool",
                day.place / "store",
                "--sacct",
                day.place / "sacct.txt",
            ),
            file=sys.stderr,
        )
        print(
            advisor(day.place, "fleet", "report", day.place / "store", "--since", "2d"),
            file=sys.stderr,
        )
        for line in changed(day):
            print(line, file=sys.stderr)
        text = report(day, (time.monotonic() - begin) / 60)
    print(text)
    if arguments.write:
        write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
