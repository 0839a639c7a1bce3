"""Document: the complete content of a report, in order. Renderers read it and decide nothing.

Texts are plain: they hold no markup but `code` in back quotes, and no control characters. Numbers
for drawing stand beside the words that were made from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Optional, Tuple

from advisor.model.measures import Measures
from advisor.model.message import message
from advisor.reports.figures import Figures, Grid
from advisor.reports.first_screen import FirstScreen


STATES = (
    message("you can do this"),
    message("request to your centre"),
    message("change in the program"),
    message("no MPI setting helps"),
    message("withheld"),
)
"""What can be done about a finding, and about one remedy. Renderers compare these words, and
translate them where they print them."""


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
    """A part of the elapsed time, mean over ranks. `role`: outside, waiting, moving, no_core,
    polling, unsplit."""

    role: str
    label: str
    seconds: float
    share: float
    at_least: bool = False
    """True: a lower bound; the rest of it is in the part that is not split."""
    estimated: bool = False
    """True: from sampled calls."""
    low: Optional[float] = None
    high: Optional[float] = None
    """Its 95 % interval, seconds; None if it has none."""
    seconds_text: str = ""
    share_text: str = ""
    """Both as they are read: a number that is not known to within 10 % is its interval."""


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
    """Elapsed seconds: low <= high <= ceiling. `low` below 0: so much may be lost."""

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
    """One thing to do. `kind`: launch, set, input, code or do. `command`: the text can be pasted as
    it stands, lines of input into `file`."""

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
    file: str = ""
    risk: str = ""
    """results, start, slower; empty: none known. `hurts` of the finding says what it means."""
    paste: str = ""
    """Variables as they are pasted, where `text` has their names and values; empty: `text`."""
    change: str = ""
    """What the launch line or the batch system is to be told, where they have words for it."""


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
    """Filled bars: 0 note to 3 high; 4 is a policy that must be met."""
    state: str
    confidence: str
    gain: Optional[Gain]
    no_gain: str
    facts: Tuple[str, ...]
    actions: Tuple[Action, ...]
    hurts: Tuple[str, ...]
    published: Tuple[str, ...]
    limits: Tuple[str, ...]
    verified: str = ""
    """What interleaved runs with its remedy said."""
    help_url: str = ""
    """A page of the site about its rule: https:// or http://, without quotes or blanks."""


@dataclass(frozen=True)
class Experiment:
    """A change to be tried against the run as it was, since nothing near this run shows that it
    helps."""

    rule: str
    folder: str
    title: str
    subject: str
    kind: str
    text: str
    """What is changed: variables, options of the launch line, or lines of `file`."""
    file: str
    reason: str
    """Why it is no setting to make."""
    command: str
    """How to try it; to be pasted."""
    before: str
    """What to do before the command; empty: nothing."""
    check: str
    undo: str
    hurts: Tuple[str, ...]
    source: str
    risk: str = ""
    verified: str = ""
    """What interleaved runs with it said so far."""


@dataclass(frozen=True)
class LaunchLine:
    """The user's launch line with all doable settings in it."""

    text: str
    title: str
    applied: Tuple[Tuple[str, str], ...]


@dataclass(frozen=True)
class Quiet:
    """A rule that did not speak, or something that was not seen."""

    name: str
    sentence: str
    collect: str = ""
    short: str = ""
    missing: Tuple[Tuple[str, str], ...] = ()
    """Of what could not be looked at: reasons, each with what to collect against it."""


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


@dataclass(frozen=True)
class Document:
    """One report."""

    screen: FirstScreen
    head: Head
    banners: Tuple[str, ...]
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
    footer: str
    run: Mapping[str, object]
    """Plain facts of the run for machines."""
    measures: Measures
    verified: Tuple[Line, ...] = ()
    """What runs said of changes that are no finding."""
    experiments: Tuple[Experiment, ...] = ()
    outside: Tuple[Line, ...] = ()
    """What is known of the time outside MPI."""
    worth: Optional[Mapping[str, object]] = None
    """Node hours, energy, money and CO2 for machines; `tables` has them in words."""
