"""Assigns elapsed time to findings: each cause belongs to one finding, and unassigned time is
reported."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, List, Optional, Sequence, Tuple

import numpy as np

from advisor.advice.language.cells import truth
from advisor.advice.language.expression import parse, with_causes
from advisor.advice.language.scope import Scope, View
from advisor.model.causes import BETWEEN_POLLS, COMPUTING, Cause, Causes
from advisor.model.finding import Finding, State, Unexplained
from advisor.model.message import message
from advisor.model.rule import Rule

LEAST = 0.05
"""Of elapsed: less needs no owner. Medium severity begins here."""
SAME = 0.9
"""Of a finding's time: if earlier ones explain so much of it, it is another explanation of the
same."""
MOST_ROWS = 32
"""Rows of a finding whose causes are looked for; the first have the most at stake."""
OWN = (COMPUTING, BETWEEN_POLLS, "asleep outside MPI")
"""What a program does by itself: it needs no finding."""


def causes_of(rule: Rule, scope: Scope) -> Tuple[int, ...]:
    """Rows of the table cause that the row at hand explains, by the rule; none where causes are not
    known."""
    if rule.gain is None or not rule.gain.owns or scope.view.measures.causes is None:
        return ()
    belongs = parse(rule.gain.owns, with_causes(rule.look.each)).over(scope, "cause")
    return tuple(np.flatnonzero(truth(belongs).true).tolist())


def causes_of_all(rule: Rule, found: Sequence[Scope]) -> Tuple[int, ...]:
    """The same of all rows that a rule found."""
    return tuple(sorted({row for scope in found[:MOST_ROWS] for row in causes_of(rule, scope)}))


def owned(findings: Sequence[Finding], view: View) -> List[Finding]:
    """The findings, each with the causes that no earlier one has. One whose causes nearly all have
    an owner is a rival: another explanation of the same time. It keeps none of them, and comes
    after the others; both say it.

    Where causes are not known, only the sentences: of findings that are about the same measures.
    """
    if view.measures.causes is None:
        return [_beside(finding, findings[:place], view) for place, finding in enumerate(findings)]
    means = view.measures.causes.means
    owner: Dict[int, Finding] = {}
    kept: List[Finding] = []
    rivals: List[Finding] = []
    for finding in findings:
        rival = _rival(finding, owner, means)
        own = () if rival else tuple(row for row in finding.causes if row not in owner)
        met = rival or next((owner[row] for row in finding.causes if row in owner), None)
        finding = replace(
            finding,
            facts=finding.facts + ((_same(met),) if met else ()),
            rival_of=rival.rule if rival else "",
            causes=own,
            explains=finding.causes,
        )
        owner.update({row: finding for row in own})
        (rivals if rival else kept).append(finding)
    return _in_order([_with_rivals(each, rivals) for each in kept], rivals)


def _in_order(kept: List[Finding], rivals: List[Finding]) -> List[Finding]:
    """Rivals after those that own something, and what is withheld, or helps nobody, last as
    before."""
    last = (State.NO_SETTING, State.WITHHELD)
    return sorted(kept + rivals, key=lambda each: (each.state in last, bool(each.rival_of)))


def _same(other: Finding) -> str:
    return message(
        "This is the same time as in \u201c{title}\u201d: the two gains do not add up.",
        title=other.title,
    )


def _with_rivals(finding: Finding, rivals: Sequence[Finding]) -> Finding:
    more = tuple(
        message("Another explanation of the same time: \u201c{title}\u201d.", title=each.title)
        for each in rivals
        if each.rival_of == finding.rule
    )
    return replace(finding, facts=finding.facts + more)


def _beside(finding: Finding, earlier: Sequence[Finding], view: View) -> Finding:
    own = view.times.get(finding.rule, frozenset())
    met = next((each for each in earlier if own & view.times.get(each.rule, frozenset())), None)
    return replace(finding, facts=finding.facts + (_same(met),)) if met else finding


def _rival(finding: Finding, owner: Dict[int, Finding], means: np.ndarray) -> Optional[Finding]:
    """The earlier finding with most of this one's time, if others have nearly all of it."""
    total = float(means[list(finding.causes)].sum())
    shares: Dict[str, float] = {}
    for row in finding.causes:
        if row in owner:
            shares[owner[row].rule] = shares.get(owner[row].rule, 0.0) + float(means[row])
    if not total > 0 or sum(shares.values()) < SAME * total:
        return None
    return next(
        each for each in owner.values() if each.rule == max(shares, key=lambda rule: shares[rule])
    )


def unexplained(findings: Sequence[Finding], view: View) -> Optional[Unexplained]:
    """Time that belongs to no finding, if it is 5 % of elapsed."""
    known = view.measures.causes
    if known is None or not known.elapsed > 0:
        return None
    taken = {row for finding in findings for row in finding.causes}
    left = [
        row for row, part in enumerate(known.parts) if row not in taken and part.kind not in OWN
    ]
    means = known.means
    seconds = float(means[left].sum()) if left else 0.0
    if seconds < LEAST * known.elapsed:
        return None
    longest = _longest(known, left)
    return Unexplained(
        seconds,
        seconds / known.elapsed,
        max(longest, key=lambda row: float(means[row])),
        float(means[longest].sum()),
        tuple(left),
    )


def _longest(known: Causes, rows: Sequence[int]) -> List[int]:
    """Those of one kind, in one operation, whose sum is the longest."""
    alike: Dict[Tuple[str, str, str], List[int]] = {}
    for row in rows:
        alike.setdefault(_alike(known.parts[row]), []).append(row)
    return max(alike.values(), key=lambda group: float(known.means[group].sum()))


def _alike(part: Cause) -> Tuple[str, str, str]:
    return part.kind, part.state, part.operation
