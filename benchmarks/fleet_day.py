"""A day of short jobs on a real Slurm of this machine, through the whole way: TaskProlog, the
collector, the spool, ingest with sacct, report.

    python benchmarks/fleet_day.py 500 [--alone] [--write]

--alone lets ranks go before all other processes (chrt -f 10) and runs one job at a time: on a
machine with other work, every job else loses most to that, and the report says so. 500 jobs take
some 15 minutes then.

Jobs are programs of samples/ with their planted fault, the same programs repaired, and LAMMPS and
pw.x where they are installed, each on one of four nodes; users are accounts that every Debian
has. Each program also runs unmeasured (ADVISOR_FLEET=off): output and exit code must be the
same, and the difference to the repaired program is the truth about what its fault costs, with a
95 % interval (bootstrap). Each job that leaves no profile is named, with the reason. --write puts
the table and the report of the day into FLEET.md.
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

import result_lines
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
NO_CORE = ("cores-taken-by-others", "ranks-sharing-cores", "oversubscribed-busy-waiting")
"""Where one of these speaks, a rank had no core of its own, and advice about waiting is silent."""
LIMIT = 90
RESAMPLED = 1000


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

    number: int
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
    advisor(place, "fleet", "ingest", "--names", place / "spool", place / "store")


def advisor(place: Path, *words: object) -> str:
    """One of its commands."""
    done = subprocess.run(
        [sys.executable, "-m", "advisor", *map(str, words)],
        cwd=HERE.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise SystemExit(done.stdout)
    return done.stdout


def run(day: Day, number: int, program: Program, measured: bool) -> Job:
    """One srun of a user's."""
    user = USERS[number % len(USERS)]
    own = day.place / program.words[0]
    words = [str(own) if own.exists() else program.words[0], *program.words[1:]]
    line = [
        "setpriv",
        f"--reuid={user}",
        "--clear-groups",
        "srun",
        "--quiet",
        "--mpi=pmix",
        f"-J{number}",
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
    job = Job(number, program, measured)
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

    begin = time.monotonic()
    with ThreadPoolExecutor(at_once) as pool:
        for job in pool.map(lambda number: run(day, number, *plan[number]), range(len(plan))):
            day.jobs.append(job)
            done = len(day.jobs)
            left = (time.monotonic() - begin) * (len(plan) / done - 1) / 60
            print(
                f"\r{done} of {len(plan)} jobs, {left:.0f} minutes left: {job.program.name}"
                f" {job.seconds:.1f} s\033[K",
                end="",
                file=sys.stderr,
                flush=True,
            )
    print(file=sys.stderr)


def numbers(day: Day, told: str) -> Dict[str, Job]:
    """Slurm's number → job, of what `sacct` says of JobIDRaw and JobName."""
    jobs = {str(job.number): job for job in day.jobs}
    pairs = [line.split("|") for line in told.splitlines()]
    return {number: jobs[name] for number, name in pairs if name in jobs and number.isdigit()}


def missing(day: Day, there: Dict[str, Job], have: "set[str]", said: str) -> List[str]:
    """Each measured job without a profile, and why: a line of the ingest's about it, its end, or
    that Slurm never ran it."""
    lines = []
    known = {job.number for job in there.values()}
    for number, job in there.items():
        if job.measured and number not in have:
            found = [line for line in said.splitlines() if f".{number}." in line]
            ended = f"it ended with {job.code}: {job.said.strip()[-120:]!r}" if job.code else ""
            reason = "; ".join(found) or ended or "NO REASON FOUND"
            lines.append(f"job {number}, {job.program.name}, {job.seconds:.1f} s: {reason}")
    for job in day.jobs:
        if job.measured and job.number not in known:
            lines.append(f"{job.program.name}: not in sacct; it ended with {job.code}")
    return lines


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


Interval = Tuple[float, float, float]


def stored(day: Day) -> Tuple[List[tuple], Dict[str, Interval], "set[str]"]:
    """Of each job its program and the rules that spoke; of each program its node hours lost with
    their interval; the jobs' numbers."""
    import duckdb

    files = f"{day.place}/store/current"
    jobs = duckdb.sql(
        f"select j.program, list(f.rule) from '{files}/jobs/*.parquet' j left join"
        f" '{files}/findings/*.parquet' f on f.profile = j.profile group by j.profile, j.program"
    ).fetchall()
    lost = duckdb.sql(
        f"select program, sum(recoverable), sum(recoverable_low), sum(recoverable_high) from"
        f" '{files}/jobs/*.parquet' group by program"
    ).fetchall()
    have = duckdb.sql(f"select job from '{files}/jobs/*.parquet'").fetchall()
    return jobs, {name: (value, low, high) for name, value, low, high in lost}, {j for (j,) in have}


def truth(day: Day) -> Dict[str, Interval]:
    """Planted program → node hours that its measured jobs would not have taken repaired: the
    difference of medians times jobs, and 95 % of what resampled jobs give."""
    seconds: Dict[str, List[float]] = {}
    for job in day.jobs:
        if job.code == 0:
            seconds.setdefault(job.program.name, []).append(job.seconds)
    chance, found = random.Random(11), {}
    for program in {job.program for job in day.jobs if job.measured and job.program.repaired}:
        hurt, cured = seconds.get(program.name), seconds.get(str(program.repaired))
        if not hurt or not cured:
            continue
        jobs = sum(job.measured and job.program == program for job in day.jobs)
        more = sorted(
            statistics.median(chance.choices(hurt, k=len(hurt)))
            - statistics.median(chance.choices(cured, k=len(cured)))
            for _ in range(RESAMPLED)
        )
        middle = statistics.median(hurt) - statistics.median(cured)
        ends = middle, more[RESAMPLED // 40], more[-RESAMPLED // 40]
        found[program.name] = tuple(each * jobs / 3600 for each in ends)
    return found


def wrong_orders(true: Dict[str, Interval], lost: Dict[str, Interval]) -> Tuple[int, List[str]]:
    """Pairs of planted programs whose true order is certain; those of them whose order in the
    report is certain too, and another one. What an interval of either leaves open is no error."""
    names = [name for name in true if name in lost]
    pairs = [(a, b) for a in names for b in names if true[a][1] > true[b][2]]
    return len(pairs), [f"{a} before {b}" for a, b in pairs if lost[a][2] < lost[b][1]]


def report(day: Day, minutes: float, absent: List[str]) -> str:
    """What goes into FLEET.md."""
    jobs, lost, _ = stored(day)
    measured = [job for job in day.jobs if job.measured]
    planted = {each.name: each.rules for each in PROGRAMS if each.rules}
    true = truth(day)
    pairs, wrong = wrong_orders(true, lost)
    totals = [0, 0, 0]
    lines = [
        f"{len(measured)} jobs of {len({job.program.name for job in measured})} programs and"
        f" {len(USERS)} users on"
        f" {len(slurm_here.NODES)} nodes in {minutes:.0f} minutes,"
        f" load {os.getloadavg()[2]:.1f} on {os.cpu_count()} cores."
        f" {len(jobs)} profiles reached the store; {len(absent)} jobs left none."
        f" {len(changed(day))} jobs had another output or exit code.",
        "",
        "| program | planted | profiles | fault named | said: no core | any finding |"
        " node seconds that may be saved, report [interval] | truth [95 %] |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name in sorted({program for program, _ in jobs}):
        own = [rules or [] for program, rules in jobs if program == name]
        named, cores, silent = _verdicts(own, planted.get(name, ()))
        value, low, high = (each * 3600 for each in lost[name])
        middle, least, most = (each * 3600 for each in true.get(name, (0.0, 0.0, 0.0)))
        if name in planted:
            totals = [a + b for a, b in zip(totals, (named, cores, silent))]
        lines.append(
            f"| {name} | {' '.join(planted.get(name, ())) or '-'} | {len(own)} |"
            f" {named if name in planted else '-'} | {cores} | {sum(any(rules) for rules in own)} |"
            f" {value:.2f} [{low:.2f}, {high:.2f}] |"
            f" {f'{middle:.2f} [{least:.2f}, {most:.2f}]' if name in true else '-'} |"
        )
    total = sum(1 for program, _ in jobs if program in planted)
    lines += [
        "",
        f"Planted faults named: {totals[0]} of {total}. Of the others, the report said of"
        f" {totals[1]} that ranks had no core of their own, and of {totals[2]} neither."
        f" Pairs of planted programs whose true order is certain: {pairs}; in another order in the"
        f" report, outside its intervals: {len(wrong)}{': ' if wrong else ''}{', '.join(wrong)}.",
        *([""] + [f"- {line}" for line in absent] if absent else []),
    ]
    said = [line if line.startswith("|") else textwrap.fill(line, 100) for line in lines]
    return "\n".join(said)


def _verdicts(jobs: List[list], planted: Tuple[str, ...]) -> Tuple[int, int, int]:
    """Jobs whose fault was named; of the others those that had no core of their own, and the
    rest."""
    others = [rules for rules in jobs if not any(rule in planted for rule in rules)]
    cores = sum(any(rule in NO_CORE for rule in rules) for rules in others)
    return len(jobs) - len(others), cores, len(others) - cores


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
            told = slurm.run("sacct", "-a", "-P", "-S", "now-2days", f"--format={SACCT}")
            (day.place / "sacct.txt").write_text(told.stdout)
            named = slurm.run("sacct", "-anPX", "-S", "now-2days", "--format=JobIDRaw,JobName")
        store = day.place / "store"
        said = advisor(
            day.place,
            "fleet",
            "ingest",
            day.place / "spool",
            store,
            "--sacct",
            day.place / "sacct.txt",
        )
        print(said, file=sys.stderr)
        absent = missing(day, numbers(day, named.stdout), stored(day)[2], said)
        page = advisor(day.place, "fleet", "report", day.place / "store", "--since", "2d")
        print(page, file=sys.stderr)
        for line in changed(day):
            print(line, file=sys.stderr)
        text = report(day, (time.monotonic() - begin) / 60, absent)
    print(text)
    if arguments.write:
        lines = [
            line if line.startswith("|") else textwrap.fill(line, 100) for line in page.splitlines()
        ]
        shown = "```text\n{}\n```".format("\n".join(lines).strip())
        result_lines.put(HERE / "FLEET.md", {"day": text, "page of the day": shown})
    return 0


if __name__ == "__main__":
    sys.exit(main())
