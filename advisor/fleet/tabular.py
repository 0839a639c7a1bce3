"""The report as tables of words: what Markdown and the page have in common."""

from __future__ import annotations

from collections import Counter
from datetime import date
from typing import Any, List, Mapping, Optional, Tuple

from advisor.base import numbers as write
from advisor.fleet import worth
from advisor.fleet.muting import ALL
from advisor.fleet.regressions import Change as Natural, told
from advisor.fleet.report import DAY, Change, FleetReport, Row
from advisor.fleet.section import Section
from advisor.model.interval import interval

MOST_ROWS = 20
LEAST_SHARE = 0.001
"""Of the node hours that ran: rows that lose less stand together in one."""
SHARED = (
    "Node hours lost, and those of them that may be saved, may be added up: each second of a job"
    " belongs to one finding at most. Lost is the computation, waiting and transfer that a finding"
    " explains; what its remedy gives back of that may be saved, and the rest stays: waiting that"
    " moves to the next call, or time without a remedy. Upper ends are ceilings; lower ends are"
    " above 0 only for jobs whose ranks had cores of their own."
)
NOTHING, STAYS = 0.01, "nothing: it stays"
"""Of what is lost: if less comes back, the row says so in place of a number."""
NATURAL = (
    "Runs of the same program, size and work before and after, in 60 days. Something that nobody"
    " recorded may have changed on the same day: advisor verify can tell."
)
ADVICE = (
    "Findings of users' applications in mails. Followed: a trial proved the remedy better, or five"
    " jobs of the application ran without the finding. Saved since: node hours that would have been"
    " lost at the rate of the 30 days before the first mail, less those that were, with a 95 %"
    " interval. That compares before and after and is no experiment: other jobs may have run, and"
    " mails choose what had just lost much."
)
CLAIMED = (
    "Of {count} jobs no row of the scheduler is known: their time and their nodes are what their"
    " profiles say."
)


def headline(report: FleetReport) -> str:
    """The first sentence."""
    totals = report.totals
    if not totals["hours"]:
        return f"{write.counted(totals['jobs_run'], 'job')} took no time."
    share = write.percent(totals["lost_hours"] / totals["hours"])
    doable, all_causes = (
        sum(row[name] for row in report.causes) for name in ("doable_hours", "recoverable_hours")
    )
    own = f"; {_of(doable, all_causes)} of that by what users can do themselves"
    return (
        f"Findings explain {_hours(totals)} of {write.number(totals['hours'])} node hours"
        f" ({share})."
        f" Of these may be saved: {saved(totals)}{own if all_causes else ''}."
    )


def facts(report: FleetReport) -> str:
    """What the numbers are of."""
    totals = report.totals
    parts = [
        days_told(report.since, report.until, report.older),
        write.counted(totals["jobs_run"], "job"),
        write.counted(totals["users_seen"], "user"),
        write.counted(totals["applications_seen"], "application"),
    ]
    return " \u00b7 ".join(parts)


def days_told(first: date, until: date, older: int) -> str:
    """The days that are looked at, and how many jobs are not."""
    said = f"{first} to {until - DAY} ({write.counted((until - first).days, 'day')})"
    return f"{said}; {left_out(older)}, see --since" if older else said


def left_out(older: int) -> str:
    """Jobs before the days that are looked at."""
    return f"{write.counted(older, 'older job')} left out"


def sections(report: FleetReport) -> List[Section]:
    """All tables, in the order of the page."""
    found = [_causes(report), worth.whole(report), *_groups(report), *_weeks(report), _slow(report)]
    found += [natural_experiments(report.experiments), _operations(report)]
    found += [_advice(report), _verified(report)]
    return [each for each in found if each.rows or each.empty]


def notes(report: FleetReport) -> List[str]:
    """What limits all of it."""
    claimed = report.totals["jobs_run"] - int(report.totals["jobs_accounted"])
    said = [CLAIMED.format(count=write.count(claimed))] if claimed else []
    return [SHARED, *said, *worth.notes(report)]


