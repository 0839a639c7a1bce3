"""Darshan's log as darshan-parser prints it: MPI-IO of all ranks."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Dict, List, Sequence, Tuple

from advisor.intake.foreign.base.operation_names import MIXED, UNSIZED
from advisor.intake.foreign.base.profile_builder import (
    COLLECT,
    Row,
    count,
    number,
    numbered,
    profile,
    table,
)
from advisor.intake.foreign.base.text import lines, words_of
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Gap, Profile, Run, Totals

_FIRST = b"# darshan log version:"
_ROWS = ("MPI-IO\t", "MPIIO\t")
"""Darshan 3 writes the first; the second stands in older converted logs."""
_KINDS = (
    ("INDEP_READS", "File_read", "READ"),
    ("COLL_READS", "File_read_all", "READ"),
    ("NB_READS", "File_iread", "READ"),
    ("SPLIT_READS", "File_read_all_begin", "READ"),
    ("INDEP_WRITES", "File_write", "WRITE"),
    ("COLL_WRITES", "File_write_all", "WRITE"),
    ("NB_WRITES", "File_iwrite", "WRITE"),
    ("SPLIT_WRITES", "File_write_all_begin", "WRITE"),
)
"""Counter of Darshan, the operation that stands for all of its kind, and whose time and bytes it
shares."""
_BYTES = {"READ": "BYTES_READ", "WRITE": "BYTES_WRITTEN"}
_SIZES = tuple(
    f"SIZE_{way}_AGG_{size}"
    for way in _BYTES
    for size in (
        "0_100",
        "100_1K",
        "1K_10K",
        "10K_100K",
        "100K_1M",
        "1M_4M",
        "4M_10M",
        "10M_100M",
        "100M_1G",
        "1G_PLUS",
    )
)
MPIIO = (
    *(
        "INDEP_OPENS",
        "COLL_OPENS",
        "INDEP_READS",
        "INDEP_WRITES",
        "COLL_READS",
        "COLL_WRITES",
        "SPLIT_READS",
        "SPLIT_WRITES",
        "NB_READS",
        "NB_WRITES",
    ),
    *(
        "SYNCS",
        "HINTS",
        "VIEWS",
        "MODE",
        "BYTES_READ",
        "BYTES_WRITTEN",
        "RW_SWITCHES",
        "MAX_READ_TIME_SIZE",
        "MAX_WRITE_TIME_SIZE",
    ),
    *_SIZES,
    *(f"ACCESS{place}_{what}" for what in ("ACCESS", "COUNT") for place in range(1, 5)),
    *("FASTEST_RANK", "FASTEST_RANK_BYTES", "SLOWEST_RANK", "SLOWEST_RANK_BYTES"),
    *(
        f"F_{what}_{end}_TIMESTAMP"
        for end in ("START", "END")
        for what in ("OPEN", "READ", "WRITE", "CLOSE")
    ),
    *("F_READ_TIME", "F_WRITE_TIME", "F_META_TIME", "F_MAX_READ_TIME", "F_MAX_WRITE_TIME"),
    *(
        "F_FASTEST_RANK_TIME",
        "F_SLOWEST_RANK_TIME",
        "F_VARIANCE_RANK_TIME",
        "F_VARIANCE_RANK_BYTES",
    ),
)
"""Counters of a record of MPI-IO in the order of the log: 51 whole numbers, 17 times."""
Facts = Dict[str, str]
Sums = Dict[str, float]


def recognises(data: bytes) -> bool:
    """The first line of darshan-parser."""
    return data.lstrip()[: len(_FIRST)] == _FIRST


def read(data: bytes) -> Profile:
    """Profile of the MPI-IO. Raises Damage."""
    facts, sums = _sums(lines(data))
    return profile_of(facts, sums, b"# *WARNING*: The MPI-IO module" in data)


def profile_of(facts: Facts, sums: Sums, partial: bool) -> Profile:
    """Profile of a job by the names that darshan-parser has for it, and of its MPI-IO; partial:
    some files are missing. Raises Damage."""
    ranks = count(facts.get("nprocs"), "nprocs", 1 << 22)
    elapsed = number(facts.get("run time"), "run time")
    words = words_of(facts.get("exe", ""))
    run = Run(
        words[0],
        tuple(words[1:]),
        started=_started(facts),
        job=facts.get("jobid", "")[:40],
        ranks_expected=ranks,
        collector=_collector(facts),
    )
    tables = {"ranks": numbered(ranks), "calls": table("calls", _calls(sums))}
    gaps = [
        Gap("rank", "Darshan sees files, not what a rank does in MPI", COLLECT),
        Gap(
            "calls outside MPI-IO" if sums else "calls",
            (
                "Darshan sees no MPI calls but those on files"
                if sums
                else "no file was opened through MPI-IO, and Darshan sees no other MPI calls"
            ),
            COLLECT,
        ),
        Gap(
            "files outside MPI-IO", "what Darshan counted of POSIX and STDIO calls is not read", ""
        ),
    ]
    if partial:
        gaps.append(
            Gap(
                "all files",
                "Darshan ran out of memory for records of MPI-IO, so some files are not counted",
                "raise MAX_RECORDS or MODMEM in Darshan's configuration",
            )
        )
    return profile("Darshan", run, tables, (), gaps, Totals(elapsed=elapsed))


def _collector(facts: Facts) -> str:
    """Logs say which library wrote them; what they begin with is the version of their format."""
    return (
        f"Darshan {facts['lib_ver']}"[:40]
        if facts.get("lib_ver")
        else f"Darshan (log format {facts.get('darshan log version', '?')[:8]})"
    )


def _started(facts: Facts) -> str:
    seconds = facts.get("start_time", "")
    return (
        datetime.fromtimestamp(int(seconds[:11]), timezone.utc).isoformat()
        if seconds.isdigit()
        else ""
    )


def _sums(whole: Sequence[str]) -> Tuple[Facts, Sums]:
    """Facts of the head, and counters of the module MPIIO added up over files and ranks."""
    facts: Facts = {}
    sums: Sums = {}
    for line in whole:
        if line.startswith("# ") and ":" in line:
            key, value = line[2:].split(":", 1)
            if key == "metadata":
                key, _, value = value.partition("=")
            facts.setdefault(key.strip(), value.strip())
        elif line.startswith(_ROWS):
            _add(sums, line.split("\t"))
    if "nprocs" not in facts:
        raise Damage("its head does not say how many processes there were")
    return facts, sums


def _add(sums: Sums, cells: List[str]) -> None:
    """Module, rank, record, counter, value, file …; -1 is what was not counted."""
    if len(cells) < 5:
        raise Damage("a line of it breaks off")
    name = cells[3].replace("MPIIO_", "", 1)
    value = cells[4].strip()
    if (
        value.startswith("-")
        or name in ("MODE", "HINTS")
        or "TIMESTAMP" in name
        or "ACCESS" in name
        or "RANK" in name
    ):
        return
    sums[name] = sums.get(name, 0.0) + number(value, name)


def _calls(sums: Sums) -> List[Row]:
    rows = []
    for counter, operation, way in _KINDS:
        # Darshan adds the time of all reads up; only if they are of one kind is it known whose it
        # is.
        alone = sum(1 for other, _, same in _KINDS if same == way and sums.get(other)) == 1
        if sums.get(counter):
            rows.append(
                _row(
                    operation,
                    sums[counter],
                    sums.get(f"F_{way}_TIME", 0.0) if alone else float("nan"),
                    sums.get(_BYTES[way], 0.0) if alone else 0.0,
                    MIXED,
                )
            )
    opens = sums.get("INDEP_OPENS", 0.0) + sums.get("COLL_OPENS", 0.0)
    if opens:
        rows.append(_row("File_open", opens, sums.get("F_META_TIME", 0.0), 0.0, UNSIZED))
    return rows


def _row(operation: str, calls: float, seconds: float, size: float, place: int) -> Row:
    return {
        "rank": -1,
        "operation": operation,
        "class": "",
        "bin": place,
        "count": int(calls),
        "time": seconds,
        "bytes": int(size),
    }
