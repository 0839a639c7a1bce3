"""The text report of Intel's Application Performance Snapshot: aps --report=FOLDER."""

from __future__ import annotations

import re
from typing import Dict, List, Optional, Tuple

from advisor.intake.foreign.base.operation_names import LIFECYCLE, operation_of
from advisor.intake.foreign.base.profile_builder import (
    COLLECT,
    Row,
    count,
    number,
    numbered,
    profile,
    table,
)
from advisor.intake.foreign.base.text import lines, moment
from advisor.intake.untrusted.damage import Damage
from advisor.model.profile import Gap, Profile, Run, Totals

_BEGIN = re.compile(rb"^\| ?Summary information", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z][\w /*.()-]*")
_FUNCTION = re.compile(r" +([A-Z]\w*) +([0-9][0-9.]* sec) +\( *[0-9.]+ *%\)")
"""Until 2021, functions were listed without MPI_ and colon."""
_SECONDS = re.compile(r"([0-9][0-9.,]*) *s(?:ec)?(?:onds)?\b")
_FIVE = "APS lists the five functions with the most time"
NO_IMBALANCE = Gap(
    "waits", "APS measured no imbalance", "run with APS_IMBALANCE_TYPE=1, or " + COLLECT
)
Facts = Dict[str, str]


def recognises(data: bytes) -> bool:
    """The head of the report anywhere: it is often kept among a job's output."""
    begin = _BEGIN.search(data)
    return (
        begin is not None and b"elapsed time" in data[begin.start() : begin.start() + 65536].lower()
    )


def read(data: bytes) -> Profile:
    """Profile of the first report. Raises Damage."""
    facts, functions = _facts(data)
    return profile_of(facts, functions)


def profile_of(facts: Facts, functions: Dict[str, float]) -> Profile:
    """Profile of a report's facts, by their names in the text, and of the mean seconds of the
    functions listed. Raises Damage."""
    if "Number of ranks" not in facts or "MPI Time" not in facts:
        raise Damage("this report of APS is of a program without MPI")
    ranks = count(facts["Number of ranks"], "Number of ranks", 1 << 22)
    calls: List[Row] = [
        {"rank": -1, "operation": name, "time": seconds * ranks}
        for name, seconds in functions.items()
        if name not in LIFECYCLE
    ]
    tables = {"ranks": numbered(ranks), "calls": table("calls", calls)}
    run = Run(
        facts.get("Application", "")[:200],
        started=started(facts),
        ranks_expected=ranks,
        collector="APS",
    )
    return profile("APS", run, tables, (), _gaps(facts, bool(calls)), _totals(facts, functions))


def _facts(data: bytes) -> Tuple[Facts, Dict[str, float]]:
    """Lines of the report by name, and mean seconds of the functions listed."""
    facts: Facts = {}
    functions: Dict[str, float] = {}
    begin = _BEGIN.search(data)
    for line in lines(data[begin.start() if begin else 0 :]):
        bare = _FUNCTION.match(line)
        name, value = bare.groups() if bare else _named(line)
        if not value:
            continue
        operation, seconds = operation_of("MPI_" * bool(bare) + name), _seconds(value)
        if operation and seconds is not None:
            functions.setdefault(operation, seconds)
        facts.setdefault(name.replace("Elapsed time", "Elapsed Time"), value)
    return facts, functions


def _named(line: str) -> Tuple[str, str]:
    """Name and value of an indented line "name: value"; empty if it is none."""
    name, _, value = line.strip().partition(": ")
    name = name.rstrip()
    return (name, value.strip()) if line[:1] == " " and _NAME.fullmatch(name) else ("", "")


def _seconds(text: Optional[str]) -> Optional[float]:
    match = _SECONDS.match(text or "")
    return number(match.group(1), "a time") if match else None


def started(facts: Facts) -> str:
    """When the report was made: when the run began is not in it."""
    return moment(facts.get("Report creation date", ""), "%Y-%m-%d %H:%M:%S")


def imbalance(facts: Facts) -> Optional[float]:
    """Mean seconds that a rank waited for others, as APS estimates it; None if it did not."""
    return _seconds(facts.get("MPI Imbalance"))


def _totals(facts: Facts, functions: Dict[str, float]) -> Totals:
    """Means over ranks. APS counts MPI_Init in MPI time and in elapsed time."""
    elapsed, mpi = _seconds(facts.get("Elapsed Time")), _seconds(facts["MPI Time"])
    if elapsed is None or mpi is None:
        raise Damage("its Elapsed Time or MPI Time is no time")
    start = sum(seconds for name, seconds in functions.items() if name in LIFECYCLE)
    return Totals(max(0.0, elapsed - start), max(0.0, mpi - start), imbalance(facts))


def _gaps(facts: Facts, listed: bool) -> List[Gap]:
    gaps = [Gap("rank", "this report of APS holds means over ranks", COLLECT)]
    if listed:
        gaps.append(
            Gap("calls", _FIVE, "aps-report -a --format csv FOLDER lists all; or " + COLLECT)
        )
    if imbalance(facts) is None:
        gaps.append(NO_IMBALANCE)
    return gaps
