"""One judged job as rows of the tables, without whose it was: that the profile must not say."""

from __future__ import annotations

import hashlib
import math
import os
import re
from dataclasses import dataclass, field
from datetime import datetime, timezone
from typing import Any, Dict, List, Mapping, Optional, Sequence

import numpy as np

from advisor import __version__
from advisor.fleet.owned import owned
from advisor.model.finding import Advice, Finding, Verdict
from advisor.model.harmless import visible
from advisor.model.measures import Measures, Table
from advisor.model.verified import Verified

LONGEST = 200
"""Characters of a text of a profile."""
MOST_OPERATIONS, MOST_SETTINGS, MOST_HOSTS = 12, 50, 20_000
_ASKING = re.compile(r"(?i)test|probe")
LEAST_HOSTS = 3
"""Of the same processor: of two, nobody can say which is the slow one."""


@dataclass(frozen=True)
class Judged:
    """Rows of one profile by table; `jobs` has exactly one. `started`: as the profile says."""

    job: Mapping[str, Any]
    started: Optional[datetime]
    rows: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)


def rows(advice: Advice, first: Optional[Finding] = None) -> Judged:
    """All that the store keeps of one profile. `first`: the finding that its reports name first."""
    measures = advice.measures
    run = measures.tables["run"].row(0)
    job = _job(advice, run)
    found = {
        "findings": _findings(advice, job, first),
        "operations": _operations(measures)[:MOST_OPERATIONS],
        "settings": _settings(measures),
        "hosts": _hosts(measures),
    }
    return Judged(job, _started(measures.profile.run.started), found)


def verified_rows(found: Sequence[Verified]) -> List[Dict[str, Any]]:
    """What runs of a user's command said of changes."""
    return [
        {
            "name": text(each.name),
            "rules": text(" ".join(each.rules)),
            "verdict": each.verdict,
            "pairs": whole(each.pairs),
            "effect": number(each.effect),
            "effect_low": number(each.low),
            "effect_high": number(each.high),
            "saved_seconds": _saved(each),
            "settings": text(" ".join(f"{name}={value}" for name, value in each.settings.items())),
        }
        for each in found
    ]


def work(operations: Sequence[Mapping[str, Any]]) -> str:
    """The same for runs with the same input, as far as MPI shows it: how often each operation was
    called, but for those that ask again and again, to two digits."""
    counted = [
        f"{row['operation']} {row['calls']:.1e}"
        for row in operations
        if row["calls"] and not _ASKING.search(row["operation"])
    ]
    return hashlib.sha256("\n".join(sorted(counted)).encode()).hexdigest()[:12] if counted else ""


def text(value: Any) -> str:
    """A text of a stranger, bounded and harmless for a terminal."""
    return visible(str(value or "")[:LONGEST])[:LONGEST]


def number(value: Any) -> Optional[float]:
    """A finite number, or None."""
    return None if value is None or not math.isfinite(float(value)) else float(value)


def whole(value: Any) -> Optional[int]:
    """A finite number as an integer that 64 bits hold, or None."""
    found = number(value)
    return None if found is None or abs(found) >= 2**62 else int(found)


def _job(advice: Advice, run: Mapping[str, Any]) -> Dict[str, Any]:
    profile = advice.measures.profile
    program = text(os.path.basename(run["program"] or ""))
    application = text(profile.application.name) if profile.application else program
    elapsed = number(run["time"])
    return {
        "program": program,
        "application": application or "unknown",
        "library": text(profile.library.name),
        "library_version": text(profile.library.version),
        "exit_code": whole(run["exit_code"]),
        "ranks": whole(run["ranks"]),
        "nodes": whole(run["nodes"]),
        "elapsed": elapsed,
        **{
            name: number(run[name])
            for name in (
                "mpi_share",
                "wait_share",
                "transfer_share",
                "load_balance",
                "parallel_efficiency",
            )
        },
        "work": work(_operations(advice.measures)),
        "findings": len(advice.findings),
        "unchecked_rules": sum(silence.verdict is Verdict.UNKNOWN for silence in advice.silences),
        "advisor": __version__,
    }


