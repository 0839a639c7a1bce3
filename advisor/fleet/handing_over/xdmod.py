"""CSV to be joined with what Open XDMoD exports of jobs.

Open XDMoD imports names and hierarchies by CSV, but no measures of jobs. Its export of the Jobs
realm (Data Warehouse Export, or the package xdmod-data) has a row a job; the first columns here
have the headings of that export, and `Resource` with `Local Job Id` are the key of the join.
"""

from __future__ import annotations

from typing import Any, Iterator, List, Optional

from advisor.fleet.handing_over.jobs import Job, jobs
from advisor.fleet.handing_over.request import Request
from advisor.model.harmless import csv_text

COLUMNS = (
    "Local Job Id",
    "Resource",
    "System Username",
    "Queue",
    "Nodes",
    "Wall Time",
    "MPI Application",
    "MPI Library",
    "MPI Library Version",
    "MPI Share",
    "MPI Wait Share",
    "Parallel Efficiency",
    "Node Hours",
    "Node Hours Lost",
    "Node Hours Lost Low",
    "Node Hours Lost High",
    "Causes",
)
"""As Open XDMoD names them (rawstatistics.d/20_jobs.json), then ours."""


def lines(request: Request) -> Iterator[str]:
    """The header, and a row a job. Shares are those of its largest step."""
    yield csv_text([COLUMNS])
    for job in jobs(request):
        yield csv_text([_cells(job)])


def _cells(job: Job) -> List[Any]:
    row = job.largest
    return [
        job.number,
        job.cluster,
        row["user_name"],
        row["partition_name"],
        row["nodes"],
        _rounded(job.total("elapsed")),
        row["application"],
        row["library"],
        row["library_version"],
        _rounded(row["mpi_share"]),
        _rounded(row["wait_share"]),
        _rounded(row["parallel_efficiency"]),
        *(
            _rounded(job.total(column))
            for column in ("node_hours", "lost", "lost_low", "lost_high")
        ),
        " ".join(rule for rule, _ in job.causes()),
    ]


def _rounded(value: Optional[float]) -> Optional[float]:
    return None if value is None else round(value, 6)
