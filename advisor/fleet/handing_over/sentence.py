"""What a job loses, in one line of at most 200 plain letters."""

from __future__ import annotations

import re

from advisor.fleet.handing_over.jobs import Job

LONGEST = 200
MOST_CAUSES = 3
_UNUSUAL = re.compile(r"[^A-Za-z0-9 .:_%+-]")
"""Neither quotes nor what a shell, sacctmgr (which ends values at commas) or a page would read as
more than text."""


def sentence(job: Job) -> str:
    """advisor: 0.42 of 2.50 node hours lost: many-barriers 0.30 + late-rank 0.12"""
    lost, hours = job.total("lost"), job.total("node_hours")
    causes = job.causes()
    if not causes:
        return plain(f"advisor: none of {written(hours)} node hours lost to a known cause")
    named = " + ".join(f"{rule} {written(each)}" for rule, each in causes[:MOST_CAUSES])
    more = f" + {len(causes) - MOST_CAUSES} more" if len(causes) > MOST_CAUSES else ""
    return plain(f"advisor: {written(lost)} of {written(hours)} node hours lost: {named}{more}")


def plain(text: str) -> str:
    """Letters that mean nothing to anybody; others become _."""
    return _UNUSUAL.sub("_", text)[:LONGEST]


def written(hours: float) -> str:
    """Two digits that count: jobs of a minute and of a month stand in one list."""
    return f"{hours:.2f}" if hours >= 1 or not hours else f"{hours:.2g}"
