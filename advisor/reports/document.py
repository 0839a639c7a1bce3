"""Document: everything that a report says, in order. Renderers read it and decide nothing.

Texts are plain: they hold no markup but `code` in back quotes, and no control characters. Numbers for drawing stand
beside the words that were made from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional, Tuple

from advisor.model.measures import Measures


@dataclass(frozen=True)
class Span:
    """A piece of a sentence. `role`: "", waiting, moving."""

    text: str
    role: str = ""


Sentence = Tuple[Span, ...]


@dataclass(frozen=True)
class Head:
    """What ran. Empty texts: not known and not worth a word."""

    program: str
    size: str
    """"256 ranks on 4 hosts"."""
    elapsed: str
    library: str
    details: Tuple[str, ...]
    """Threads, launcher, job, date: in the order in which they are read."""


@dataclass(frozen=True)
class TimePart:
    """A part of the elapsed time, mean over ranks. `role`: outside, waiting, moving, unsplit."""

    role: str
    label: str
    seconds: float
    share: float
    at_least: bool = False
    """True: a lower bound; the rest of it is in the part that is not split."""


@dataclass(frozen=True)
class TimeBar:
    """The whole run, and MPI enlarged. Parts of both rows add up to elapsed and to MPI."""

    elapsed: float
    mpi: float
    whole: Tuple[TimePart, ...]
    enlarged: Tuple[TimePart, ...]
    note: str


@dataclass(frozen=True)
class Standing:
    """One measure: now, what others aim at, and how far this run could go."""

    name: str
    now: str
    target: str
    reach: str
    note: str = ""


@dataclass(frozen=True)
class Gain:
    """Elapsed seconds: low <= high <= ceiling."""

    low: float
    high: float
    ceiling: float
    text: str
    share_text: str
    ceiling_text: str
    ceiling_name: str
    basis: str


@dataclass(frozen=True)
class Seen:
    """A condition and whether it was seen here. `mark`: yes, no, open."""

    mark: str
    text: str


@dataclass(frozen=True)
class Action:
    """One thing to do. `kind`: launch, set, code or do. `command`: the text can be pasted as it stands."""

    kind: str
    text: str
    command: bool
    who: str
    state: str
    check: str
    undo: str
    seen: Tuple[Seen, ...]
    request: str
    reason: str
    source: str


@dataclass(frozen=True)
class Item:
    """One finding with all its parts, in the order in which they are read."""

    number: int
    rule: str
    folder: str
    title: str
    subject: str
    why: str
    severity: str
    level: int
    """Filled bars: 0 note to 3 high."""
    state: str
    confidence: str
    gain: Optional[Gain]
    no_gain: str
    facts: Tuple[str, ...]
    actions: Tuple[Action, ...]
    hurts: Tuple[str, ...]
    published: Tuple[str, ...]
    limits: Tuple[str, ...]


@dataclass(frozen=True)
class LaunchLine:
    """The user's launch line with all doable settings in it."""

    text: str
    title: str
    applied: Tuple[Tuple[str, str], ...]


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
    note: str


@dataclass(frozen=True)
class RankTimes:
    """Time per rank. `kind`: bars (a wide bar a rank), panels (a column a rank), strip (200 quantiles and panels)."""

    kind: str
    title: str
    caption: str
    top: float
    """Upper end of the scale, seconds."""
    panels: Tuple[RankPanel, ...]
    strip: Tuple[float, ...] = ()
    shown: str = ""


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
    """Who sends how much to whom. `levels`: row = sender, 0 nothing to 5 most; `limits`: lower ends of levels 1 to 5."""

    title: str
    caption: str
    labels: Tuple[str, ...]
    levels: Tuple[Tuple[int, ...], ...]
    limits: Tuple[str, ...]
    tables: Tuple[Grid, ...]
    note: str = ""


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


@dataclass(frozen=True)
class Quiet:
    """A rule that did not speak, or something that was not seen."""

    name: str
    sentence: str
    collect: str = ""
    short: str = ""


@dataclass(frozen=True)
class Silences:
    """What silence means."""

    clear: Tuple[Quiet, ...]
    moot: Tuple[Quiet, ...]
    unknown: Tuple[Quiet, ...]
    unseen: Tuple[Quiet, ...]


@dataclass(frozen=True)
class Line:
    """A named line of a box."""

    name: str
    text: str
    code: bool = False
    short: str = ""
    """The same where there is little room; empty: left out there."""


@dataclass(frozen=True)
class Document:
    """One report."""

    head: Head
    banners: Tuple[str, ...]
    verdict: Tuple[Sentence, ...]
    time: Optional[TimeBar]
    standings: Tuple[Standing, ...]
    standing_notes: Tuple[str, ...]
    items: Tuple[Item, ...]
    axis: Tuple[float, ...]
    """Ticks of the one scale of all range bars, seconds; empty if no finding has seconds."""
    launch: Optional[LaunchLine]
    figures: Figures
    tables: Tuple[Grid, ...]
    silences: Silences
    measurement: Tuple[Line, ...]
    facts: Tuple[Line, ...]
    changed_limits: Tuple[str, ...]
    source: str
    next: Tuple[str, str]
    """A command, and why."""
    footer: str
    run: Mapping[str, object]
    """Plain facts of the run for machines."""
    measures: Measures
