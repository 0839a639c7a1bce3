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
    rest: Tuple[Tuple[Cell, ...], ...] = ()
    """Rows that only the page has room for; `note` says how many are not in `rows`."""


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
class Layer:
    """One quantity of a heat map. `levels`: 0 nothing to 5 most; `limits`: lower ends of levels 1
    to 5; `words`: each cell as it is written, empty where nothing is."""

    name: str
    levels: Tuple[Tuple[int, ...], ...]
    limits: Tuple[str, ...]
    words: Tuple[Tuple[str, ...], ...]
    orange: bool = False
    """It is waiting."""


@dataclass(frozen=True)
class HeatMap:
    """Several quantities of the same rows and columns, or numbers in `tables` where they are
    few."""

    name: str
    title: str
    caption: str
    rows: Tuple[str, ...]
    columns: Tuple[str, ...]
    layers: Tuple[Layer, ...]
    tables: Tuple[Grid, ...]
    note: str = ""


@dataclass(frozen=True)
class Timeline:
    """The run over time. `ranks`: shares of single ranks, or groups of them, in each slice."""

    title: str
    caption: str
    slices: Mapping[str, Tuple[float, ...]]
    """Shares of the time of all ranks in each slice by role, outside among them; they add up to 1.
    """
    moments: Tuple[str, ...]
    """Beginning, middle and end."""
    ranks: Optional[HeatMap]
    end: float
    """Seconds of the run."""
    elsewhere: str
    """How to see single calls over time."""
    table: Grid


@dataclass(frozen=True)
class Branch:
    """A line of the call tree. `share`, `waiting`: of the time in all calls; the latter at
    least."""

    depth: int
    name: str
    share: float
    waiting: float
    time_text: str
    waiting_text: str
    calls_text: str


@dataclass(frozen=True)
class CallTree:
    """Each branch is followed by those below it, which are deeper."""

    title: str
    caption: str
    branches: Tuple[Branch, ...]


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
    operations: Optional[HeatMap] = None
    matrix: Optional[HeatMap] = None
    rates: Optional[Grid] = None
    call_tree: Optional[CallTree] = None
    efficiency: Optional[Efficiency] = None
    timeline: Optional[Timeline] = None
