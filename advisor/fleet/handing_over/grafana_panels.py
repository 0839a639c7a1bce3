"""What stands on the dashboard, and where."""

from __future__ import annotations

from typing import Any, Mapping, NamedTuple, Optional, Sequence

_HOURS: Mapping[str, Any] = {"unit": "none", "decimals": 1, "noValue": "-"}
_BARS: Mapping[str, Any] = {
    "orientation": "auto",
    "xField": "Week",
    "showValue": "never",
    "stacking": "none",
    "barWidth": 0.8,
    "groupWidth": 0.7,
    "xTickLabelRotation": 0,
    "xTickLabelSpacing": 0,
    "fullHighlight": False,
    "tooltip": {"mode": "multi", "sort": "none"},
    "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []},
}
_NUMBERS: Mapping[str, Any] = {
    "reduceOptions": {"calcs": ["lastNotNull"], "values": False, "fields": "/.*/"},
    "colorMode": "none",
    "graphMode": "none",
    "justifyMode": "auto",
    "orientation": "auto",
    "textMode": "value_and_name",
    "wideLayout": True,
    "showPercentChange": False,
    "percentChangeColorMode": "standard",
}
_TABLE: Mapping[str, Any] = {"showHeader": True, "cellHeight": "sm"}
_ENDS = (
    *("lost_least", "lost_most", "lost_low", "lost_high"),
    *("recoverable_least", "recoverable_most", "recoverable_low", "recoverable_high"),
)


class Panel(NamedTuple):
    """A query of fleet.sql, shown as `kind`. `hidden`: columns that are not."""

    query: str
    title: str
    width: int = 12
    kind: str = "table"
    height: int = 9
    said: str = ""
    hidden: Sequence[str] = ()
    options: Mapping[str, Any] = _TABLE
    defaults: Mapping[str, Any] = _HOURS


class Section(NamedTuple):
    """A row of the dashboard; `variable` is $name of its queries."""

    title: str
    panels: Sequence[Panel]
    variable: Optional[str] = None


class Variable(NamedTuple):
    """What a reader chooses: one of the answers of a query, or any text."""

    label: str
    query: Optional[str] = None
    column: str = "name"


VARIABLES: Mapping[str, Variable] = {
    "user": Variable("User", "users"),
    "application": Variable("Application", "applications"),
    "rule": Variable("Cause", "causes", "rule"),
    "host": Variable("Node"),
    "job": Variable("Job"),
}
TITLES: Mapping[str, str] = {
    "heading": "What",
    "rule": "Cause",
    "name": "Name",
    "version": "Version",
    "week": "Week",
    "jobs_run": "Jobs",
    "jobs_hit": "Jobs",
    "users_seen": "Users",
    "users_hit": "Users",
    "applications_seen": "Applications",
    "hours": "Node hours",
    "node_hours": "Node hours",
    "lost": "Node hours lost",
    "lost_hours": "Node hours lost",
    "lost_least": "at least",
    "lost_most": "at most",
    "lost_low": "at least",
    "lost_high": "at most",
    "recoverable": "Node hours that may be saved",
    "recoverable_hours": "Node hours that may be saved",
    "recoverable_least": "saved at least",
    "recoverable_most": "saved at most",
    "recoverable_low": "saved at least",
    "recoverable_high": "saved at most",
    "doable_hours": "with a remedy for users",
    "hours_now": "Last week",
    "hours_before": "The week before",
    "lost_now": "Lost last week",
    "lost_before": "Lost the week before",
    "jobs_now": "Jobs last week",
    "jobs_before": "Jobs the week before",
    "user_name": "User",
    "library_version": "Version",
    "lateness": "Later than others (logarithm)",
}
"""Column → its heading. Two columns of one query never have the same."""
PANELS: Sequence[Section] = (
    Section(
        "All jobs",
        (
            Panel(
                "totals",
                "In these days",
                width=24,
                kind="stat",
                height=4,
                options=_NUMBERS,
                hidden=(
                    *("watt_hours", "unmetered_hours", "wait_hours", "wait_watt_hours"),
                    *("unmetered_wait_hours", "jobs_with_energy", "jobs_with_faults"),
                    *("jobs_accounted", "first_day", "last_day"),
                ),
            ),
            Panel(
                "causes",
                "Causes by node hours that may be saved",
                said="Each second of a job belongs to one cause at most: these may be added up.",
            ),
            Panel("weeks", "Node hours by week", kind="barchart", options=_BARS),
            Panel("applications", "Applications", hidden=_ENDS),
            Panel("users", "Users", hidden=_ENDS),
            Panel("accounts", "Accounts", hidden=_ENDS),
            Panel("libraries", "MPI libraries", hidden=_ENDS),
            Panel("operations", "MPI operations"),
            Panel("verified", "What trials said of advice"),
            Panel("worst_jobs", "Jobs that lose most", width=24, hidden=_ENDS),
        ),
    ),
    Section(
        "The last full week and the one before",
        (Panel("changed_rules", "Causes"), Panel("changed_applications", "Applications")),
    ),
    Section(
        "User $user",
        (
            Panel("causes_of_user", "Causes", hidden=_ENDS),
            Panel("jobs_of_user", "Jobs that lose most"),
        ),
        "user",
    ),
    Section(
        "Application $application",
        (
            Panel("causes_of_application", "Causes", hidden=_ENDS),
            Panel("users_of_application", "Users"),
        ),
        "application",
    ),
    Section(
        "Cause $rule",
        (
            Panel("users_of_rule", "Users", hidden=_ENDS),
            Panel("jobs_of_rule", "Jobs that lose most", hidden=_ENDS),
        ),
        "rule",
    ),
    Section("Node $host", (Panel("jobs_of_host", "Its jobs", width=24),), "host"),
    Section(
        "Job $job",
        (
            Panel("job", "Its steps", width=24, hidden=("profile", *_ENDS)),
            Panel("findings_of_job", "Findings", width=24, hidden=("place", *_ENDS)),
        ),
        "job",
    ),
)
