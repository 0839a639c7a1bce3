"""A performance log as ReFrame writes it (its handler `filelog`), so that one reader serves the
centre's tests and its users' jobs.

ReFrame escapes nothing: a bar or a line end in a name would be a new column or row. Such letters
stand as %7C and the like.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any, Iterator, Mapping, Optional

from advisor.fleet.handing_over.jobs import steps
from advisor.fleet.handing_over.request import Request
from advisor.model.harmless import visible

_PLAIN = ("info", "jobid", "num_tasks", "partition", "environ", "system")
FORMAT = "|".join(
    [
        "%(check_result)s",
        "%(check_job_completion_time)s",
        *(f"%(check_{name})s" for name in _PLAIN),
        "%(check_perfvalues)s",
    ]
)
PERFORMANCE = (
    "%(check_perf_value)s|%(check_perf_unit)s|%(check_perf_ref)s|"
    "%(check_perf_lower_thres)s|%(check_perf_upper_thres)s|"
)
"""`format` and `format_perfvars` of a handler that goes on with such a file."""
VALUES: Mapping[str, "tuple[str, str]"] = {
    "elapsed": ("elapsed", "s"),
    "node_hours": ("node_hours", "h"),
    "lost_node_hours": ("lost", "h"),
    "wait_share": ("wait_share", "1"),
    "parallel_efficiency": ("parallel_efficiency", "1"),
}
"""Name of a performance variable → column of the store, and its unit."""
_OF_VALUE = ("value", "unit", "ref", "lower_thres", "upper_thres")


def lines(request: Request) -> Iterator[str]:
    """The header, and a line for each profile."""
    yield (
        "|".join(
            ["result", "job_completion_time", *_PLAIN]
            + [f"{name}_{part}" for name in VALUES for part in _OF_VALUE]
        )
        + "\n"
    )
    for step in steps(request):
        yield "|".join(map(_cell, _cells(step.row))) + "\n"


def _cells(row: Mapping[str, Any]) -> Iterator[Optional[str]]:
    yield "pass" if row["exit_code"] in (0, None) else "fail"
    yield _ended(row)
    yield f"{row['application']} of job {row['job']}.{row['step']}"
    yield row["job"]
    yield None if row["ranks"] is None else str(row["ranks"])
    yield row["partition_name"] or "default"
    yield f"{row['library'] or ''} {row['library_version'] or ''}".strip() or "unknown"
    yield row["cluster"]
    for column, unit in VALUES.values():
        yield from (_number(row[column]), unit, "0", None, None)


def _ended(row: Mapping[str, Any]) -> Optional[str]:
    """As ReFrame's default, %FT%T%:z."""
    if row["started"] is None:
        return None
    ended: datetime = row["started"] + timedelta(seconds=row["elapsed"] or 0.0)
    return ended.replace(tzinfo=timezone.utc).isoformat(timespec="seconds")


def _number(value: Optional[float]) -> Optional[str]:
    return None if value is None else repr(value)


def _cell(value: Optional[str]) -> str:
    """ReFrame writes what it does not know as null."""
    if value is None:
        return "null"
    return visible(value.replace("%", "%25").replace("|", "%7C"))
