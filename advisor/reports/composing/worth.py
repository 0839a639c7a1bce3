"""Node hours, energy, money and CO2 of the run and of what findings may save, as a table. What is
not known has no column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, List, Optional, Sequence, Tuple

from advisor.base.worth.amounts import LEAST_NODE_HOURS, Amounts, Rates, node_hours, words, written
from advisor.model.finding import Finding
from advisor.model.message import joined, known, message
from advisor.reports.composing.whole_run import whole
from advisor.reports.document import Line
from advisor.reports.figures import Cell, Grid, Heading
from advisor.reports.lookup import Lookup

SHARED = message("Findings share time: what they may save must not be added up.")
POLLING = message("Waiting counts with the node's mean power: ranks that wait in MPI mostly poll.")
_HEADINGS = (message("Node hours"), message("kWh"), "", message("kg CO2"))


@dataclass(frozen=True)
class Row:
    """`rule`: of the finding that may save it; empty for the run itself. Both ends are the same of
    what is known."""

    what: str
    rule: str
    low: Amounts
    high: Amounts


def worth_rows(run: Lookup, findings: Sequence[Finding], rates: Rates) -> Tuple[Row, ...]:
    """The run, its waiting where energy is known, and findings with a gain; nothing of a run whose
    nodes are not known, or so small that seconds say it better."""
    nodes, seconds = run.number("run.nodes"), whole(run)
    if not nodes or not seconds:
        return ()
    if not rates.priced and node_hours(seconds, nodes) < LEAST_NODE_HOURS:
        return ()

    def row(what: str, rule: str, low: float, high: float) -> Row:
        low, high = (node_hours(each, nodes) for each in (low, high))
        return Row(what, rule, rates.amounts(low), rates.amounts(high))

    found = [row(message("the whole run"), "", seconds, seconds)]
    wait = run.number("run.wait_time")
    if wait and rates.watts is not None:
        found.append(row(message("of it waiting in MPI"), "", wait, wait))
    for each in findings:
        if each.saving:
            title = message("may be saved: {title}", title=each.title)
            found.append(row(title, each.rule, each.saving.low, each.saving.high))
    return tuple(found)


def worth_table(found: Sequence[Row], rates: Rates) -> Tuple[Grid, ...]:
    """The rows in words; nothing if there are none."""
    if not found:
        return ()
    places = [at for at in range(4) if found[0].low[at] is not None]
    headings = (
        Heading(message("Run or finding")),
        *(Heading(_HEADINGS[at] or known(rates.site.currency), numeric=True) for at in places),
    )
    cells = tuple(
        (Cell(row.what), *(_cell(row.low[at], row.high[at]) for at in places)) for row in found
    )
    return (Grid("worth", message("What it is worth"), headings, cells, _note(found, rates)),)


def worth_lines(found: Sequence[Row], rates: Rates) -> Tuple[Line, ...]:
    """The same where there is no room for a table."""
    parts = [
        message("{what}: {amounts}", what=row.what, amounts=words(row.low, row.high, currency))
        for currency in (rates.site.currency,)
        for row in found
    ]
    return (Line(message("What it is worth"), joined("; ", parts)),) if parts else ()


def of_run(found: Sequence[Row], rates: Rates) -> str:
    """The whole run, in a few words; empty if it is not known."""
    return words(found[0].low, found[0].high, rates.site.currency) if found else ""


def _note(found: Sequence[Row], rates: Rates) -> str:
    several = sum(bool(row.rule) for row in found) > 1
    parts: List[str] = [SHARED] if several else []
    parts += [POLLING] if rates.watts is not None else []
    parts += [f"{source[:1].upper()}{source[1:]}." for source in rates.sources()]
    return joined(" ", parts) if parts else ""


def _cell(low: Optional[float], high: Optional[float]) -> Cell:
    if low is None or high is None:
        return Cell("?")
    return Cell(written(low, high), high)


def plain_worth(found: Sequence[Row], rates: Rates) -> Optional[dict]:
    """For machines: each amount as [low, high]."""
    return (
        {
            "currency": rates.site.currency,
            "sources": list(rates.sources()),
            "rows": list(_plain(found)),
        }
        if found
        else None
    )


def _plain(found: Sequence[Row]) -> Iterator[dict]:
    for row in found:
        ends = zip(("node_hours", "kwh", "money", "co2_kg"), row.low, row.high)
        amounts = {name: None if low is None else [low, high] for name, low, high in ends}
        yield {"what": str(row.what), "rule": row.rule, **amounts}
