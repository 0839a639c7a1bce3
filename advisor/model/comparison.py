"""Comparison: what changed from one run to another. Numbers and names only; reports/ finds the
words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple

Key = Tuple[str, ...]
KINDS = (
    *("startup", "outside", "no_core", "waiting", "moving", "unsplit", "polling", "io"),
    "unattributed",
)
"""What a piece of time is: starting and ending, outside MPI, ready to run without a core, waiting
(for whom), transfer (operation, class, sizes), moving or waiting (the same), polls that found
nothing, MPI-IO, and what none of them explains."""


@dataclass(frozen=True)
class Piece:
    """Seconds of the rank looked at. `detail` tells pieces of one kind apart; `error`: half of the
    95 % interval, seconds."""

    kind: str
    detail: Key
    seconds: float
    error: float = 0.0


@dataclass(frozen=True)
class Elapsed:
    """The elapsed time of one run in pieces that add up to it. `rank` None: means over ranks."""

    command: Optional[float]
    """Of the whole command, launcher included; None if nobody timed it."""
    run: float
    """From the first end of MPI_Init to the last begin of MPI_Finalize; the pieces without start-up
    add up to it."""
    rank: Optional[int]
    sampled: bool
    """Whether waiting was told from transfer."""
    pieces: Tuple[Piece, ...]


@dataclass(frozen=True)
class Part:
    """A step of the waterfall. In `unit` of its comparison; `noise`: changes below it say
    nothing."""

    kind: str
    detail: Key
    before: float
    after: float
    noise: float

    @property
    def change(self) -> float:
        """After minus before."""
        return self.after - self.before

    @property
    def clear(self) -> bool:
        """Whether the change is beyond the noise."""
        return abs(self.change) > self.noise


@dataclass(frozen=True)
class Noise:
    """How much elapsed varies from run to run: standard deviation / mean. `runs`: measured from so
    many; 0: assumed."""

    variation: float
    runs: int


@dataclass(frozen=True)
class Load:
    """The load average of a run's busiest node before the run, and its cores."""

    load: float
    cores: float


@dataclass(frozen=True)
class NoCore:
    """How long ranks were ready to run and had no core, mean over ranks, as shares of the whole
    run. `share` None: only its bounds are known."""

    share: Optional[float]
    low: Optional[float]
    high: Optional[float]
    starved: bool
    """Whether it is so long that the run says little of the program."""
    crowded: bool = False
    """Whether there were more threads than cores."""


@dataclass(frozen=True)
class Difference:
    """One fact that is not the same in both runs. Empty text: it was not there."""

    group: str
    """program, library, hosts, placement, settings, input."""
    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Reading:
    """A measure of both runs, None where unknown."""

    name: str
    unit: str
    before: Optional[float]
    after: Optional[float]


@dataclass(frozen=True)
class Judged:
    """A finding that came, stayed or went. `state`: new, unchanged, absent (as SARIF names
    them)."""

    rule: str
    title: str
    severity: str
    state: str
    subject: str = ""


@dataclass(frozen=True)
class Point:
    """One of the runs. `efficiency`: parallel efficiency against the run with the fewest ranks;
    None: all have as many."""

    source: str
    program: str
    started: str
    ranks: int
    hosts: int
    elapsed: Optional[float]
    mpi_share: Optional[float]
    change: Optional[float]
    """Of elapsed against the first run, as a share; None where the runs cannot be compared in
    seconds."""
    speedup: Optional[float]
    efficiency: Optional[float]


@dataclass(frozen=True)
class Outcome:
    """What became of a condition. `holds` None: it could not be decided, `reason` says why."""

    text: str
    holds: Optional[bool]
    reason: str = ""


@dataclass(frozen=True)
class Comparison:
    """The first run against the last; `points` has all of them in the order given."""

    points: Tuple[Point, ...]
    refused: Tuple[str, ...]
    """Why seconds cannot be compared; then all values are shares of each run's own time."""
    remarks: Tuple[str, ...]
    base: str
    """What is explained: command or run."""
    unit: str
    """s or share."""
    total: Part
    parts: Tuple[Part, ...]
    ranks: Tuple[Optional[int], Optional[int]]
    """The critical rank of both runs; None: means over ranks."""
    noise: Noise
    readings: Tuple[Reading, ...]
    differences: Tuple[Difference, ...]
    findings: Tuple[Judged, ...]
    loads: Tuple[Optional[Load], Optional[Load]] = (None, None)
    """Of the first and the last run; None where it was not recorded."""
    no_core: Tuple[Optional[NoCore], Optional[NoCore]] = (None, None)
    """Of the first and the last run; None where it is not known."""
    weak: bool = False
    """Whether scaling was asked for with work that grows with the ranks."""

    @property
    def starved(self) -> Optional[bool]:
        """Whether ranks of either run lacked cores for so long that no verdict is given; None if
        neither run says."""
        told = [one.starved for one in self.no_core if one is not None]
        return any(told) if told else None
