"""Joules of a job step: EAR's where it has them, else Slurm's, each only if it can be true."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from advisor.base import trusted_files
from advisor.base.worth.faults import Energy, believed, doubtful, of_slurm
from advisor.base.worth.site import MOST_WATTS
from advisor.fleet.accounting import NOTHING, Accounting
from advisor.fleet.spool import Found
from advisor.model.errors import UserError

EAR, SLURM = "EAR", "Slurm's ConsumedEnergy"
_LARGEST = 1 << 28
_STEP = re.compile(r"(\d{1,12})-(\w{1,16})")
_UNLIKE = 0.1
"""By which energy may differ from power times time times nodes in a row of EAR's."""
_MOST_HOSTS = 100_000


class Read(NamedTuple):
    """A row of EAR's. `fits`: its columns say the same twice."""

    joules: float
    seconds: float
    nodes: float
    fits: bool


@dataclass(frozen=True)
class Metering:
    """All that is known of energy. `most_watts`: of a node; more is a fault."""

    accounting: Accounting = NOTHING
    ear: Mapping[Tuple[str, str], Read] = field(default_factory=dict)
    most_watts: float = MOST_WATTS

    def energy(self, found: Found) -> Energy:
        """Of the step that a profile is of."""
        known = self.ear.get((found.job, found.step))
        if known:
            if not known.fits:
                return doubtful(EAR, "its energy is not its power times its time")
            return believed(EAR, known.joules, known.seconds, known.nodes, self.most_watts)
        return self._of_slurm(found)

    def _of_slurm(self, found: Found) -> Energy:
        step = self.accounting.step(found.cluster, found.job, found.step)
        if step is None or step.energy_raw is None:
            return Energy(SLURM)
        joules, fault = of_slurm(step.energy_raw)
        if fault or joules is None:
            return Energy(SLURM, fault=fault)
        if step.energy_of_job and joules > 1.05 * step.energy_of_job:
            return doubtful(SLURM, "the step took more than its job")
        if self._shared(found):
            return doubtful(SLURM, "other jobs were on its nodes, whose energy is in it")
        return believed(SLURM, joules, step.elapsed or 0.0, step.nodes or 0, self.most_watts)

    def _shared(self, found: Found) -> bool:
        own = [
            each for each in self._jobs if each.cluster == found.cluster and each.job == found.job
        ]
        return any(
            other is not job and other.begin < job.end and job.begin < other.end
            for job in own
            for host in job.hosts
            for other in self._on[host]
        )

    @cached_property
    def _jobs(self) -> "List[_Job]":
        return list(_jobs(self.accounting))

    @cached_property
    def _on(self) -> "Mapping[str, List[_Job]]":
        found: Dict[str, List[_Job]] = defaultdict(list)
        for job in self._jobs:
            for host in job.hosts:
                found[host].append(job)
        return found


@dataclass(frozen=True, eq=False)
class _Job:
    cluster: str
    job: str
    hosts: Tuple[str, ...]
    begin: datetime
    end: datetime


def _jobs(accounting: Accounting) -> Iterator[_Job]:
    for cluster, job, hosts, begin, end in accounting.placed():
        yield _Job(cluster, job, tuple(_expanded(hosts)), begin, end)


def _expanded(text: str) -> Iterator[str]:
    """Slurm's "n[001-003,7],login" → names. What is no such list is a name of its own."""
    for part in re.findall(r"[^,\[]+(?:\[[0-9,-]*\][^,\[]*)*", text):
        match = re.fullmatch(r"([^\[]*)\[([0-9,-]+)\]([^\[]*)", part)
        if match is None:
            yield part
            continue
        for item in match[2].split(","):
            first, _, last = item.partition("-")
            last = last or first
            if first.isdigit() and last.isdigit() and int(last) - int(first) < _MOST_HOSTS:
                for number in range(int(first), int(last) + 1):
                    yield f"{match[1]}{number:0{len(first)}d}{match[3]}"


def read_ear(path: Path) -> Mapping[Tuple[str, str], Read]:
    """What eacct prints, a step a line. Raises UserError.

    Users name applications, and blanks in a name move all columns behind it: such rows are left
    out, and so are steps that have two.
    """
    try:
        with trusted_files.plain(path, str(path)) as file:
            content = trusted_files.bounded(file, _LARGEST, str(path)).decode("utf-8", "replace")
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    lines = content.split("\n")
    heading = lines[0].split()
    wanted = ("JOB-STEP", "NODES", "TIME(s)", "POWER(W)", "ENERGY(J)")
    if not set(wanted) <= set(heading):
        raise UserError(
            f"{path} is not what EAR's eacct prints.", do=f"Its heading has {', '.join(wanted)}."
        )
    places = [heading.index(name) for name in wanted]
    found: Dict[Tuple[str, str], Optional[Read]] = {}
    for key, row in filter(None, (_ear_row(line.split(), places) for line in lines[1:])):
        found[key] = None if key in found else row
    return {key: row for key, row in found.items() if row}


def _ear_row(cells: List[str], places: List[int]) -> "Optional[Tuple[Tuple[str, str], Read]]":
    if len(cells) <= max(places):
        return None
    name, *numbers = (cells[place] for place in places)
    match = _STEP.fullmatch(name)
    try:
        nodes, seconds, watts, joules = map(float, numbers)
    except ValueError:
        return None
    if not match or not min(nodes, seconds, watts, joules) > 0:
        return None
    fits = abs(joules / (nodes * seconds * watts) - 1) <= _UNLIKE
    return (match[1], match[2]), Read(joules, seconds, nodes, fits)
