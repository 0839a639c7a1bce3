"""Finding and Advice: the verdicts of the rules about one run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Mapping, Optional, Tuple

from advisor.model.measures import Measures, Quality
from advisor.model.rule import Evidence, Limit
from advisor.model.verified import Verified


class Verdict(Enum):
    """What a rule said: it speaks, all is well, the question does not arise, or it could not
    look."""

    FOUND = "found"
    CLEAR = "clear"
    MOOT = "moot"
    UNKNOWN = "unknown"


class State(Enum):
    """What can be done about a finding."""

    DOABLE = "you can do this"
    REQUEST = "request to your centre"
    DEVELOPER = "change in the program"
    EXPERIMENT = "experiment"
    """Nothing near this run shows that it helps: to be tried, not to be set."""
    NO_SETTING = "no MPI setting helps"
    WITHHELD = "withheld"


@dataclass(frozen=True)
class Prerequisite:
    """A condition of a remedy. `holds`: True seen, False seen missing, None not known."""

    text: str
    holds: Optional[bool]
    source: str = ""
    lacking: str = ""
    """What is needed and what is here in its place, if it does not hold or is not known."""


@dataclass(frozen=True)
class Step:
    """A remedy chosen for this run, with all numbers filled in."""

    kind: str
    text: str
    who: str
    check: str
    undo: str
    source: str
    state: State
    effort: int
    prerequisites: Tuple[Prerequisite, ...] = ()
    request: str = ""
    reason: str = ""
    """Why it is withheld, if it is."""
    file: str = ""
    """The input file that lines of kind input belong to."""
    instead: str = ""
    """The setting of this run whose place this one takes."""
    hurts: Tuple[str, ...] = ()
    """When this step hurts; what holds whatever is done stands in the finding."""
    risk: str = ""
    """results, start, slower; empty: none known."""
    change: str = ""
    """What the launch line or the batch system is to be told, where they have words for it."""


@dataclass(frozen=True)
class Saving:
    """Elapsed seconds that may be saved. low <= high <= ceiling. `base`: run.time, for shares."""

    low: float
    high: float
    ceiling: float
    ceiling_name: str
    base: float
    basis: str
    source: str
    quality: Quality
    ranks: int = 0
    """Of basis measured: with how many ranks."""


@dataclass(frozen=True)
class Finding:
    """One rule that speaks about this run."""

    rule: str
    folder: str
    title: str
    subject: str
    """First sentence: what and where."""
    why: str
    severity: str
    """must (of policies), high, medium, low, note."""
    state: State
    confidence: str
    """high, medium, low: computed from quality, evidence and caveats."""
    saving: Optional[Saving]
    no_saving_reason: str
    facts: Tuple[str, ...]
    """Evidence sentences, filled in; the worst rows first."""
    rows: int
    """How many rows of the table matched."""
    steps: Tuple[Step, ...]
    hurts: Tuple[str, ...]
    published: Tuple[Evidence, ...]
    limits: Tuple[Limit, ...]
    causes: Tuple[int, ...] = ()
    """Rows of the table cause that it explains, without those of findings before it."""
    explains: Tuple[int, ...] = ()
    """The same with those of findings before it."""
    work_stays: bool = False
    """Its remedies let no rank compute less, so the run takes as long as the mean of that at
    least."""
    rival_of: str = ""
    """The rule of an earlier finding that explains nearly all of the same time: one of the two is
    right, and their gains are one."""
    help_url: str = ""
    """A page of the site about its rule."""
    policy: bool = False
    """What a site asks for, whatever it gains."""


@dataclass(frozen=True)
class Silence:
    """A rule that did not speak. `collect` says how an unknown can become known."""

    rule: str
    verdict: Verdict
    sentence: str
    reason: str = ""
    collect: str = ""
    missing: Tuple[Tuple[str, str], ...] = ()
    """Of an unknown: each reason once, without the names of measures, and what to collect against
    it."""


@dataclass(frozen=True)
class Unexplained:
    """Time that no finding explains. `row`: of the table cause, the longest of it; `part`: seconds
    of that and of those like it, mean over ranks; `rows`: all of it."""

    seconds: float
    share: float
    row: int
    part: float
    rows: Tuple[int, ...] = ()


@dataclass(frozen=True)
class Advice:
    """Everything that was judged, ordered by what is worth doing first."""

    measures: Measures
    findings: Tuple[Finding, ...]
    silences: Tuple[Silence, ...]
    rules: int
    changed_limits: Tuple[Limit, ...] = ()
    settings: Mapping[str, str] = None  # type: ignore[assignment]
    """The launch line's doable settings, one value a name; see advice/remedies.py."""
    unexplained: Optional[Unexplained] = None
    """None if findings explain all but 5 % of elapsed, or causes are not known."""
    verified: Tuple[Verified, ...] = ()
    """What runs of this result's command said of changes."""
    experiments: Tuple[Finding, ...] = ()
    """What rules found, with those of their steps that are to be tried before they are set."""