def _causes(report: FleetReport) -> Section:
    kept, more = _folded(report.causes, report)
    rows = [_cause(row, row["heading"], row["rule"], report) for row in kept]
    if more:
        summed = _summed(more)
        rows.append(_cause({**summed, "users_hit": None}, _more(more, report), "", report))
    columns = ("Cause", "Rule", "May be saved", "Node hours lost", "Jobs", "Users")
    headings = (*columns, "With a remedy for users", *worth.columns(report))
    return Section("Causes", "", headings, rows, 2, "No rule found anything.")


def _cause(row: Mapping[str, Any], heading: str, rule: str, report: FleetReport) -> Tuple[str, ...]:
    return (
        heading,
        rule,
        saved(row),
        _hours(row),
        write.count(row["jobs_hit"]),
        "" if row["users_hit"] is None else write.count(row["users_hit"]),
        _of(row["doable_hours"], row["recoverable_hours"]) if row["recoverable_hours"] else "",
        *worth.cells(row, report),
    )


def _groups(report: FleetReport) -> List[Section]:
    return [_group(title, found, report) for title, found in report.groups.items()]


def _group(title: str, found: List[Row], report: FleetReport) -> Section:
    kept, more = _folded(found, report)
    named = [(" ".join(filter(None, (row["name"], row.get("version", "")))), row) for row in kept]
    if more:
        named.append((_more(more, report), _summed(more)))
    rows = [
        (
            name,
            saved(row),
            _hours(row),
            write.number(row["hours"]),
            _of(row["lost_hours"], row["hours"]),
            write.count(row["jobs_run"]),
            *worth.cells(row, report),
        )
        for name, row in named
    ]
    first = title[:-1] if title != "MPI libraries" else "Library"
    columns = (first, "May be saved", "Node hours lost", "Node hours run", "Lost share", "Jobs")
    return Section(title, "", (*columns, *worth.columns(report)), rows)


def _folded(rows: List[Row], report: FleetReport) -> Tuple[List[Row], List[Row]]:
    """Those that get a line, and those that stand together in one."""
    least = LEAST_SHARE * report.totals["hours"]
    large = [row for row in rows if row["lost_hours"] >= least][:MOST_ROWS]
    more = [row for row in rows if row not in large]
    return (large, more) if large else (rows[:MOST_ROWS], rows[MOST_ROWS:])


def _more(rows: List[Row], report: FleetReport) -> str:
    largest = max(row["lost_hours"] for row in rows)
    below = ", each below 0.1 %" if largest < LEAST_SHARE * report.totals["hours"] else ""
    return f"{write.count(len(rows))} more{below}"


def _summed(rows: List[Row]) -> Row:
    """All numbers of several rows."""
    numbers = [name for name, value in rows[0].items() if isinstance(value, (int, float))]
    return {name: sum(row[name] for row in rows) for name in numbers}


def _weeks(report: FleetReport) -> List[Section]:
    if report.week is None:
        return []
    note = (
        f"The week of {report.week} beside the week before, as shares of the node hours that ran."
        " Other jobs may have run: this shows where to look, and proves nothing."
    )
    columns = ("Before", "Now", "Jobs before", "Jobs now")
    empty = "Nothing changed by 0.5 % of the node hours, or there is no earlier week."
    return [
        Section(
            "Changed causes",
            note,
            ("Rule", *columns),
            [_change(each) for each in report.changed_rules],
            empty=empty,
        ),
        Section(
            "Changed applications",
            "Lost share of the application's own node hours; library versions apart.",
            ("Application", *columns),
            [_change(each) for each in report.changed_applications],
        ),
    ]


def _slow(report: FleetReport) -> Section:
    rows = [
        (
            each.host,
            f"{write.percent(each.found.effect)} ({write.percent(max(0.0, each.found.low))} to"
            f" {write.percent(each.found.high)})",
            write.count(each.found.jobs),
            write.count(each.found.users),
        )
        for each in report.slow[:MOST_ROWS]
    ]
    note = "Computation takes longer on them in jobs of several users, whichever ranks they hold."
    columns = ("Node", "Longer by", "Jobs", "Users")
    empty = "No node is late in the jobs of three users and more."
    return Section("Slow nodes", note if rows else "", columns, rows, empty=empty)


