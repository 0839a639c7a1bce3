"""A store of many jobs with known truth, and how long it takes to ask it: `python
benchmarks/fleet.py table 1e4 1e5 1e6 > table.md`.

`python benchmarks/fleet.py make STORE 1e5` leaves the store; `queries STORE` measures each query of
it; `slow` prints how often slow nodes are named, rightly and wrongly, `looks` how many jobs they
had by then; `ingest` how long real profiles take.
"""

from __future__ import annotations

import os
import resource
import shutil
import sys
import tempfile
import time
from collections import deque
from concurrent.futures import Executor, Future
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Sequence

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from advisor.fleet import store as stores
from advisor.fleet.installed import arrow
from advisor.fleet.query import (
    asked,
    asked_in_columns,
    asked_in_parts,
    connected,
    statements,
)
from advisor.fleet.report import compose
from advisor.fleet.slow_nodes import Observations, observations, slow_nodes
from advisor.fleet.tables import TABLES, schema

LAST = date(2026, 11, 22)
NODES, USERS = 1000, 300
RULES = tuple(f"planted-{number:02d}" for number in range(40))
"""The first one loses most: node hours of a rule fall by a tenth from one to the next."""
SHORT = {"lateness": 30, "series_jobs": 60, "series_settings": 60}
"""Queries of single rows, and the days that reports ask them for."""
PASSED_ON = ("jobs_to_hand_over", "findings_to_hand_over")
"""Those of an export, which reads them a part at a time; by default of 30 days. What a program
makes of the rows is not the query's time."""
LIBRARIES = (("openmpi", "4.1.6"), ("openmpi", "5.0.5"), ("mpich", "4.2.2"), ("intel", "2021.13"))


class Truth(NamedTuple):
    """What was planted."""

    hours: float
    lost: Dict[str, float]
    """Node hours by rule."""
    slow: Dict[str, float]
    """Share by which a node is slower."""


class Jobs(NamedTuple):
    """One column each."""

    day: np.ndarray
    user: np.ndarray
    application: np.ndarray
    library: np.ndarray
    nodes: np.ndarray
    hours: np.ndarray


