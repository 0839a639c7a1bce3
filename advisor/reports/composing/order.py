"""The order of findings: one for the first screen, the full report, the page and JSON."""

from __future__ import annotations

from dataclasses import replace
from typing import Dict, List, Sequence

from advisor.model.finding import Advice, Finding, State

BALANCE = "balance"
"""The folder of rules on load imbalance."""
LAST = (State.NO_SETTING, State.WITHHELD)
"""What nobody can do, or should not, stands behind all others."""


def in_order(advice: Advice, balance: bool) -> Advice:
    """The advice with its findings as a reader meets them: another explanation of the same time
    stands beside the first. `balance`: the verdict names load imbalance, so that is first here
    too."""
    others = [each for each in advice.findings if not _follows(each)]
    if balance:
        others.sort(key=_balance_first)
    rivals: Dict[str, List[Finding]] = {}
    for each in advice.findings:
        if _follows(each):
            rivals.setdefault(each.rival_of, []).append(each)
    found = [each for one in others for each in _beside(one, rivals.pop(one.rule, []), balance)]
    found += [each for left in rivals.values() for each in left]
    return replace(advice, findings=tuple(found))


def _follows(finding: Finding) -> bool:
    return bool(finding.rival_of) and finding.state not in LAST


def _balance_first(finding: Finding) -> bool:
    return not finding.policy and (finding.folder != BALANCE or finding.state in LAST)


def _beside(finding: Finding, rivals: Sequence[Finding], balance: bool) -> List[Finding]:
    both = [finding, *rivals]
    if balance:
        both.sort(key=lambda each: each.folder != BALANCE)
    return both
