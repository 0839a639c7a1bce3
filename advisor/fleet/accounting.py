"""`sacct -P` → what the scheduler knows of a job step: whose it was, how long, on how many nodes.

Only columns that no user can fill are read: a job's name may hold bars and line ends, and so could
forge the row of another job.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Dict, Iterator, List, Mapping, Optional, Tuple

from advisor.base import trusted_files
from advisor.model.errors import UserError

COLUMNS = (
    "Cluster",
    "JobIDRaw",
    "User",
    "Account",
    "Partition",
    "State",
    "ExitCode",
    "Start",
    "End",
    "ElapsedRaw",
    "NNodes",
    "NTasks",
    "AllocCPUS",
    "ConsumedEnergyRaw",
    "NodeList",
)
NEEDED = ("JobIDRaw", "User")
COMMAND = f"TZ=UTC sacct -a -P -S now-2days --format={','.join(COLUMNS)}"
LARGEST = 1 << 30
_IDENTIFIER = re.compile(r"\d{1,12}(\.[A-Za-z0-9_]{1,32})?")
_MOST_COLUMNS_SHOWN = 5


@dataclass(frozen=True)
class Accounted:
    """One job step. Empty or None where Slurm did not say."""

    user: str = ""
    account: str = ""
    partition: str = ""
    state: str = ""
    started: Optional[datetime] = None
    elapsed: Optional[float] = None
    nodes: Optional[int] = None
    energy_raw: Optional[int] = None
    """ConsumedEnergyRaw, as it stands; advisor/base/worth/faults.py says what to believe."""
    energy_of_job: Optional[int] = None
    """The same of the whole job, if the step has a row of its own."""


class Accounting:
    """Steps by cluster, job and step. `rejected`: lines that are none, which are left out."""

    def __init__(self, rows: Mapping[Tuple[str, str], Mapping[str, str]], rejected: int) -> None:
        self._rows, self.rejected = rows, rejected

    def __len__(self) -> int:
        return len(self._rows)

    def step(self, cluster: str, job: str, step: str) -> Optional[Accounted]:
        """What is known of a step: its own row, and that of its job for what only jobs have."""
        whole = self._find(cluster, job)
        if whole is None:
            return None
        known = self._find(cluster, f"{job}.{step}")
        own = known or whole
        return Accounted(
            whole.get("User", ""),
            whole.get("Account", ""),
            whole.get("Partition", ""),
            _state(own.get("State", "")),
            _time(own.get("Start", "")),
            _seconds(own.get("ElapsedRaw", "")),
            _whole(own.get("NNodes", "")),
            _energy(own.get("ConsumedEnergyRaw", "")),
            _energy(whole.get("ConsumedEnergyRaw", "")) if known else None,
        )

    def placed(self) -> "Iterator[Tuple[str, str, str, datetime, datetime]]":
        """Cluster, job, nodes, begin and end of jobs that began; who runs still has no end."""
        never = datetime.max.replace(tzinfo=timezone.utc)
        for (cluster, job), row in self._rows.items():
            begin, hosts = _time(row.get("Start", "")), row.get("NodeList", "")
            if begin and hosts and "." not in job:
                yield cluster, job, hosts, begin, _time(row.get("End", "")) or never

    def _find(self, cluster: str, name: str) -> Optional[Mapping[str, str]]:
        found = self._rows.get((cluster, name))
        return self._rows.get(("", name)) if found is None else found


NOTHING = Accounting({}, 0)


def read(path: Path) -> Accounting:
    """The output of COMMAND, or of fewer of its columns in any order. Raises UserError."""
    try:
        with trusted_files.plain(path, str(path)) as file:
            content = trusted_files.bounded(file, LARGEST, str(path))
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    lines = content.decode("utf-8", "replace").split("\n")
    return _parsed(_heading(lines[0], path), lines[1:])


def _heading(line: str, path: Path) -> List[str]:
    names = line.rstrip("\r").split("|")
    if not set(NEEDED) <= set(names):
        raise UserError(
            f"{path} is not output of sacct -P that names jobs and their users.",
            do=f"Make it with: {COMMAND}",
        )
    others = [name for name in names if name not in COLUMNS]
    if others or len(set(names)) < len(names):
        raise UserError(
            f"{path} has columns that are not read: {', '.join(others[:_MOST_COLUMNS_SHOWN])}.",
            "Users choose what stands in some of them, and could forge rows of others.",
            f"Make it with: {COMMAND}",
        )
    return names


def _parsed(names: List[str], lines: List[str]) -> Accounting:
    rows: Dict[Tuple[str, str], Mapping[str, str]] = {}
    rejected = 0
    for values in _cells(lines):
        row = dict(zip(names, values))
        if len(values) != len(names) or not _IDENTIFIER.fullmatch(row["JobIDRaw"]):
            rejected += 1
            continue
        # Slurm counts job ids anew at some time: the later row is the later job.
        rows[row.get("Cluster", ""), row["JobIDRaw"]] = row
    return Accounting(rows, rejected)


def _cells(lines: List[str]) -> Iterator[List[str]]:
    return (line.rstrip("\r").split("|") for line in lines if line.strip())


def _state(text: str) -> str:
    """Without who cancelled it: "CANCELLED by 1000"."""
    word = text.partition(" ")[0].rstrip("+")
    return word if re.fullmatch(r"[A-Z_]{1,20}", word) else ""


def _time(text: str) -> Optional[datetime]:
    """sacct writes local time without a zone; COMMAND asks for UTC."""
    try:
        found = datetime.strptime(text, "%Y-%m-%dT%H:%M:%S")
    except ValueError:  # Unknown, None
        return None
    return found.replace(tzinfo=timezone.utc)


def _seconds(text: str) -> Optional[float]:
    return float(text) if re.fullmatch(r"\d{1,9}", text) else None


def _whole(text: str) -> Optional[int]:
    return int(text) if re.fullmatch(r"\d{1,9}", text) and int(text) else None


def _energy(text: str) -> Optional[int]:
    return int(text) if re.fullmatch(r"\d{1,20}", text) else None
