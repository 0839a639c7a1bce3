"""What results are worth: the site's prices, and the energy that was measured beside a profile."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Optional, Sequence

from advisor.base import trusted_files
from advisor.base.worth.amounts import Rates, node_hours, rates, words
from advisor.base.worth.faults import Energy, believed
from advisor.base.worth.site import NOTHING, Site, known
from advisor.cli.messages import complain
from advisor.cli.metering import FILE
from advisor.cli.remembered import folder_of
from advisor.model.comparison import Comparison
from advisor.model.errors import UserError
from advisor.model.measures import Measures
from advisor.model.profile import Profile
from advisor.model.verified import Verified

_LARGEST = 1 << 16


def rates_of(profile: Profile) -> Rates:
    """What an hour of the profile's nodes is worth."""
    site = site_here()
    measured = _measured(profile, site)
    if measured is None or measured.watts is None:
        return rates(site)
    return rates(site, measured.watts, f"{measured.source}, of the whole node")


def site_here() -> Site:
    """The site's file. One that cannot be used is said, and hides nothing else."""
    try:
        return known(os.environ)
    except UserError as problem:
        complain(problem)
        return NOTHING


def _measured(profile: Profile, site: Site) -> Optional[Energy]:
    """Of the one node that the run had, if that is the node whose counters were read."""
    folder = folder_of(profile)
    if folder is None or len(profile.nodes) != 1:
        return None
    try:
        with trusted_files.plain(folder / FILE, FILE) as file:
            content = json.loads(trusted_files.bounded(file, _LARGEST, FILE))
        if content["host"].split(".")[0] != profile.nodes[0].name.split(".")[0]:
            return None
        joules, seconds = content["joules"], float(content["seconds"])
        source = str(content["source"])[:40]
        return believed(source, joules and float(joules), seconds, 1, site.most_watts)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def saved(found: Verified, profile: Profile) -> str:
    """What a verified change saves in each run; empty if it saves nothing that is known."""
    nodes = len(profile.nodes)
    if found.verdict != "better" or found.baseline is None or not nodes:
        return ""
    if found.low is None or found.high is None or found.metric != "wall clock":
        return ""
    worth = rates_of(profile)
    ends = [-end * node_hours(found.baseline, nodes) for end in (found.high, found.low)]
    low, high = map(worth.amounts, ends)
    return f"{found.name} saves {words(low, high, worth.site.currency)} in each run"


def compared(comparison: Comparison, measures: Sequence[Measures]) -> Comparison:
    """With what the first and the last run took. Node hours that seconds say better are left
    out."""
    took = [_took(each) for each in measures]
    if None in took:
        return comparison
    sentence = f"The runs took {took[0]} before and {took[1]} now."
    return replace(comparison, remarks=(*comparison.remarks, sentence))


def _took(measures: Measures) -> Optional[str]:
    from advisor.reports.composing.worth import of_run, worth_rows
    from advisor.reports.lookup import Lookup

    worth = rates_of(measures.profile)
    return of_run(worth_rows(Lookup(measures), (), worth), worth) or None
