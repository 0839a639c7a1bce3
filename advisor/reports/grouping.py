"""Rules that are silent for one and the same reason, put together: seventeen equal lines say no
more than one."""

from __future__ import annotations

from typing import Dict, List, NamedTuple, Sequence, Set, Tuple

from advisor.base.numbers import counted
from advisor.model.message import joined, message
from advisor.reports.document import Quiet

FEW = 4
"""So many checks that were not made are named; of more the report says what they lack."""


class Lack(NamedTuple):
    """A reason for not looking, how many rules have it, and what to collect against it."""

    reason: str
    rules: int
    collect: str


def grouped(entries: Sequence[Quiet]) -> List[Quiet]:
    """One entry for each sentence; one that stands for several rules names them."""
    same: Dict[Tuple[str, str], List[Quiet]] = {}
    for entry in entries:
        same.setdefault((entry.sentence, entry.collect), []).append(entry)
    return [_together(each) for each in same.values()]


def _together(same: List[Quiet]) -> Quiet:
    first = same[0]
    if len(same) == 1:
        return first
    names = ", ".join(entry.short for entry in same)
    return Quiet(
        first.name,
        message(
            "{sentence} ({rules}: {names})",
            sentence=first.sentence,
            rules=counted(len(same), "rule"),
            names=names,
        ),
        first.collect,
        first.short,
    )


def lacking(entries: Sequence[Quiet]) -> List[Lack]:
    """What these entries lack, what most of them lack first. One without reasons counts with its
    sentence."""
    rules: Dict[str, Set[str]] = {}
    collect: Dict[str, str] = {}
    for entry in entries:
        for reason, how in entry.missing or ((entry.sentence, entry.collect),):
            rules.setdefault(reason, set()).add(entry.name)
            collect[reason] = collect.get(reason) or how
    found = [Lack(reason, len(names), collect[reason]) for reason, names in rules.items()]
    return sorted(found, key=lambda lack: -lack.rules)


def ways(lacks: Sequence[Lack]) -> str:
    """What to collect against these, each once."""
    return joined("; ", dict.fromkeys(lack.collect for lack in lacks if lack.collect))
