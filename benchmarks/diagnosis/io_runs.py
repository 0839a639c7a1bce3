#!/usr/bin/env python3
"""Files instead of messages: logs of Darshan, as darshan-parser prints them, with one planted fault
each, for advisor and for the thresholds of Drishti.

    python benchmarks/diagnosis/io_runs.py [--tool drishti] [--seeds 9] [--list]
    python benchmarks/diagnosis/io_runs.py --write FOLDER
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Callable, Dict, Iterator, List, NamedTuple, Tuple

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1]), str(HERE)]

from answers import Answer, Judged, line, sums, table, verdict  # noqa: E402
from labelled_cases import Case  # noqa: E402
from programs import Made  # noqa: E402
from simulator import Machine  # noqa: E402
from tools import THRESHOLDS, Advisor  # noqa: E402

MIB = 1 << 20


class Log(NamedTuple):
    """Sums over all ranks and files; `kind`: INDEP or COLL; `size`: bytes of each request."""

    label: str
    ranks: int
    elapsed: float
    kind: str
    requests: int
    size: int
    seconds: float
    opens: int
    meta: float


def _log(random: Random, label: str, kind: str, requests: int, size: int, share: float) -> Log:
    ranks, elapsed = random.choice([16, 64, 128]), random.uniform(200, 900)
    busy = share * elapsed * ranks
    return Log(label, ranks, elapsed, kind, requests * ranks, size, busy, ranks, 0.002 * busy)


def small_requests(random: Random) -> Log:
    """Each rank writes records of some kilobytes for itself."""
    size, share = random.choice([512, 4096, 47_008]), random.uniform(0.1, 0.4)
    return _log(random, "small file requests", "INDEP", random.randrange(2000, 20_000), size, share)


def requests_alone(random: Random) -> Log:
    """Large pieces of a common file, which each rank writes without the others."""
    size, share = random.choice([2, 4, 8]) * MIB, random.uniform(0.1, 0.4)
    return _log(random, "independent file access", "INDEP", random.randrange(200, 900), size, share)


def many_files(random: Random) -> Log:
    """A file opened and closed for every record."""
    log = _log(random, "files opened often", "COLL", random.randrange(200, 500), 4 * MIB, 0.01)
    opens = random.randrange(300, 3000) * log.ranks
    return log._replace(opens=opens, meta=random.uniform(0.1, 0.3) * log.elapsed * log.ranks)


def healthy_collective(random: Random) -> Log:
    """Few large collective calls, which take little time."""
    return _log(random, "healthy", "COLL", random.randrange(10, 50), 16 * MIB, 0.015)


def healthy_small(random: Random) -> Log:
    """Thousands of small records that take next to no time: a log file."""
    return _log(random, "healthy", "INDEP", random.randrange(200, 400), 200, 0.001)


FAMILIES: Dict[str, Callable[[Random], Log]] = {
    each.__name__: each
    for each in (small_requests, requests_alone, many_files, healthy_collective, healthy_small)
}


def darshan(log: Log) -> str:
    """What darshan-parser prints of it."""
    whole = log.requests * log.size
    counters = {
        "INDEP_OPENS": log.opens if log.kind == "INDEP" else 0,
        "COLL_OPENS": log.opens if log.kind == "COLL" else 0,
        "INDEP_READS": 0,
        "INDEP_WRITES": log.requests if log.kind == "INDEP" else 0,
        "COLL_READS": 0,
        "COLL_WRITES": log.requests if log.kind == "COLL" else 0,
        "BYTES_READ": 0,
        "BYTES_WRITTEN": whole,
        "F_READ_TIME": "0.000000",
        "F_WRITE_TIME": f"{log.seconds:.6f}",
        "F_META_TIME": f"{log.meta:.6f}",
    }
    head = [
        "# darshan log version: 3.41",
        "# exe: ./program",
        f"# nprocs: {log.ranks}",
        f"# run time: {log.elapsed:.4f}",
        "# metadata: lib_ver = 3.4.4",
        "#<module>\t<rank>\t<record id>\t<counter>\t<value>\t<file name>\t<mount pt>\t<fs type>",
    ]
    rows = [
        f"MPI-IO\t-1\t11\tMPIIO_{name}\t{value}\t/out\t/\tlustre"
        for name, value in counters.items()
    ]
    return "\n".join([*head, *rows]) + "\n"


def drishti(log: Log) -> Answer:
    """Drishti's insights above a warning, of what these logs hold; the graver ones first."""
    limits, labels = THRESHOLDS["drishti"], []
    if log.size < limits["small_bytes"] and log.requests > limits["absolute"]:
        labels.append("small file requests")
    if log.kind == "INDEP" and log.requests > limits["absolute"]:
        labels.append("independent file access")
    if log.meta / log.ranks > limits["metadata_seconds"]:
        labels.append("files opened often")
    return Answer(tuple(labels), None, tuple(labels))


def advisor(asked: Advisor, log: Log) -> Answer:
    """What a report of the log says."""
    from advisor.analysis.measure import measure
    from advisor.intake.read import read

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "darshan.txt"
        file.write_text(darshan(log))
        return asked(measure(read(file)))


def logs(seeds: int) -> Iterator[Tuple[str, Log]]:
    """All of them."""
    for family, make in FAMILIES.items():
        for seed in range(seeds):
            yield f"{family}/{seed}", make(Random(f"{family}/{seed}"))


def judged(tool: str, seeds: int) -> Iterator[Judged]:
    """Each log with what is said of it. What the fault costs is the time of its calls."""
    asked = Advisor() if tool == "advisor" else None
    for name, log in logs(seeds):
        said = advisor(asked, log) if asked else drishti(log)
        made = Made(log.label, Machine((0,) * log.ranks), [], [])
        cost = (log.seconds + log.meta) / log.ranks / log.elapsed
        case = Case(name, made, [], cost)
        yield case, said._replace(ceiling=None), verdict(case, said._replace(ceiling=None))


def main() -> None:
    """See above."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tool", choices=("advisor", "drishti"), default="advisor")
    parser.add_argument("--seeds", type=int, default=9)
    parser.add_argument("--list", action="store_true", help="each log with its answer")
    parser.add_argument("--write", type=Path, help="write the logs, and ask nobody")
    chosen = parser.parse_args()
    if chosen.write:
        chosen.write.mkdir(parents=True, exist_ok=True)
        for name, log in logs(chosen.seeds):
            (chosen.write / f"{name.replace('/', '.')}.txt").write_text(darshan(log))
        return
    rows: Dict[str, List[Judged]] = {}
    for each in judged(chosen.tool, chosen.seeds):
        rows.setdefault(each[0].name.partition("/")[0], []).append(each)
        if chosen.list:
            print(line(*each))
    print(table(rows))
    print()
    print(sums([each for found in rows.values() for each in found]))


if __name__ == "__main__":
    main()
