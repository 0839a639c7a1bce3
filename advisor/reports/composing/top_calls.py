"""The five MPI calls that took longest: the most read table of any MPI report."""

from __future__ import annotations

import re
from typing import Tuple

import numpy as np

from advisor.base.numbers import behind, count, reported, seconds, size
from advisor.reports.composing.no_core import matters
from advisor.reports.composing.splitting import sampled
from advisor.reports.first_screen import TopCall
from advisor.reports.lookup import Lookup

MOST, LEAST = 5, 3
SHOWN_SHARE, LEAST_SHARE = 0.01, 0.001
"""Of elapsed: from the fourth on, calls below the first are not worth a line; no call is below the
second."""
_MODULE = re.compile(r" in [^ ]+$")
_OF_MPI4PY = "mpi4py.MPI."
_QUALIFIED = re.compile(r"^(?:\w+::)+(?=\w+::\w+$)")


def top_calls(run: Lookup) -> Tuple[TopCall, ...]:
    """The longest first."""
    names, times = run.texts("operation.name"), run.numbers("operation.time")
    if not names or times is None:
        return ()
    times, elapsed = np.nan_to_num(times), run.number("run.time") or 0.0
    order = np.argsort(-times, kind="stable")[:MOST]
    return tuple(
        _row(run, int(row), names[row], float(times[row]))
        for place_, row in enumerate(order)
        if times[row] > (LEAST_SHARE if place_ < LEAST else SHOWN_SHARE) * elapsed
    )


def _row(run: Lookup, row: int, name: str, time: float) -> TopCall:
    return TopCall(
        call=name if name.startswith("MPI_") else f"MPI_{name}",
        time=seconds(time),
        waiting=_waiting(run, row, time),
        calls=_cell(run, "operation.calls_per_rank", row, count),
        size=_cell(run, "operation.longest_size", row, size)
        or _cell(run, "operation.median_size", row, size),
        site=_site(run, row),
    )


def _waiting(run: Lookup, row: int, time: float) -> str:
    """As an interval where it is not known to within 10 %; a share of nothing is no number."""
    values = run.numbers("operation.wait")
    if values is None or np.isnan(values[row]):
        return "?"
    found = run.interval("operation.wait", row)
    if found is None and not sampled(run) and not values[row]:
        return "?"
    text = reported(found, seconds(float(values[row])), seconds, True)
    # Times without a core are in it, which the rows above the table take off: no measured value.
    return behind("~", text) if matters(run) and text[:1].isdigit() else text


def _cell(run: Lookup, name: str, row: int, write) -> str:
    values = run.numbers(name)
    if values is None or np.isnan(values[row]):
        return ""
    return reported(run.interval(name, row), write(float(values[row])), write, True)


def _site(run: Lookup, row: int) -> str:
    """The one with the longest time, and how many others there are: time, calls and size are those
    of all."""
    if run.column("operation.site") is None:
        return ""
    found = place(run.text_at("operation.site", row))
    others = run.numbers("operation.other_sites")
    more = 0 if others is None or np.isnan(others[row]) else int(others[row])
    return f"{found} +{more}" if found and more else found


def place(site: str) -> str:
    """A call site in few characters: without the module, and without name spaces but the last."""
    return _QUALIFIED.sub("", _MODULE.sub("", site)).removeprefix(_OF_MPI4PY)
