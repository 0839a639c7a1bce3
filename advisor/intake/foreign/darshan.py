"""Darshan's log as darshan-parser prints it: MPI-IO of all ranks."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Dict, List, Sequence, Tuple

from advisor.intake.damage import Damage
from advisor.intake.foreign.making import COLLECT, Row, count, number, profile, table
from advisor.intake.foreign.operations import MIXED, UNSIZED
from advisor.intake.foreign.text import lines, words_of
from advisor.model.profile import Gap, Profile, Run, Totals

_FIRST = b"# darshan log version:"
_BINARY = (b"\x1f\x8b", b"BZh")
_KINDS = (
    ("INDEP_READS", "File_read", "READ"), ("COLL_READS", "File_read_all", "READ"), ("NB_READS", "File_iread", "READ"), ("SPLIT_READS", "File_read_all_begin", "READ"),
    ("INDEP_WRITES", "File_write", "WRITE"), ("COLL_WRITES", "File_write_all", "WRITE"), ("NB_WRITES", "File_iwrite", "WRITE"), ("SPLIT_WRITES", "File_write_all_begin", "WRITE"),
)
"""Counter of Darshan, the operation that stands for all of its kind, and whose time and bytes it shares."""
_BYTES = {"READ": "BYTES_READ", "WRITE": "BYTES_WRITTEN"}


def recognises(data: bytes) -> bool:
    """The first line of darshan-parser."""
    return data.lstrip()[: len(_FIRST)] == _FIRST


def read(data: bytes) -> Profile:
    """Profile of the MPI-IO. Raises Damage."""
    facts, sums = _sums(lines(data))
    ranks = count(facts.get("nprocs"), "nprocs", 1 << 22)
    elapsed = number(facts.get("run time"), "run time")
    words = words_of(facts.get("exe", ""))
    run = Run(words[0], tuple(words[1:]), started=_started(facts), job=facts.get("jobid", "")[:40], ranks_expected=ranks, collector=f"Darshan {facts.get('darshan log version', '')}"[:40])
    tables = {"ranks": table("ranks", [{"rank": each} for each in range(ranks)]), "calls": table("calls", _calls(sums))}
    gaps = [
        Gap("rank", "Darshan sees files, not what a rank does in MPI", COLLECT),
        Gap("calls outside MPI-IO" if sums else "calls", "Darshan sees no MPI calls but those on files" if sums else "no file was opened through MPI-IO, and Darshan sees no other MPI calls", COLLECT),
        Gap("files outside MPI-IO", "what Darshan counted of POSIX and STDIO calls is not read", ""),
    ]
    return profile("Darshan", run, tables, (), gaps, Totals(elapsed=elapsed))


def _started(facts: Dict[str, str]) -> str:
    seconds = facts.get("start_time", "")
    return datetime.fromtimestamp(int(seconds[:11]), timezone.utc).isoformat() if seconds.isdigit() else ""


def _sums(whole: Sequence[str]) -> Tuple[Dict[str, str], Dict[str, float]]:
    """Facts of the head, and counters of the module MPIIO added up over files and ranks."""
    facts: Dict[str, str] = {}
    sums: Dict[str, float] = {}
    for line in whole:
        if line.startswith("# ") and ":" in line:
            key, value = line[2:].split(":", 1)
            facts.setdefault(key.strip(), value.strip())
        elif line.startswith("MPIIO\tMPIIO_") or line.startswith("MPIIO\t"):
            _add(sums, line.split("\t"))
    if "nprocs" not in facts:
        raise Damage("its head does not say how many processes there were")
    return facts, sums


def _add(sums: Dict[str, float], cells: List[str]) -> None:
    """Module, rank, record, counter, value, file …; -1 is what was not counted."""
    if len(cells) < 5:
        raise Damage("a line of it breaks off")
    name = cells[3].replace("MPIIO_", "", 1)
    value = cells[4].strip()
    if value.startswith("-") or name in ("MODE", "HINTS") or "TIMESTAMP" in name or "ACCESS" in name or "RANK" in name:
        return
    sums[name] = sums.get(name, 0.0) + number(value, name)


def _calls(sums: Dict[str, float]) -> List[Row]:
    rows = []
    for counter, operation, way in _KINDS:
        # Darshan adds the time of all reads up; only if they are of one kind is it known whose it is.
        alone = sum(1 for other, _, same in _KINDS if same == way and sums.get(other)) == 1
        if sums.get(counter):
            rows.append(_row(operation, sums[counter], sums.get(f"F_{way}_TIME", 0.0) if alone else float("nan"), sums.get(_BYTES[way], 0.0) if alone else 0.0, MIXED))
    opens = sums.get("INDEP_OPENS", 0.0) + sums.get("COLL_OPENS", 0.0)
    if opens:
        rows.append(_row("File_open", opens, sums.get("F_META_TIME", 0.0), 0.0, UNSIZED))
    return rows


def _row(operation: str, calls: float, seconds: float, size: float, place: int) -> Row:
    return {"rank": -1, "operation": operation, "class": "", "bin": place, "count": int(calls), "time": seconds, "bytes": int(size)}
