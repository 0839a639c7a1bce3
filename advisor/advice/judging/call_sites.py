"""From where in the program the calls of a finding come, where the rule does not say it by
itself."""

from __future__ import annotations

import re
from typing import Iterable, List, NamedTuple, Optional

from advisor.advice.language.expression import parse
from advisor.advice.language.scope import Scope, View
from advisor.model.message import message
from advisor.model.rule import Rule

MOST = 0.5
"""Of the time of an operation: from here on one call site has most of it; below it is only the
first of many."""
_ROWS = {"operation": "name", "cell": "operation"}
"""Tables whose rows are calls of one operation, and the column that names it."""
_GROUPS = {"onesided": ("rma", "rma_sync"), "io": ("io",)}
"""Of tables with one row that is about one kind of call. A rule about the run names them:
run.completion_share."""
_OFFSET = re.compile(r".+\+0x[0-9a-f]+")


class _Longest(NamedTuple):
    place: str
    most: bool


def at_call_site(rule: Rule, worst: Scope, said: Iterable[str]) -> List[str]:
    """One sentence, or none: where call sites were not recorded, where the rule is not about calls,
    where one of `said` has it."""
    name, of_many = _operation(rule, worst)
    longest = _longest(worst.view, name) if name else None
    if longest is None or any(longest.place in text for text in said):
        return []
    place = (
        message("call site {place}", place=longest.place)
        if _OFFSET.fullmatch(longest.place)
        else longest.place
    )
    names = {"call": _full(name), "place": place}
    if of_many and longest.most:
        return [message("Of these calls {call} takes longest, most of it at {place}.", **names)]
    if of_many:
        return [message("Of these calls {call} takes longest, longest of all at {place}.", **names)]
    if longest.most:
        return [message("Most of {call} is called at {place}.", **names)]
    return [message("{call} takes longest at {place}.", **names)]


def _operation(rule: Rule, worst: Scope) -> tuple:
    """The operation of the row, or the longest of those that the rule's condition is about; and
    which of both it is."""
    each = rule.look.each
    if each in _ROWS:
        name = worst.value(each, _ROWS[each])
        return (name if isinstance(name, str) else ""), False
    names, groups, times = (
        worst.view.cells("operation", column) or [] for column in ("name", "group", "time")
    )
    asked = _GROUPS.get(each) or _groups_of(rule, set(groups))
    found = [
        (time, name)
        for name, group, time in zip(names, groups, times)
        if group in asked and isinstance(time, float)
    ]
    return (max(found)[1] if found else ""), True


def _groups_of(rule: Rule, groups: set) -> tuple:
    """Of a rule about the run whose condition weighs one group of calls, that group."""
    if rule.look.each != "run":
        return ()
    asked = {
        name[len("run.") : -len("_share")]
        for name in parse(rule.look.when, "run").names
        if name.startswith("run.") and name.endswith("_share")
    }
    return tuple(asked & groups) if len(asked & groups) == 1 else ()


def _longest(view: View, operation: str) -> Optional[_Longest]:
    places = dict(zip(view.cells("operation", "name") or [], view.cells("operation", "site") or []))
    place = places.get(operation)
    if not isinstance(place, str) or not place:
        return None
    rows = zip(*(view.cells("site", column) or [] for column in ("operation", "place", "time")))
    times = [
        (where, time) for name, where, time in rows if name == operation and isinstance(time, float)
    ]
    total = sum(time for _, time in times)
    return _Longest(
        place, total > 0 and sum(time for where, time in times if where == place) >= MOST * total
    )


def _full(name: str) -> str:
    return name if name.startswith("MPI_") else f"MPI_{name}"
