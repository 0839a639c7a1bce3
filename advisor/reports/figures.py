"""Tables and figures of a report as numbers and words; drawing/ makes shapes of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping, Optional, Tuple


@dataclass(frozen=True)
class Cell:
    """`value`: for sorting and for machines; None if it is text or unknown."""

    text: str
    value: Optional[float] = None


@dataclass(frozen=True)
class Heading:
    """Head of a column. `numeric` columns stand right; `code` columns in monospace."""

    text: str
    numeric: bool = False
    code: bool = False


@dataclass(frozen=True)
class Grid:
    """A table of a report."""

    name: str
    caption: str
    headings: Tuple[Heading, ...]
    rows: Tuple[Tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class RankPanel:
    """Ranks of one host, ordered by time outside MPI. Seconds."""

    name: str
    ranks: Tuple[int, ...]
    outside: Tuple[float, ...]
    mpi: Tuple[float, ...]
    parts: Mapping[str, Tuple[float, ...]]
    """The time in MPI by role: moving, no_core, polling, unsplit, waiting, as far as they occur."""
    note: str


@dataclass(frozen=True)
class RankTimes:
    """Time per rank. `kind`: bars (a wide bar a rank), panels (a column a rank), strip (200
    quantiles and panels)."""

    kind: str
    title: str
    caption: str
    top: float
    """Upper end of the scale, seconds."""
    panels: Tuple[RankPanel, ...]
    strip: Mapping[str, Tuple[float, ...]] = field(default_factory=dict)
    """Ranks in order of their time in MPI, by role."""
    shown: str = ""
    about: str = ""
    """What stands before seconds of waiting."""


@dataclass(frozen=True)
class SizeBin:
    """Messages of 2^(bin-1) to 2^bin - 1 bytes; bin 0 has none. Per rank."""

    bin: int
    calls: float
    seconds: float


@dataclass(frozen=True)
class SizePanel:
    """Sizes of one path or one collective operation."""

    title: str
    bins: Tuple[SizeBin, ...]


@dataclass(frozen=True)
class Sizes:
    """Message sizes; all panels share the scale of seconds."""

    title: str
    caption: str
    panels: Tuple[SizePanel, ...]
    table: Grid


@dataclass(frozen=True)
class Matrix:
    """Who sends how much to whom. `levels`: row = sender, 0 nothing to 5 most; `limits`: lower ends
    of levels 1 to 5."""

    title: str
    caption: str
    labels: Tuple[str, ...]
    levels: Tuple[Tuple[int, ...], ...]
    limits: Tuple[str, ...]
    tables: Tuple[Grid, ...]
    note: str = ""


@dataclass(frozen=True)
class Timeline:
    """The run over time. `levels`: share in MPI, `caused`: share of the slice's waiting that was
    for them; a row for each group of ranks."""

    title: str
    caption: str
    slices: Mapping[str, Tuple[float, ...]]
    """Shares of the time of all ranks in each slice by role, outside among them; they add up to 1.
    """
    moments: Tuple[str, ...]
    """Beginning, middle and end."""
    labels: Tuple[str, ...]
    """First and last row of the maps."""
    levels: Tuple[Tuple[int, ...], ...]
    limits: Tuple[str, ...]
    caused: Tuple[Tuple[int, ...], ...]
    table: Grid


@dataclass(frozen=True)
class Factor:
    """One efficiency of the tree; each is the product of those below it."""

    depth: int
    sign: str
    name: str
    value: Optional[float]
    text: str
    note: str = ""


@dataclass(frozen=True)
class Efficiency:
    """The tree of POP factors."""

    title: str
    caption: str
    factors: Tuple[Factor, ...]


@dataclass(frozen=True)
class Figures:
    """None: the question does not arise."""

    ranks: Optional[RankTimes] = None
    sizes: Optional[Sizes] = None
    matrix: Optional[Matrix] = None
    efficiency: Optional[Efficiency] = None
    timeline: Optional[Timeline] = None
