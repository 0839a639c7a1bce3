"""One row for each place in the program that calls MPI."""

from __future__ import annotations

from typing import Dict

import numpy as np

from advisor.analysis.derived.call_paths import callers, place_of
from advisor.analysis.derived.cython_names import readable
from advisor.analysis.engine.arrays import objects
from advisor.analysis.engine.metric import Unknown, Value, metric, rows
from advisor.model.measures import Quality

NO_SYMBOLS = "the file that holds this code has no such information; table gaps says more"
COLLECT = "compile with -g"
_MPI4PY = "mpi4py"
NOT_RECORDED = "its call sites were not recorded"


@rows("site")
def site_rows(view) -> int:
    """Call sites, the longest first."""
    return len(view.site_cells.first)


def _first(view, name: str):
    return view.column("sites", name)[view.site_cells.first]


@metric("site.operation", unit="text", quality=Quality.MEASURED)
def operation(view):
    """Operation that is called there."""
    return _first(view, "operation")


@metric("site.module", unit="text", quality=Quality.MEASURED)
def module(view):
    """Program or library that holds the calling code."""
    return _first(view, "module")


@metric("site.function", unit="text", quality=Quality.MEASURED)
def function(view):
    """Function that calls."""
    return Value(
        [name or None for name in _first(view, "function")], reason=NO_SYMBOLS, collect=COLLECT
    )


@metric("site.file", unit="text", quality=Quality.MEASURED)
def file(view):
    """Source file of the call."""
    return Value(
        [name or None for name in _first(view, "file")], reason=NO_SYMBOLS, collect=COLLECT
    )


@metric("site.line", unit="count", quality=Quality.MEASURED)
def line(view):
    """Line of the call."""
    return Value(
        [float(number) if number else float("nan") for number in _first(view, "line")],
        reason=NO_SYMBOLS,
        collect=COLLECT,
    )


@metric("site.calls", unit="count", quality=Quality.MEASURED)
def calls(view):
    """Calls of all ranks from there."""
    return view.site_cells.sum(view.column("sites", "count"))


@metric("site.time", unit="s")
def time(view):
    """Time in these calls, averaged over all ranks."""
    return view.site_cells.sum(view.column("sites", "time")) / view.count


@metric("site.share", unit="share")
def share(site, run):
    """site.time as share of run.time."""
    return site.time / run.time


@metric("site.bytes", unit="B", quality=Quality.MEASURED)
def payload(view):
    """Payload that all ranks handed in there."""
    return view.site_cells.sum(view.column("sites", "bytes"))


@metric("site.place", unit="text")
def place(view):
    """file:line, or function, or module+offset: as much as is known."""
    count = len(view.site_cells.first)
    optional = [
        _first(view, name) if view.has("sites", name) else [None] * count
        for name in ("file", "line", "function")
    ]
    return objects(
        [
            place_of(*row)
            for row in zip(_first(view, "module"), _first(view, "offset").tolist(), *optional)
        ]
    )


@metric("operation.site", unit="text")
def of_operation(view, site, operation):
    """site.place of its call site with the longest time, of mpi4py's calls the line of Python with
    the longest time in sampled ones; unknown where call sites were not recorded."""
    times = [_times(view, site, name) for name in operation.name]
    return Value(
        objects([max(each, key=each.__getitem__) if each else None for each in times]),
        reason=NOT_RECORDED,
    )


@metric("operation.caller", unit="text")
def caller(site, operation):
    """Function at its call site with the longest time, of mpi4py the method in Python's words;
    unknown where call sites or names of functions are not."""
    longest = {
        name: function
        for name, function in zip(reversed(list(site.operation)), reversed(list(site.function)))
    }
    found = [longest.get(name) for name in operation.name]
    return Value(objects([readable(name) if name else None for name in found]), reason=NO_SYMBOLS)


@metric("operation.other_sites", unit="count")
def other_sites(view, site, operation):
    """How many more call sites took at least a tenth of the time of that one: what a row says of
    the operation is then not of one place alone."""
    found = []
    for name in operation.name:
        times = list(_times(view, site, name).values())
        found.append(
            sum(each >= 0.1 * max(times) for each in times) - 1.0 if times else float("nan")
        )
    return Value(np.array(found), reason=NOT_RECORDED)


def _times(view, site, name: str) -> Dict[str, float]:
    """Place → seconds of the calls of an operation, the longest first. mpi4py calls for Python."""
    rows = np.flatnonzero(site.operation == name)
    found: Dict[str, float] = {}
    for row in rows.tolist():
        found[site.place[row]] = found.get(site.place[row], 0.0) + float(site.time[row])
    if found and _MPI4PY in site.module[rows[0]] and view.has("stacks", "level"):
        return callers(view.call_paths, name) or found
    return found


@metric("run.top_wait_operation", unit="text")
def top_wait_operation(operation):
    """The operation with the largest mean waiting."""
    return operation.name[_most_waiting(operation)]


@metric("run.top_wait_share", unit="share")
def top_wait_share(operation):
    """operation.wait_share of the operation with the largest mean waiting."""
    return float(operation.wait_share[_most_waiting(operation)])


@metric("run.top_wait_site", unit="text")
def top_wait_site(operation):
    """operation.site of the operation with the largest mean waiting."""
    where = operation.site[_most_waiting(operation)]
    if where is None:
        raise Unknown(NOT_RECORDED)
    return where


def _most_waiting(operation) -> int:
    """Its row; Unknown where no operation is known to have waited."""
    wait = np.nan_to_num(np.asarray(operation.wait, float))
    if not wait.size or not wait.max() > 0:
        raise Unknown("no operation is known to have waited")
    return int(wait.argmax())
