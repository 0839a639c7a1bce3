"""Whose a job was, when and how large: what is believed of a profile that a stranger wrote.

The owner of the file says whose it is, and the scheduler what it used. Where there is no row of the
scheduler's, size and time are the profile's own claims within what is possible at all.
"""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, List, Mapping, Optional, Tuple

from advisor.fleet.accounting import Accounted, Accounting
from advisor.fleet.energy import Metering
from advisor.fleet.pseudonyms import Pseudonyms
from advisor.fleet.rows import Judged
from advisor.fleet.spool import Found, Refused

_SLACK_SECONDS, _SLACK_SHARE = 60.0, 1.05
"""By which a profile may be longer than its step: clocks differ, and a step is written in whole
seconds."""
_LONGEST_SECONDS = 366 * 86_400.0
_MOST_NODES, _MOST_RANKS = 100_000, 100_000_000
_EARLIEST = datetime(2000, 1, 1, tzinfo=timezone.utc)
_TO_COME = timedelta(days=1)
"""Of a beginning after now: clocks of nodes may be ahead."""


class Early(Exception):
    """The scheduler's database has no row yet: it is asked again next time."""


@dataclass(frozen=True)
class Identity:
    """What rows of all tables begin with, and what only `jobs` has."""

    key: Mapping[str, Any]
    job: Mapping[str, Any]

    def rows(self, judged: Judged, pseudonyms: Pseudonyms) -> Dict[str, List[Dict[str, Any]]]:
        """Rows of all tables."""
        per_second = (self.job.get("nodes") or 0) / 3600
        tables = {name: [{**self.key, **row} for row in rows] for name, rows in judged.rows.items()}
        for row in tables.get("findings", ()):
            for ending in ("", "_low", "_high"):
                row["lost" + ending] = (row["owned" + ending] or 0.0) * per_second
            for ending in ("_low", "_high"):
                row["recoverable" + ending] = (row.get("returned" + ending) or 0.0) * per_second
            row["recoverable"] = (row["recoverable_low"] + row["recoverable_high"]) / 2
            row["watts"] = self.job.get("watts")
        for row in tables.get("operations", ()):
            row["node_hours"] = row["seconds"] * per_second
        for row in tables.get("settings", ()):
            row["value"] = pseudonyms.value(row["value"])
        for row in tables.get("verified", ()):
            pairs = (each.partition("=") for each in row["settings"].split())
            row["settings"] = " ".join(f"{name}={pseudonyms.value(of)}" for name, _, of in pairs)
        lost = {
            name: sum(row[name] for row in tables.get("findings", ()))
            for name in (
                *("lost", "lost_low", "lost_high"),
                *("recoverable", "recoverable_low", "recoverable_high"),
            )
        }
        tables["jobs"] = [{**self.key, **self.job, **lost}] if judged.job else []
        return tables


@dataclass(frozen=True)
class Identifying:
    """What identities are made from. `now`: when this ingest began. `patience`: seconds that a job
    waits for its row."""

    accounting: Accounting
    pseudonyms: Pseudonyms
    now: datetime
    patience: float
    metering: Metering = Metering()

    def identity(self, digest: str, found: Found, judged: Judged) -> Identity:
        """Raises Refused for what cannot be true, Early."""
        step = self.accounting.step(found.cluster, found.job, found.step)
        age = self.now.timestamp() - found.modified
        if step is None and len(self.accounting) and 0 <= age < self.patience:
            raise Early
        user = _user(found, step)
        started, source = self._started(found, judged, step)
        size = _size(judged, step)
        name, job = self.pseudonyms.name, judged.job
        energy = self.metering.energy(found)
        program = name("program", job.get("program", ""))
        recognised = job.get("application") != job.get("program")
        key = {
            "profile": digest,
            "day": started.date(),
            "week": started.date() - timedelta(days=started.weekday()),
            "cluster": found.cluster,
            "job": found.job,
            "step": found.step,
            "user_name": name("user", user),
            "account": name("account", step.account if step else ""),
            "application": job.get("application", "") if recognised else program,
        }
        more = {
            **job,
            **size,
            "program": program,
            "application": key["application"],
            "partition_name": step.partition if step else "",
            "state": step.state if step else "",
            "energy": energy.joules,
            "energy_source": energy.source if energy.joules or energy.fault else "",
            "energy_fault": energy.fault,
            "watts": energy.watts,
            "started": started.replace(tzinfo=None),
            "started_from": source,
            "judged": self.now.replace(tzinfo=None),
        }
        return Identity(key, more)

    def _started(
        self, found: Found, judged: Judged, step: Optional[Accounted]
    ) -> Tuple[datetime, str]:
        if step and step.started:
            return step.started, "sacct"
        if judged.started and _EARLIEST <= judged.started <= self.now + _TO_COME:
            return judged.started, "profile"
        # A clock that jumped, or a profile that lies: when the file was written, as far as possible
        written = min(max(found.modified, _EARLIEST.timestamp()), self.now.timestamp())
        return datetime.fromtimestamp(written, timezone.utc), "file"


def _user(found: Found, step: Optional[Accounted]) -> str:
    """The file's owner. What root or the account of the ingest put there, the centre did: then
    Slurm says whose it is."""
    owner = _name(found.owner)
    if step is None or not step.user or step.user == owner:
        return owner
    if found.owner in (0, os.geteuid()):
        return step.user
    raise Refused(f"It belongs to {owner}, but job {found.job} is of {step.user}.")


def _name(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def _size(judged: Judged, step: Optional[Accounted]) -> Dict[str, Any]:
    """Nodes, ranks and time. Raises Refused."""
    job = judged.job
    if not job:
        return {}
    elapsed, ranks = job["elapsed"], job["ranks"]
    nodes = (step.nodes if step else None) or job["nodes"] or 1
    most = _LONGEST_SECONDS
    if step and step.elapsed is not None:
        most = min(most, _SLACK_SECONDS + _SLACK_SHARE * step.elapsed)
    if elapsed is None:
        raise Refused("It does not say how long the run took.")
    if not 0 <= elapsed <= most:
        raise Refused(f"It says that the run took {elapsed:.6g} s; at most {most:.6g} s can be.")
    if not 0 < nodes <= _MOST_NODES or not 0 <= (ranks or 0) <= _MOST_RANKS:
        raise Refused(f"It says that the run had {nodes} nodes and {ranks} ranks.")
    return {"nodes": nodes, "ranks": ranks, "node_hours": elapsed * nodes / 3600}
