"""OpenMetrics of a store, for Prometheus: a file that node_exporter's textfile collector reads.

Monitoring keeps each series for ever. So only what the centre allows becomes a label, only the
largest of each kind are told, and there are never more than `most` series. Prometheus has seconds
where the store has hours: promtool asks for base units.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Tuple

from advisor.base.metric_labels import Labels, escaped, labels, written
from advisor.fleet.handing_over.request import Request
from advisor.fleet.query import asked, asked_in_parts
from advisor.fleet.slow_nodes import observations, slow_nodes

Row = Mapping[str, Any]
Sample = Tuple[Labels, Optional[float]]
_TOTALS = {
    "jobs": ("jobs_run", "Jobs in these days."),
    "users": ("users_seen", "Users of these jobs."),
    "node_seconds": ("hours", "Elapsed time of these jobs times their nodes."),
    "lost_node_seconds": ("lost_hours", "Node seconds that they lost to causes that are known."),
    "lost_node_seconds_low": ("lost_least", "Lower end of the interval of what was lost."),
    "lost_node_seconds_high": ("lost_most", "Upper end of the interval of what was lost."),
    "energy_joules": ("watt_hours", "Energy of these jobs, where it was measured."),
}
_OF_EACH = {
    "jobs": ("jobs_run", "Jobs"),
    "node_seconds": ("hours", "Node seconds"),
    "lost_node_seconds": ("lost_hours", "Node seconds lost"),
    "lost_node_seconds_low": ("lost_least", "Lower end of the node seconds lost"),
    "lost_node_seconds_high": ("lost_most", "Upper end of the node seconds lost"),
}
"""End of a family's name → column of the query, and what it is."""
_OF_RULE = {
    "jobs": ("jobs_hit", "Jobs"),
    **{end: about for end, about in _OF_EACH.items() if end.startswith("lost")},
}
_OF_JOB = {
    "node_seconds": ("node_hours", "Node seconds"),
    "lost_node_seconds": ("lost", "Node seconds lost"),
    "lost_node_seconds_low": ("lost_low", "Lower end of the node seconds lost"),
    "lost_node_seconds_high": ("lost_high", "Upper end of the node seconds lost"),
}


class _Kind(NamedTuple):
    """A query whose rows are told apart by labels: label → column."""

    query: str
    by: Mapping[str, str]
    families: Mapping[str, Tuple[str, str]]


class _Family(NamedTuple):
    """The end of its name, its help text, and its samples, the largest first."""

    end: str
    said: str
    samples: List[Sample]


KINDS: Mapping[str, Optional[_Kind]] = {
    "rule": _Kind("causes", {"rule": "rule"}, _OF_RULE),
    "application": _Kind("applications", {"application": "name"}, _OF_EACH),
    "library": _Kind("libraries", {"library": "name", "version": "version"}, _OF_EACH),
    "user": _Kind("users", {"user": "name"}, _OF_EACH),
    "account": _Kind("accounts", {"account": "name"}, _OF_EACH),
    "node": None,
    "job": _Kind("worst_jobs", {"cluster": "cluster", "job": "job", "step": "step"}, _OF_JOB),
}
"""What may be told apart. Slow nodes are no query's answer."""
_SECONDS = 3600.0
_IN_HOURS = re.compile("node_seconds|joules")
_OWN_SERIES = len(_TOTALS) + 1
"""Totals, and what was left out."""


def open_metrics(request: Request) -> Iterator[str]:
    """All families and the end mark. Labels that jobs chose are in one line, cut and escaped."""
    total = asked(request.connection, "totals", **request.days)[0]
    for end, (column, said) in _TOTALS.items():
        yield from _family(end, said, [((), total[column])])
    left_out, left = 0, max(0, request.most - _OWN_SERIES)
    allowed = [name for name in KINDS if name in request.labels]
    for place, name in enumerate(allowed):
        # What one kind does not need is there for those that follow.
        share = left // (len(allowed) - place)
        families = list(_families_of(name, request))
        rows = share // len(families)
        for family in families:
            kept = family.samples[:rows]
            yield from _family(f"{name}_{family.end}", family.said, kept)
            left, left_out = left - len(kept), left_out + len(family.samples) - len(kept)
    said = "Series that were left out, because there would have been too many."
    yield from _family("series_left_out", said, [((), left_out)])
    yield "# EOF\n"


def _told_apart(kind: _Kind, rows: Iterable[Row]) -> List[Tuple[Labels, Row]]:
    """Two names may look alike once they are cut: a series must not stand there twice, and the
    first one loses most."""
    found: Dict[Labels, Row] = {}
    for row in rows:
        own = labels(*((label, str(row[column] or "")) for label, column in kind.by.items()))
        found.setdefault(own or ((next(iter(kind.by)), "unknown"),), row)
    return list(found.items())


def _families_of(name: str, request: Request) -> Iterator[_Family]:
    kind = KINDS[name]
    if kind is None:
        yield _slow_nodes(request)
        return
    rows = _told_apart(kind, asked(request.connection, kind.query, **request.days))
    for end, (column, said) in kind.families.items():
        yield _Family(end, f"{said}, by {name}.", [(own, row[column]) for own, row in rows])


def _family(name: str, said: str, samples: Iterable[Sample]) -> Iterator[str]:
    known = [(own, value) for own, value in samples if value is not None]
    if known:
        yield f"# TYPE advisor_fleet_{name} gauge\n# HELP advisor_fleet_{name} {escaped(said)}\n"
    for own, value in known:
        scaled = float(value) * (_SECONDS if _IN_HOURS.search(name) else 1.0)
        yield f"advisor_fleet_{name}{written(own)} {scaled!r}\n"


def _slow_nodes(request: Request) -> _Family:
    lateness = asked_in_parts(request.connection, "lateness", **request.days)
    seen, hosts = observations(lateness)
    found = [(labels(("node", hosts[each.host])), each.effect) for each in slow_nodes(seen)]
    said = "How much longer ranks compute on a slow node than on others."
    return _Family("lateness_ratio", said, list(found))
