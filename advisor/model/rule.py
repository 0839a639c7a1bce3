"""Rule: an opinion, written down as data. One file a rule; the loader in advice/ fills these."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Tuple, Union

from advisor.model.record import Record

Number = Union[int, float]


@dataclass(frozen=True)
class Look:
    """Where the rule looks. `each`: a table of Measures; `where`, `when`: expressions; `say`: a
    sentence."""

    each: str
    when: str
    say: str
    where: str = ""
    evidence: Tuple[str, ...] = ()
    """More sentences, each with its numbers in braces."""
    otherwise: str = ""
    """What is said if `where` holds for no row."""


@dataclass(frozen=True)
class Limit:
    """A named threshold. `value` in base units (seconds, bytes, shares); `text` as it was
    written."""

    name: str
    value: Number
    text: str
    why: str
    source: str = ""
    changed_by: str = ""
    """The file that amended it; empty if it is ours."""


@dataclass(frozen=True)
class Require:
    """A condition without which nothing may be said. False: the rule is moot, and says
    `otherwise`."""

    that: str
    otherwise: str


@dataclass(frozen=True)
class Evidence:
    """A published or measured result. `low`, `high`: speed-up factors (1 = no change), if numbers
    were given."""

    text: str
    source: str
    low: Optional[float] = None
    high: Optional[float] = None
    conditions: str = ""
    ranks: int = 0
    """Ranks that it was measured with; 0: not told."""


@dataclass(frozen=True)
class Gain:
    """Expected saving as expressions, or from records. Shares of elapsed if `unit` is share,
    seconds if s."""

    low: str
    high: str
    basis: str
    """measured, model, published, records, none. With records `low` and `high` are empty: the
    interval spans the nearest of `rests_on`."""
    source: str
    ceiling: str = ""
    """Expression in the same unit: time at stake. Always clipped at run.ceiling_hard as well,
    unless balance."""
    unit: str = "share"
    balance: bool = False
    """True: the finding is about balance or placement, so ceiling_hard (settings only) does not
    apply."""
    owns: str = ""
    """Expression over the table cause and the row at hand: the causes that the finding explains."""
    beyond: str = ""
    """Expression in the same unit: what goes besides these causes, in calls that have other causes
    as well. It is added to their ceiling."""
    work_stays: bool = False
    """True: no remedy lets ranks compute less in all, so the run gets no shorter than they compute
    on average."""
    records: str = ""
    """Topic of the records in rules/evidence."""
    before: str = ""
    """Expression: the setting at hand, for records that depend on it."""
    rests_on: Tuple[Record, ...] = ()
    ranks: int = 0
    """Of basis measured: with how many ranks."""


@dataclass(frozen=True)
class Remedy:
    """What to do for one library, version, launcher or application. Exactly one of launch, set,
    input, code, do."""

    applies: str
    """A selector as in model/library.py: "openmpi >=4,<6", "mpich", "any", "app vasp"."""
    kind: str
    """launch, set, input, code or do."""
    text: str
    source: str
    who: str = "you"
    """you, centre, developer, nobody."""
    check: str = ""
    undo: str = ""
    needs: Tuple[str, ...] = ()
    """Expressions over capabilities that must be seen to hold, e.g. "node.xpmem_usable"."""
    request: str = ""
    """Ready text for the centre, used when `needs` do not hold."""
    effort: int = 1
    """1 one variable, 2 relaunch, 3 rebuild, 4 code, 5 administrator (METRICS 15)."""
    file: str = ""
    """The file that lines of kind input belong to."""
    instead: str = ""
    """A setting at hand whose place this one takes: reports take it out of the launch line."""
    risk: str = ""
    """results, start, slower: what may go wrong, beyond not helping. Empty: nothing known."""
    change: str = ""
    """Of kind do: the same in words of the launch line, where it has them."""


@dataclass(frozen=True)
class Caveat:
    """When it hurts. `when` is an expression or empty (always said). `then`: doubt or withdraw."""

    text: str
    when: str = ""
    then: str = "doubt"
    source: str = ""
    of: Tuple[str, ...] = ()
    """Parts of the texts of the remedies that it is about; empty: it holds whatever is done."""


@dataclass(frozen=True)
class Case:
    """A test of the rule, kept in its own file. `given`: table → row or list of rows."""

    name: str
    given: Mapping[str, Any]
    expect: str
    """found, clear, moot, unknown."""
    gain: Optional[Tuple[float, float]] = None
    remedy: str = ""
    """A part of the text of the remedy that must be offered."""
    state: str = ""


@dataclass(frozen=True)
class Rule:
    """One rule. `folder` is the question that it answers: balance, messages, …"""

    id: str
    folder: str
    file: str
    found: str
    clear: str
    why: str
    look: Look
    status: str = "stable"
    kind: str = "advice"
    """advice or policy: what a site asks for, whatever it gains."""
    severity: str = ""
    """Fixed severity of policies and correctness-type rules; empty: from seconds at stake
    (METRICS 15)."""
    help_url: str = ""
    """A page of the site about it."""
    limits: Mapping[str, Limit] = field(default_factory=dict)
    requires: Tuple[Require, ...] = ()
    evidence: Tuple[Evidence, ...] = ()
    gain: Optional[Gain] = None
    remedies: Tuple[Remedy, ...] = ()
    caveats: Tuple[Caveat, ...] = ()
    cases: Tuple[Case, ...] = ()
    of_site: bool = False
    """Written or amended by others than advisor's own book."""
