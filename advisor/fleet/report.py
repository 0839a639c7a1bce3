"""The report of a centre: what is lost to which causes, where, what changed, which nodes are slow.

It is composed once; Markdown, JSON and the page show the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from advisor.base.worth.site import NOTHING, Site
from advisor.fleet.query import asked, asked_in_columns, asked_in_parts, connected
from advisor.fleet.installed import arrow
from advisor.fleet.regressions import Change as Natural, all_changes
from advisor.fleet.saved_since import SavedSince, saved_since
from advisor.fleet.silences import FILE, Silences
from advisor.fleet.slow_nodes import SlowNode, observations, slow_nodes
from advisor.fleet.store import Store
from advisor.model.errors import UserError

Row = Dict[str, Any]
DAY, WEEK = timedelta(days=1), timedelta(days=7)
EVER = date(1970, 1, 1)
REMEMBERED = timedelta(days=60)
"""So long before the last day jobs are compared with those after a change."""
LEAST_JOBS = 5
"""Of an application in each of two weeks that are compared."""
LEAST_CHANGE = 0.005
"""Of all node hours of the week: smaller changes are not shown."""
MOST_CHANGES = 10


@dataclass(frozen=True)
class Change:
    """Something in two weeks, as shares of the node hours that ran in each. None: it did not run
    then."""

    what: str
    before: Optional[float]
    now: Optional[float]
    jobs_before: int
    jobs_now: int


@dataclass(frozen=True)
class Slow:
    """A slow node, by name."""

    host: str
    found: SlowNode


@dataclass(frozen=True)
class FleetReport:
    """`groups`: heading → rows with name, jobs_run, hours, lost_hours, lost_least, lost_most and
    recoverable_hours, _least, _most, by which they are ordered."""

    since: date
    until: date
    """The first day that is not in it."""
    totals: Mapping[str, Any]
    causes: List[Row]
    groups: Mapping[str, List[Row]]
    operations: List[Row]
    week: Optional[date]
    """The Monday of the last full week, which is compared with the one before it."""
    changed_rules: List[Change]
    changed_applications: List[Change]
    slow: List[Slow]
    advice: List[Row]
    """name (a rule), and to how many users' applications it was given, followed by them, muted."""
    saved: List[SavedSince]
    """What advice saved that was followed for the first time in these days."""
    verified: List[Row]
    experiments: List[Natural]
    """What takes more or less time since a library or a setting changed."""
    site: Site = NOTHING
    """Prices, and watts of nodes that nothing measured."""
    older: int = 0
    """Jobs before these days."""


def compose(store: Store, since: Union[date, timedelta], site: Site = NOTHING) -> FleetReport:
    """What the store says of the days from `since` to its last one. Raises UserError if it has no
    jobs then."""
    with connected(store) as connection:
        first, until = period(connection, store, since)
        days = {"since": first, "until": until}
        week = _last_week(until)
        return FleetReport(
            first,
            until,
            asked(connection, "totals", **days)[0],
            asked(connection, "causes", **days),
            {
                heading: asked(connection, query, **days)
                for heading, query in (
                    ("Applications", "applications"),
                    ("Users", "users"),
                    ("Accounts", "accounts"),
                    ("MPI libraries", "libraries"),
                )
            },
            asked(connection, "operations", **days),
            week,
            *_changes(connection, week),
            _slow(connection, days),
            *_advice(connection, store, first, until),
            asked(connection, "verified", **days),
            natural(connection, until),
            site,
            asked(connection, "older", since=first)[0]["jobs_run"],
        )


def period(connection: Any, store: Store, since: Union[date, timedelta]) -> Tuple[date, date]:
    """First day, and the day after the last. Raises UserError if there are no jobs."""
    whole = asked(connection, "totals", since=EVER, until=date.max)[0]
    if not whole["jobs_run"]:
        raise UserError(f"{store.path} has no jobs yet.", do="advisor fleet ingest adds some.")
    until = whole["last_day"] + DAY
    first = until - since if isinstance(since, timedelta) else since
    if first >= until:
        raise UserError(f"{store.path} has no jobs since {first}; the last is of {until - DAY}.")
    return max(first, whole["first_day"]), until


def natural(connection: Any, until: date, application: str = "") -> List[Natural]:
    """Of the two months before a day, of all applications or of one."""
    days = {"since": until - REMEMBERED, "until": until}
    jobs = asked_in_columns(connection, "series_jobs", **days)
    if application:
        jobs = jobs.filter(arrow().compute.equal(jobs["application"], application))
    settings = asked_in_columns(connection, "series_settings", **days)
    return all_changes(jobs, settings)


def _last_week(until: date) -> date:
    """The Monday of the last week that is complete: weeks of different length compare nothing."""
    return until - timedelta(days=until.weekday()) - WEEK


def _changes(connection: Any, week: date) -> Tuple[List[Change], List[Change]]:
    weeks = {"first": week - WEEK, "last": week}
    hours = {row["week"]: row["hours"] for row in asked(connection, "weeks", **weeks)}
    before, now = hours.get(week - WEEK), hours.get(week)
    if not before or not now:
        return [], []
    rules = [
        Change(
            row["rule"],
            row["hours_before"] / before,
            row["hours_now"] / now,
            int(row["jobs_before"]),
            int(row["jobs_now"]),
        )
        for row in asked(connection, "changed_rules", **weeks)
    ]
    applications = [_application(row) for row in asked(connection, "changed_applications", **weeks)]
    return _largest(rules), _largest([each for each in applications if each])


def _application(row: Row) -> Optional[Change]:
    """One with a library that few jobs used says nothing; one that is new or gone says that."""
    jobs = int(row["jobs_before"]), int(row["jobs_now"])
    if max(jobs) < LEAST_JOBS or 0 < min(jobs) < LEAST_JOBS:
        return None
    share_before = row["lost_before"] / row["hours_before"] if row["hours_before"] else None
    share_now = row["lost_now"] / row["hours_now"] if row["hours_now"] else None
    what = f"{row['name']} with {row['library']} {row['version']}".strip()
    return Change(what, share_before, share_now, *jobs)


def _largest(changes: List[Change]) -> List[Change]:
    def size(change: Change) -> float:
        return abs((change.now or 0.0) - (change.before or 0.0))

    kept = [each for each in changes if size(each) >= LEAST_CHANGE]
    return sorted(kept, key=lambda each: (-size(each), each.what))[:MOST_CHANGES]


def _advice(
    connection: Any, store: Store, first: date, until: date
) -> Tuple[List[Row], List[SavedSince]]:
    """By mails, which are written after the last job as well."""
    try:
        silences = Silences(store.path / FILE)
    except UserError:
        return [], []  # Who may read the tables need not be the account that writes mails.
    followed = silences.followed(first, date.max)
    return silences.by_rule(first, date.max), saved_since(connection, followed, until)


def _slow(connection: Any, days: Mapping[str, date]) -> List[Slow]:
    seen, hosts = observations(asked_in_parts(connection, "lateness", **days))
    return [Slow(hosts[each.host], each) for each in slow_nodes(seen)]
