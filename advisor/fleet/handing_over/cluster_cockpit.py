"""Tags and metadata for ClusterCockpit: one JSON object a line and job, with the names that its
schema of a job's metadata has (job-meta.schema.json of cc-lib).

Its start of a job is Slurm's; the store has that of steps, so `startTime` is left out: its REST
interface then takes the last job of that number.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, Optional

from advisor.fleet.handing_over.jobs import Job, jobs
from advisor.fleet.handing_over.request import Request
from advisor.fleet.handing_over.sentence import sentence
from advisor.model.harmless import json_text, visible

TAG = "advisor"
MOST_TAGS = 5
_LONGEST = 64
"""Letters of a tag's name: it stands in lists of all jobs."""


def lines(request: Request) -> Iterator[str]:
    """Jobs with a number; others ClusterCockpit cannot know."""
    for job in jobs(request):
        found = as_metadata(job)
        if found:
            yield json_text(found) + "\n"


def as_metadata(job: Job) -> Optional[Dict[str, Any]]:
    """Part of a job's metadata. Values of `metaData` are texts in ClusterCockpit."""
    if not job.number.isdecimal() or not job.number.isascii() or int(job.number) >= 2**63:
        return None
    row = job.largest
    said = {
        "advisor": sentence(job),
        "advisorApplication": visible(row["application"] or ""),
        "advisorLibrary": visible(f"{row['library'] or ''} {row['library_version'] or ''}".strip()),
        "advisorNodeHoursLost": f"{job.total('lost'):.3f}",
        "advisorNodeHours": f"{job.total('node_hours'):.3f}",
    }
    return {
        "jobId": int(job.number),
        "cluster": visible(job.cluster),
        "tags": [
            {"type": TAG, "name": visible(rule)[:_LONGEST], "scope": "global"}
            for rule, _ in job.causes()[:MOST_TAGS]
        ],
        "metaData": {name: text for name, text in said.items() if text},
    }