def make(path: Path, count: int, seed: int = 1, days: int = 365) -> Truth:
    """A store with so many jobs, three findings and four operations each, and their hosts."""
    store = stores.create(path, False)
    rng = np.random.default_rng(seed)
    planted = rng.choice(NODES, 3, replace=False)
    slow = {f"n{node:04d}": share for node, share in zip(planted, (0.05, 0.10, 0.20))}
    lost: Dict[str, float] = dict.fromkeys(RULES, 0.0)
    hours = 0.0

    def write(folder: Path) -> None:
        nonlocal hours
        months = _months(days)
        for number, (month, possible) in enumerate(months):
            share = (
                count * len(possible) // days
                if number
                else count - sum(count * len(each) // days for _, each in months[1:])
            )
            jobs = _jobs(rng, share, possible)
            hours += float(jobs.hours.sum())
            _write_month(folder, month, number, jobs, rng, planted, lost)

    with store.locked():
        store.change(write)
    return Truth(hours, lost, slow)


def _months(days: int) -> "List[tuple[str, List[date]]]":
    found: Dict[str, List[date]] = {}
    for back in range(days - 1, -1, -1):
        day = LAST - timedelta(days=back)
        found.setdefault(f"{day:%Y-%m}", []).append(day)
    return list(found.items())


def _jobs(rng: np.random.Generator, count: int, days: List[date]) -> Jobs:
    user = rng.zipf(1.5, count) % USERS
    nodes = rng.choice([1, 2, 4, 8, 16, 32], count, p=[0.4, 0.2, 0.15, 0.12, 0.09, 0.04])
    return Jobs(
        np.sort(np.array(days, "datetime64[D]")[rng.integers(0, len(days), count)]),
        user,
        # A user has few programs.
        (user * 7 + rng.integers(0, 3, count)) % 150,
        rng.integers(0, len(LIBRARIES), count),
        nodes,
        nodes * rng.lognormal(-0.5, 1.2, count),
    )


def _write_month(
    folder: Path,
    month: str,
    number: int,
    jobs: Jobs,
    rng: np.random.Generator,
    planted: np.ndarray,
    lost: Dict[str, float],
) -> None:
    """The generator is asked in this order, by which a seed makes the same store."""
    key = _key(jobs, number)
    rule, part = _losses(rng, len(jobs.user))
    hours = part * jobs.hours[:, None]
    for place, name in enumerate(RULES):
        lost[name] += float(hours[rule == place].sum())
    library = {
        "library": _words([name for name, _ in LIBRARIES], jobs.library),
        "library_version": _words([version for _, version in LIBRARIES], jobs.library),
    }
    job = {**key, **library, **_run(rng, jobs), **_losing(hours.sum(axis=1))}
    tables = {
        "jobs": job,
        "findings": _findings({**key, **library, "watts": job["watts"]}, rule.ravel(), hours),
        "operations": _operations(rng, key, jobs),
        "settings": _settings(rng, key),
        "hosts": _hosts(rng, key, jobs, planted),
    }
    for name, columns in tables.items():
        _write(folder / name / f"month-{month}.parquet", name, columns)


def _run(rng: np.random.Generator, jobs: Jobs) -> Dict[str, Any]:
    count = len(jobs.user)
    return {
        "nodes": jobs.nodes,
        "ranks": jobs.nodes * 64,
        "elapsed": 3600 * jobs.hours / jobs.nodes,
        "node_hours": jobs.hours,
        "wait_share": rng.random(count),
        "started_from": _words(["sacct"], np.zeros(count, int)),
        "watts": arrow().array(rng.normal(450, 60, count), mask=rng.random(count) < 0.5),
        "work": _words([f"input{each}" for each in range(4)], rng.integers(0, 4, count)),
    }


def _losing(hours: np.ndarray) -> Dict[str, np.ndarray]:
    """All of it may be saved."""
    ends = {"": hours, "_low": 0.8 * hours, "_high": 1.2 * hours}
    return {what + end: each for what in ("lost", "recoverable") for end, each in ends.items()}


def _repeated(key: Dict[str, Any], times: int) -> Dict[str, Any]:
    """So many rows for each job."""
    rows = np.repeat(np.arange(len(next(iter(key.values())))), times)
    return {name: column.take(rows) for name, column in key.items()}


def _findings(key: Dict[str, Any], rule: np.ndarray, hours: np.ndarray) -> Dict[str, Any]:
    return {
        **_repeated(key, 3),
        "rule": _words(RULES, rule),
        "title": _words([f"Planted cause {name}" for name in RULES], rule),
        "state": _words(["you can do this", "change in the program"], rule % 2),
        **_losing(hours.ravel()),
    }


def _operations(rng: np.random.Generator, key: Dict[str, Any], jobs: Jobs) -> Dict[str, Any]:
    count = len(jobs.user)
    return {
        **_repeated(key, 4),
        "operation": _words(["Allreduce", "Waitall", "Bcast", "Barrier"], np.tile(range(4), count)),
        "calls": rng.integers(1, 10**6, 4 * count).astype(float),
        "node_hours": np.repeat(jobs.hours, 4) * 0.1 * rng.random(4 * count),
    }


def _settings(rng: np.random.Generator, key: Dict[str, Any]) -> Dict[str, Any]:
    rows = _repeated(key, 2)
    count = len(next(iter(rows.values())))
    return {
        **rows,
        "name": _words(["OMP_NUM_THREADS", "UCX_TLS"], np.arange(count) % 2),
        "value": _words(["1", "2", "rc"], rng.integers(0, 3, count)),
        "source": _words(["environment"], np.zeros(count, int)),
    }


def _losses(rng: np.random.Generator, count: int) -> "tuple[np.ndarray, np.ndarray]":
    """Three rules a job, no second of which is counted twice, and their shares of its time."""
    weights = 0.9 ** np.arange(len(RULES))
    rule = rng.choice(len(RULES), (count, 3), p=weights / weights.sum())
    return rule, rng.random((count, 3)) * 0.1


def _hosts(
    rng: np.random.Generator, key: Dict[str, Any], jobs: Jobs, planted: np.ndarray
) -> Dict[str, Any]:
    job = np.repeat(np.arange(len(jobs.nodes)), jobs.nodes)
    place = np.arange(len(job)) - np.repeat(np.cumsum(jobs.nodes) - jobs.nodes, jobs.nodes)
    # Neighbours in a ring: no node twice in a job, and schedulers prefer neighbours.
    host = (rng.integers(0, NODES, len(jobs.nodes))[job] + place * 7) % NODES
    lateness = rng.standard_t(3, len(job)) * 0.015 + 0.1 * (place == 0)
    for node, share in zip(planted, (0.05, 0.10, 0.20)):
        lateness += np.log1p(share) * (host == node)
    hosts = jobs.nodes[job]
    return {
        **{name: column.take(job) for name, column in key.items()},
        "host": _words([f"n{node:04d}" for node in range(NODES)], host),
        "place": place,
        "hosts": hosts,
        "lateness": arrow().array(lateness, mask=hosts < 3),
    }


def _key(jobs: Jobs, number: int) -> Dict[str, Any]:
    count = len(jobs.user)
    weekday = (jobs.day.astype(int) + 3) % 7
    first = number * 10_000_000
    return {
        # As if they were digests: a hash of the number, in 32 digits.
        "profile": arrow().array(
            [f"{(first + each) * 0x9E3779B97F4A7C15 % 2**128:032x}" for each in range(count)]
        ),
        "day": arrow().array(jobs.day),
        "week": arrow().array(jobs.day - weekday.astype("timedelta64[D]")),
        "cluster": _words(["big"], np.zeros(count, int)),
        "job": arrow().array([str(first + each) for each in range(count)]),
        "step": _words(["0"], np.zeros(count, int)),
        "user_name": _words([f"user{each:03d}" for each in range(USERS)], jobs.user),
        "account": _words([f"project{each:02d}" for each in range(40)], jobs.user % 40),
        "application": _words([f"application{each:03d}" for each in range(150)], jobs.application),
    }


def _words(words: Sequence[str], numbers: np.ndarray) -> Any:
    pa = arrow()
    chosen = pa.DictionaryArray.from_arrays(np.asarray(numbers, np.int32), pa.array(list(words)))
    return chosen.cast(pa.string())


def _write(path: Path, name: str, columns: Dict[str, Any]) -> None:
    pa = arrow()
    rows = len(columns["place"] if name == "hosts" else columns["profile"])
    whole = [columns.get(field.name, pa.nulls(rows)) for field in schema(name)]
    cast = [pa.array(each).cast(field.type) for each, field in zip(whole, schema(name))]
    stores.write_rows(pa.Table.from_arrays(cast, schema=schema(name)), path)


def growth(counts: Sequence[int]) -> None:
    """One line a store."""
    print(f"Load when it began: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.\n")
    print("| jobs | rows of all tables | on disk | made | slowest query, a year | all queries |")
    print("|---:|---:|---:|---:|---:|---:|")
    for count in counts:
        # Memory of one store is not that of the one before: each has a process of its own.
        child = os.fork()
        if not child:
            _line(count)
            os._exit(0)
        os.waitpid(child, 0)


def _line(count: int) -> None:
    folder = Path(tempfile.mkdtemp(prefix="advisor-fleet-"))
    try:
        began = time.perf_counter()
        truth = make(folder / "store", count)
        made = time.perf_counter() - began
        store = stores.opened(folder / "store")
        seconds = _queries(store, LAST - timedelta(days=365), LAST + timedelta(days=1))
        began = time.perf_counter()
        report = compose(store, timedelta(days=30))
        month = time.perf_counter() - began
        size = sum(file.stat().st_size for table in TABLES for file in store.files(table))
        rows = sum(_rows(file) for table in TABLES for file in store.files(table))
        slowest = max(seconds, key=lambda name: seconds[name])
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        found = {each.host for each in report.slow}
        print(
            f"| {count:,} | {rows:,} | {size / 1e6:,.0f} MB | {made:.1f} s |"
            f" {seconds[slowest]:.2f} s ({slowest}) | {sum(seconds.values()):.1f} s;"
            f" report of 30 days {month:.1f} s; {memory:.2f} GiB at most; slow nodes"
            f" {len(found & set(truth.slow))} of 3, wrong {len(found - set(truth.slow))} |",
            flush=True,
        )
    finally:
        shutil.rmtree(folder)


def _rows(file: Path) -> int:
    return int(arrow().parquet.ParquetFile(file).metadata.num_rows)


def _queries(store: stores.Store, since: date, until: date) -> Dict[str, float]:
    """Seconds of each query over all days, or the days that reports ask it for."""
    names = [name for name, (kind, _) in statements().items() if kind == "query"]
    found = {}
    for name in names:
        began = time.perf_counter()
        _ask(store, name, since, until)
        found[name] = time.perf_counter() - began
    return found


def _ask(store: stores.Store, name: str, since: date, until: date) -> None:
    week = LAST - timedelta(days=LAST.weekday())
    values = {"since": since, "until": until, "first": week - timedelta(days=7), "last": week}
    values.update(name="user001", rule=RULES[0], application="application007")
    if name in SHORT or name in PASSED_ON:
        values["since"] = until - timedelta(days=SHORT.get(name, 30))
    with connected(store) as connection:
        if name == "lateness":
            observations(asked_in_parts(connection, name, **values))
        elif name in PASSED_ON:
            deque(asked_in_parts(connection, name, **values), maxlen=0)
        else:
            (asked_in_columns if name in SHORT else asked)(connection, name, **values)


def queries(path: Path) -> None:
    """Each query in a process of its own: seconds, processor seconds and memory; so the report of a
    month."""
    store = stores.opened(path)
    since, until = LAST - timedelta(days=365), LAST + timedelta(days=1)
    print(f"Load when it began: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.\n")
    print("| query | seconds | processor seconds | memory, GiB |\n|---|---:|---:|---:|", flush=True)
    names = [name for name, (kind, _) in statements().items() if kind == "query"]
    for name in [*names, "report"]:
        began = time.perf_counter()
        child = os.fork()
        if not child:
            if name == "report":
                compose(store, timedelta(days=30))
            else:
                _ask(store, name, since, until)
            os._exit(0)
        _, code, used = os.wait4(child, 0)
        print(
            f"| {name}{' (failed)' if code else ''} | {time.perf_counter() - began:.2f} |"
            f" {used.ru_utime + used.ru_stime:.2f} | {used.ru_maxrss / 2**20:.2f} |",
            flush=True,
        )


class InProcess(Executor):
    """Judges here, so that this process's time is all of it."""

    def submit(self, function: Any, /, *arguments: Any, **named: Any) -> "Future[Any]":
        done: "Future[Any]" = Future()
        done.set_result(function(*arguments, **named))
        return done


def ingest(count: int) -> None:
    """Processor seconds of real profiles of samples/profiles, each made different by a blank."""
    from advisor.cli.fleet import judge
    from advisor.fleet.ingest import Ingest

    folder = Path(tempfile.mkdtemp(prefix="advisor-fleet-"))
    sources = sorted((Path(__file__).resolve().parents[1] / "samples" / "profiles").glob("*.json"))
    try:
        place = folder / "spool" / "2026" / "11" / "22"
        place.mkdir(parents=True)
        for number in range(count):
            content = sources[number % len(sources)].read_bytes() + b" " * number
            (place / f"big.{number}.0.profile").write_bytes(content)
        store = stores.create(folder / "store", False)
        began, used = time.perf_counter(), time.process_time()
        with store.locked():
            now = datetime.now(timezone.utc)
            found = Ingest(folder / "spool", store, judge, InProcess, now).run()
        wall, used = time.perf_counter() - began, time.process_time() - used
        print(
            f"{found.sentence()}: {used / count:.3f} processor seconds each ({wall / count:.3f} s of"
            f" the clock, load {os.getloadavg()[0]:.1f}); 10 000 take {used / count * 1e4 / 3600:.2f}"
            " core hours"
        )
    finally:
        shutil.rmtree(folder)


def simulated(
    rng: np.random.Generator,
    jobs: int,
    slow: Dict[int, float],
    noise: float = 0.02,
    homes: int = 0,
    users: int = 60,
    nodes: int = NODES,
) -> Observations:
    """Jobs of users whose programs are uneven by design: each place has a lateness of its own, and
    rank 0's node more. Noise has heavy tails and differs by user. Nodes are sorted in a job, so
    that low ones get rank 0 more often. `homes`: each user has only so many nodes."""
    sizes = rng.choice([4, 8, 16, 32], users)
    scale = noise * rng.lognormal(0, 0.5, users)
    pattern = [rng.normal(0, 0.05, size) + 0.1 * (np.arange(size) == 0) for size in sizes]
    home = [rng.choice(nodes, homes or nodes, replace=False) for _ in range(users)]
    effect = np.zeros(nodes)
    for node, share in slow.items():
        effect[node] = np.log1p(share)
    parts: List[List[np.ndarray]] = [[], [], [], [], []]
    for job in range(jobs):
        user = int(rng.zipf(1.5)) % users
        host = np.sort(rng.choice(home[user], sizes[user], replace=False))
        late = pattern[user] + effect[host] + rng.standard_t(3, len(host)) * scale[user] / 1.7
        row = (np.full(len(host), job), host, np.full(len(host), user), np.arange(len(host)))
        for part, values in zip(parts, (*row, late - np.median(late))):
            part.append(values)
    of_job, host, user, place, lateness = (np.concatenate(part) for part in parts)
    return Observations(of_job, host, user, user, place, lateness)


def rates(fleets: int) -> None:
    """Months of 1000 nodes: how often a node is named, rightly and wrongly."""
    cases = (
        ("as above", {}),
        ("each user on 120 nodes of his own", {"homes": 120}),
        ("noise of 4 %", {"noise": 0.04}),
        ("noise of 10 %", {"noise": 0.1}),
    )
    print("| fleet | jobs on a node | named of those 5 % slow | of those 3 % slow | wrong nodes |")
    print("|---|---:|---:|---:|---:|")
    for name, more in cases:
        for jobs in (700, 1170, 3000):
            hits, mild, wrong, seen = 0, 0, 0, 0
            for seed in range(fleets):
                rng = np.random.default_rng(seed)
                slow = dict.fromkeys((3, 301, 602, 999), 0.05) | dict.fromkeys((77, 500), 0.03)
                data = simulated(rng, jobs, slow, **more)
                found = {each.host for each in slow_nodes(data)}
                hits += len(found & {3, 301, 602, 999})
                mild += len(found & {77, 500})
                wrong += len(found - set(slow))
                seen += len(data.job)
            print(
                f"| {name} | {seen / fleets / NODES:.0f} | {hits} of {4 * fleets} |"
                f" {mild} of {2 * fleets} | {wrong} in {fleets} months |",
                flush=True,
            )


def looks(fleets: int) -> None:
    """Jobs that a slow node had when it was named first, if somebody looks each time that a node
    has had about one job more."""
    print("| noise | named by its 10th job | by its 20th | by its 30th | wrong nodes |")
    print("|---|---:|---:|---:|---:|")
    late = (3, 301, 602, 999)
    for noise in (0.02, 0.04):
        named: List[int] = []
        wrong = 0
        for seed in range(100, 100 + fleets):
            data = simulated(np.random.default_rng(seed), 2000, dict.fromkeys(late, 0.05), noise)
            first: Dict[int, int] = {}
            for jobs in range(300, 2001, 60):
                part = Observations(*(column[data.job < jobs] for column in data))
                for each in slow_nodes(part):
                    first.setdefault(each.host, each.jobs)
            named += [first.pop(node, 999) for node in late]
            wrong += len(first)
        by = [f"{sum(jobs <= most for jobs in named)} of {len(named)}" for most in (10, 20, 30)]
        print(f"| {noise:.0%} | {' | '.join(by)} | {wrong} in {fleets} fleets |", flush=True)


def main(words: List[str]) -> None:
    """See above."""
    what, rest = words[0], words[1:]
    if what == "make":
        print(make(Path(rest[0]), int(float(rest[1]))))
    elif what == "table":
        growth([int(float(each)) for each in rest])
    elif what == "queries":
        queries(Path(rest[0]))
    elif what == "ingest":
        ingest(int(rest[0]) if rest else 120)
    elif what == "looks":
        looks(int(rest[0]) if rest else 12)
    else:
        rates(int(rest[0]) if rest else 20)


if __name__ == "__main__":
    main(sys.argv[1:])