def _findings(
    advice: Advice, job: Mapping[str, Any], first: Optional[Finding]
) -> List[Dict[str, Any]]:
    return [
        {
            "library": job["library"],
            "library_version": job["library_version"],
            "rule": text(finding.rule),
            "title": text(finding.title),
            "place": place,
            "state": finding.state.value,
            "severity": finding.severity,
            "confidence": finding.confidence,
            "basis": part.basis,
            "owned": number(part.seconds),
            "owned_low": number(part.low),
            "owned_high": number(part.high),
            "returned_low": number(part.returned_low),
            "returned_high": number(part.returned_high),
            "saved_low": number(finding.saving.low) if finding.saving else None,
            "saved_high": number(finding.saving.high) if finding.saving else None,
        }
        for place, (finding, part) in enumerate(zip(advice.findings, owned(advice, first)))
    ]


def _operations(measures: Measures) -> List[Dict[str, Any]]:
    """All of them, the longest first."""
    found: List[Dict[str, Any]] = [
        {
            "operation": text(row["name"]),
            "calls": number(row["calls"]),
            "bytes": number(row["bytes"]),
            "seconds": number(row["time"]) or 0.0,
            "wait_seconds": number(row["wait"]),
        }
        for row in _rows(measures.tables.get("operation"))
    ]
    return sorted(found, key=lambda row: -row["seconds"])


def _settings(measures: Measures) -> List[Dict[str, Any]]:
    """What somebody chose. Control variables of the library, of which there are hundreds, are
    mostly as they came with it."""
    chosen = [each for each in measures.profile.settings if each.source != "mpi_t"]
    return [
        {"name": text(each.name), "value": text(each.value), "source": text(each.source)}
        for each in chosen[:MOST_SETTINGS]
    ]


def _hosts(measures: Measures) -> List[Dict[str, Any]]:
    """Hosts in the order of their lowest ranks, each with how late its ranks were among those of
    the same processor."""
    table = measures.tables.get("rank")
    if table is None or not len(table):
        return []
    names = np.array([text(each) for each in table.columns["node"].values], dtype=object)
    ids = np.asarray(table.columns["id"].values, dtype=float)
    outside = np.asarray(table.columns["outside_time"].values, dtype=float)
    processors = {text(row["name"]): text(row["cpu"]) for row in _rows(measures.tables.get("node"))}
    order = sorted(set(names) - {""}, key=lambda name: np.nanmin(ids[names == name]))
    medians = {name: _median(outside[names == name]) for name in order[:MOST_HOSTS]}
    return [
        {
            "host": name,
            "processor": processors.get(name, ""),
            "place": place,
            "hosts": len(order),
            "ranks": int((names == name).sum()),
            "outside": medians[name],
            "lateness": _lateness(name, medians, processors),
        }
        for place, name in enumerate(medians)
    ]


def _lateness(
    name: str, medians: Mapping[str, Optional[float]], processors: Mapping[str, str]
) -> Optional[float]:
    own = medians[name]
    alike = [
        value
        for other, value in medians.items()
        if value and processors.get(other) == processors.get(name)
    ]
    if not own or len(alike) < LEAST_HOSTS:
        return None
    return math.log(own / float(np.median(alike)))


def _median(values: np.ndarray) -> Optional[float]:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else None


def _rows(table: Optional[Table]) -> List[Mapping[str, Any]]:
    return [] if table is None else [table.row(index) for index in range(len(table))]


def _started(written: str) -> Optional[datetime]:
    """The profile's own word for when it began, in UTC."""
    try:
        found = datetime.fromisoformat(written.replace("Z", "+00:00"))
        return found.astimezone(timezone.utc)
    except (ValueError, OverflowError):
        return None


def _saved(verified: Verified) -> Optional[float]:
    if verified.baseline is None or verified.variant is None:
        return None
    return number(verified.baseline - verified.variant)
