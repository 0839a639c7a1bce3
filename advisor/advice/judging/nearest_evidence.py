"""Selects the benchmark records that apply to a run: the distance of each, in steps, and the
nearest.

A step is a factor of two in hosts, in ranks on a host or in the setting before, or a factor of four
in the size of messages. Another major version of the library is one step, another application or
operation, fabric or kind of CPU two, another family of libraries three. What is not known, of the
run or of the record, is one step. Inside of one host the fabric does not count.
"""

from __future__ import annotations

import math
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from advisor.advice.judging.prediction_interval import ENOUGH
from advisor.advice.language.expression import parse
from advisor.advice.language.scope import Scope
from advisor.advice.language.unknown import Unknown
from advisor.model.library import MADE_FROM
from advisor.model.record import FABRICS, OPERATION, PAIR, Record
from advisor.model.rule import Rule

FARTHEST = 4.0
"""Steps beyond which a record does not speak for a run: another fabric and another kind of CPU, or
sixteen times the hosts. Our allowance."""
WANTED = 5
"""Records that count, and all as near as the fifth. Of the 32 published pairs of two libraries,
each predicted from the others, 30 lie inside of the interval that five give, 26 with three and
29 with eight; 80 % is what it promises."""
_UNKNOWN, _OTHER_VERSION, _OTHER, _OTHER_FAMILY = 1.0, 1.0, 2.0, 3.0
_SAME = 1e-9
"""Distances this close are equal."""
_COLUMNS = {**{fabric: fabric for fabric in FABRICS}, "ethernet": "ethernet_only"}
"""Fabric → column of node; a faster one comes before Ethernet."""
_KINDS = (
    ("many-core", ("xeon phi", "knights")),
    ("x86", ("xeon", "intel", "epyc", "amd", "opteron", "ryzen")),
    ("arm", ("arm", "neoverse", "graviton", "grace", "a64fx", "thunderx", "altra", "kunpeng")),
    ("power", ("power",)),
)
"""Kinds of CPUs by words of their model names; the first that fits."""


class Here(NamedTuple):
    """The run and the row at hand, as records describe theirs. None: not known."""

    library: Optional[str] = None
    version: Optional[str] = None
    fabric: Optional[str] = None
    cpu: Optional[str] = None
    application: Optional[str] = None
    operation: Optional[str] = None
    hosts: Optional[float] = None
    ranks_per_node: Optional[float] = None
    size: Optional[float] = None
    before: Optional[float] = None


class Near(NamedTuple):
    """A record and its distance from the run in steps."""

    steps: float
    record: Record


def here(rule: Rule, scope: Scope) -> Here:
    """What is known of the run; `before` by the expression of the rule's gain."""
    each = rule.look.each
    return Here(
        library=_text(scope, "library", "name"),
        version=_text(scope, "library", "version"),
        fabric=_fabric(scope),
        cpu=_first(scope, "node", "cpu"),
        application=_first(scope, "application", "name"),
        operation=(
            _text(scope, each, "name" if each == OPERATION else OPERATION)
            if each in scope.rows
            else None
        ),
        hosts=_number(scope.value("run", "nodes")),
        ranks_per_node=_number(scope.value("run", "ranks_per_node")),
        size=_number(scope.value(each, "size")) if each in scope.rows else None,
        before=(
            _number(parse(rule.gain.before, each).evaluate(scope))
            if rule.gain and rule.gain.before
            else None
        ),
    )


def within_reach(records: Sequence[Record], run: Here) -> List[Near]:
    """The records that speak for this run, the nearest first, whatever order their files have."""
    near = [Near(sum(differences(record, run).values()), record) for record in records]
    return sorted(
        (each for each in near if each.steps <= FARTHEST + _SAME),
        key=lambda each: (each.steps, each.record.id),
    )


def nearest(near: Sequence[Near]) -> Tuple[Near, ...]:
    """Of records within reach the nearest pairs, and all that are as near as the last of them; none
    if there are fewer than three."""
    pairs = [each for each in near if each.record.reported == PAIR]
    if len(pairs) < ENOUGH:
        return ()
    reach = pairs[min(WANTED, len(pairs)) - 1].steps + _SAME
    return tuple(each for each in pairs if each.steps <= reach)


def differences(record: Record, run: Here) -> Dict[str, float]:
    """Steps by what differs; what is alike is left out."""
    steps = {
        "library": _library(record, run),
        "fabric": _fabrics(record, run),
        "CPU": _kinds(_kind(record.cpu), _kind(run.cpu or "")),
        **_what_ran(record, run),
        "hosts": _hosts(record, run.hosts),
        "ranks on a host": _doublings(record.ranks_per_node, run.ranks_per_node),
    }
    if record.before is not None:
        steps["the setting before"] = _doublings(record.before, run.before)
    return {name: count for name, count in steps.items() if count > _SAME}


def _library(record: Record, run: Here) -> float:
    if not record.library or not run.library:
        return _UNKNOWN
    # A change from one to another of a family is what some records compare: a run with either is
    # as near.
    if MADE_FROM.get(record.library, record.library) != MADE_FROM.get(run.library, run.library):
        return _OTHER_FAMILY
    if not record.version or not run.version:
        return _UNKNOWN
    return (
        0.0 if record.version.partition(".")[0] == run.version.partition(".")[0] else _OTHER_VERSION
    )


def _fabrics(record: Record, run: Here) -> float:
    if run.hosts == 1 and record.hosts == 1:
        return 0.0
    return _kinds(record.fabric, run.fabric or "")


def _kinds(record: str, run: str) -> float:
    if not record or not run:
        return _UNKNOWN
    return 0.0 if record == run else _OTHER


def _kind(model: str) -> str:
    words = model.lower()
    return next((kind for kind, names in _KINDS if any(name in words for name in names)), "")


def _what_ran(record: Record, run: Here) -> Dict[str, float]:
    """Times of calls go by operation and size, those of whole runs by application; a program that
    is not one we know is another one."""
    if record.of != OPERATION:
        return {"application": 0.0 if record.application == run.application else _OTHER}
    return {
        "operation": _kinds(record.operation, run.operation or ""),
        "size": _doublings(record.size, run.size) / 2,
    }


def _hosts(record: Record, hosts: Optional[float]) -> float:
    if record.hosts and record.hosts_to and hosts:
        return _doublings(min(max(record.hosts, hosts), record.hosts_to), hosts)
    return _doublings(record.hosts, hosts)


def _doublings(record: Optional[float], run: Optional[float]) -> float:
    if not record or not run or record < 0 or run < 0:
        return _UNKNOWN
    return abs(math.log2(record / run))


def _fabric(scope: Scope) -> Optional[str]:
    return next(
        (
            fabric
            for fabric, column in _COLUMNS.items()
            if any(scope.view.cells("node", column) or ())
        ),
        None,
    )


def _first(scope: Scope, table: str, column: str) -> Optional[str]:
    return next(
        (each for each in scope.view.cells(table, column) or () if isinstance(each, str)), None
    )


def _text(scope: Scope, table: str, column: str) -> Optional[str]:
    value = scope.value(table, column)
    return value if isinstance(value, str) else None


def _number(value: object) -> Optional[float]:
    return None if isinstance(value, (bool, str, Unknown)) or value is None else float(value)  # type: ignore[arg-type]
