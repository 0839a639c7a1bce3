"""Node hours of the report as kWh, money and CO2: what was measured where it was, and the site's
constant for the rest. What is not known has no column."""

from __future__ import annotations

from typing import Any, Iterator, List, Mapping, Optional, Tuple

from advisor.base import numbers as write
from advisor.base.worth.amounts import Amounts, Rates, units
from advisor.fleet.report import FleetReport
from advisor.fleet.section import Section

NAMES = ("", "kWh", "", "CO2, kg")
"""Of the amounts behind node hours; that of money is its currency."""
FAULTS = (
    "For {count} of the jobs an energy was measured that cannot be true; it is not used. Each job says why:"
    " advisor fleet job."
)
MEASURED = "Energy was measured in {count} of {jobs} jobs"
CONSTANT = "{hours} node hours without a measurement count with {watts}\u00a0W a node ({source})"
WAITING = "Energy while waiting is that of the node at its mean power: ranks that wait in MPI mostly poll."


def columns(report: FleetReport) -> Tuple[str, ...]:
    """Headings of what is known."""
    return tuple(_heading(place, report) for place in _known(report))


def cells(row: Mapping[str, Any], report: FleetReport) -> Tuple[str, ...]:
    """The worth of a row's node hours lost. Their interval is that of the node hours."""
    found = _amounts(report, row["lost_hours"], row["lost_watt_hours"], row["unmetered_hours"])
    return tuple(_cell(found[place]) for place in _known(report))


def whole(report: FleetReport) -> Section:
    """What ran, what of it waited, and what findings explain. The three are no sum: what is lost
    may be waiting."""
    totals, places = report.totals, _known(report)
    lost, watt_hours, unmetered = (
        sum(row[name] for row in report.causes)
        for name in ("lost_hours", "lost_watt_hours", "unmetered_hours")
    )
    rows = [
        (name, *(_cell(found[place]) for place in (0, *places)))
        for name, found in (
            ("All that ran", _of_all(report)),
            (
                "While waiting in MPI",
                _amounts(
                    report,
                    totals["wait_hours"],
                    totals["wait_watt_hours"],
                    totals["unmetered_wait_hours"],
                ),
            ),
            ("What findings explain", _amounts(report, lost, watt_hours, unmetered)),
        )
    ]
    headings = ("", "Node hours", *columns(report))
    return Section("Energy and money", WAITING, headings, rows if places else [])


def notes(report: FleetReport) -> List[str]:
    """Where the numbers are from, and what was not believed."""
    return list(_notes(report))


def _notes(report: FleetReport) -> Iterator[str]:
    totals, site = report.totals, report.site
    known, jobs = totals["jobs_with_energy"], totals["jobs_run"]
    if 1 in _known(report):
        said = MEASURED.format(count=write.count(known), jobs=write.count(jobs))
        if totals["unmetered_hours"]:
            said += "; " + CONSTANT.format(
                hours=write.number(totals["unmetered_hours"]),
                watts=write.number(_watts_elsewhere(report)),
                source=site.source or "the site" if site.watts_per_node else "as the others",
            )
        yield said + "."
    if any(place > 1 for place in _known(report)):
        yield f"Prices and CO2: {site.source or 'the site'}."
    if totals["jobs_with_faults"]:
        yield FAULTS.format(count=write.count(int(totals["jobs_with_faults"])))


def _known(report: FleetReport) -> Tuple[int, ...]:
    """Places of the amounts that are known of all that ran."""
    found = _of_all(report)
    return tuple(place for place in (1, 2, 3) if found[place] is not None)


def _of_all(report: FleetReport) -> Amounts:
    totals = report.totals
    return _amounts(report, totals["hours"], totals["watt_hours"], totals["unmetered_hours"])


def _amounts(report: FleetReport, hours: float, watt_hours: float, unmetered: float) -> Amounts:
    """`unmetered`: those of the hours of which nothing measured the energy."""
    constant = _watts_elsewhere(report)
    watts = None if constant is None else watt_hours + unmetered * constant
    return Rates(watts and (watts / hours if hours else 0.0), "", report.site).amounts(hours)


def _watts_elsewhere(report: FleetReport) -> Optional[float]:
    """Of nodes that nothing measured: the site's constant, else as much as those that were
    measured take."""
    totals = report.totals
    measured = totals["hours"] - totals["unmetered_hours"]
    if report.site.watts_per_node is not None:
        return report.site.watts_per_node
    return totals["watt_hours"] / measured if totals["jobs_with_energy"] and measured else None


def _heading(place: int, report: FleetReport) -> str:
    return NAMES[place] or units(report.site.currency)[place]


def _cell(amount: Optional[float]) -> str:
    return "" if amount is None else write.number(amount)