def natural_experiments(found: List[Natural]) -> Section:
    """Slower first."""
    rows = [
        (
            ", ".join(filter(None, (each.names[1], f"{each.names[2]} nodes", each.names[0]))),
            told(each),
            str(each.since),
            write.time_saved(1 + each.low, 1 + each.high),
            write.count(each.jobs_before),
            write.count(each.jobs_now),
        )
        for each in sorted(found, key=lambda each: -each.effect)[:MOST_ROWS]
    ]
    columns = ("Jobs", "What changed", "Since", "A run takes", "Jobs before", "Jobs now")
    return Section("Since libraries and settings changed", NATURAL, columns, rows, 2)


def _operations(report: FleetReport) -> Section:
    least = LEAST_SHARE * report.totals["hours"]
    rows = [
        (row["name"], write.number(row["hours"]), write.count(row["jobs_run"]))
        for row in report.operations
        if row["hours"] >= least
    ]
    return Section("MPI operations", "", ("Operation", "Node hours inside", "Jobs"), rows)


def _advice(report: FleetReport) -> Section:
    names = ("given", "followed", "muted")
    rows = [
        (
            row["name"] if row["name"] != ALL else "all rules",
            *(write.count(row[each]) for each in names),
            _saved_since(row["name"], report),
        )
        for row in report.advice[:MOST_ROWS]
    ]
    columns = ("Rule", "Mailed", "Of these followed", "Muted", "Saved since, node hours")
    return Section("Advice to users", ADVICE, columns, rows)


def _saved_since(rule: str, report: FleetReport) -> str:
    """Of all who followed it. Ends are added up: that needs no assumption on their errors."""
    found = [each for each in report.saved if each.rule == rule]
    known = [
        (each.saved_hours, each.saved_least, each.saved_most) for each in found if not each.why
    ]
    parts = []
    if known:
        value, least, most = (write.number(sum(column)) for column in zip(*known))
        parts = [f"{value} ({least} to {most})"]
    missing = Counter(each.why for each in found if each.why)
    return "; ".join([*parts, *(f"{why}: {write.count(missing[why])}" for why in sorted(missing))])


def _verified(report: FleetReport) -> Section:
    rows = [
        (row["name"] or "own settings", row["verdict"], write.count(row["trials"]), _effect(row))
        for row in report.verified
    ]
    note = "What trials with advisor verify said of changes; time, not node hours of the centre."
    columns = ("Rules", "Verdict", "Trials", "Time on average")
    return Section("Verified advice", note, columns, rows, 2)


def _effect(row: Mapping[str, Any]) -> str:
    mean: Optional[float] = row["mean_effect"]
    return "?" if mean is None else write.time_saved(1 + mean)


def _change(change: Change) -> Tuple[str, ...]:
    before = "did not run" if change.before is None else write.percent(change.before)
    now = "did not run" if change.now is None else write.percent(change.now)
    return change.what, before, now, write.count(change.jobs_before), write.count(change.jobs_now)


def _hours(row: Mapping[str, Any]) -> str:
    return hours(row["lost_hours"], row["lost_least"], row["lost_most"])


def saved(row: Mapping[str, Any]) -> str:
    """What remedies give back; a cause whose time stays says so."""
    names = ("recoverable", "recoverable_low", "recoverable_high", "lost")
    if "recoverable_hours" in row:
        names = ("recoverable_hours", "recoverable_least", "recoverable_most", "lost_hours")
    value, least, most, lost = (row[name] or 0.0 for name in names)
    return STAYS if lost > 0 and most < NOTHING * lost else hours(value, least, most)


def hours(value: float, least: float, most: float) -> str:
    """A number, or its interval where that is wide: the house's rule for all numbers."""
    return write.reported(interval(value, least, most), write.number(value), write.number)


def _of(part: float, whole: float) -> str:
    return write.percent(part / whole) if whole else "?"
