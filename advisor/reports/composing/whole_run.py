"""Where the time of the whole run went, from the launcher's start to its end: parts that add up to
it, in numbers that add up as they are printed."""

from __future__ import annotations

import math
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from advisor.base.numbers import (
    HARD,
    MINUS,
    THIN,
    behind,
    between,
    between_seconds,
    percent,
    reported,
    second_unit,
    seconds,
)
from advisor.model.causes import BETWEEN_POLLS, COMPUTING, LIMITS, LOCAL, UNSPLIT, WAITING, Cause
from advisor.model.interval import WIDE, Interval, interval
from advisor.model.message import joined, message
from advisor.reports.composing.splitting import Bounds, Split, sampled, split
from advisor.reports.composing.time_bar import time_bar
from advisor.reports.first_screen import Part
from advisor.reports.lookup import Lookup

ROLES = {
    "computing": message("computing"),
    "between_polls": message("between polls"),
    "asleep": message("asleep outside MPI"),
    "no_core": message("no core"),
    "waiting": message("waiting"),
    "transfer": message("transfer"),
    "io": message("I/O in MPI"),
    "polling": message("polling in vain"),
    "unsplit": message("waiting or transfer"),
    "startup": message("start-up and end"),
}
"""In the order in which they are read."""
NOT_RECORDED = message("not recorded")
"""Start-up of a run that had no end, and what the launcher did after it."""
IN_MPI = ("waiting", "transfer", "io", "polling", "unsplit")
HEALTHY = 0.05
"""Of the whole: so little MPI is not worth a change, whatever it does."""
_ROLE_OF = {
    COMPUTING: "computing",
    BETWEEN_POLLS: "between_polls",
    "asleep outside MPI": "asleep",
    "no core outside MPI": "no_core",
    "no core in MPI": "no_core",
    WAITING: "waiting",
    "transfer": "transfer",
    "library": "transfer",
    "I/O": "io",
    "polling": "polling",
    UNSPLIT: "unsplit",
    LIMITS: "startup",
}
_ROLE_OF_BAR = {"outside": "computing", "moving": "transfer"}
OWN_ROW = 0.01
"""Of the whole: smaller parts share a row."""
NO_ROW = 0.001
MOSTLY_LOCAL, SOME_LOCAL = 0.9, 0.1
"""Of the row of transfer: from here on it says that it is, or also is, calls that move nothing."""
MOSTLY_STARTING = 0.5
"""Of the whole: from here on start-up and end are the topic."""
_DIGITS = 3
_PERSISTENT = 0.5
"""Of all waiting: from here on one rank is named. METRICS 3.3."""


def whole(run: Lookup) -> float:
    """Seconds of the command where it was timed, else from MPI_Init to MPI_Finalize; 0: unknown."""
    time, job = run.number("run.time") or 0.0, run.number("run.job_time") or 0.0
    return max(time, job)


def role_of(part: Cause) -> str:
    """The row of the screen that a cause belongs to."""
    return "io" if part.state == "wait at I/O" else _ROLE_OF[part.kind]


def by_role(run: Lookup) -> Dict[str, float]:
    """Seconds by role, means over ranks: they add up to `whole`; empty if they are not known."""
    time, known = run.number("run.time"), run.measures.causes
    found = dict.fromkeys(ROLES, 0.0)
    if known is not None:
        for part, value in zip(known.parts, known.means):
            found[role_of(part)] += float(value)
    else:
        bar = time_bar(run)
        if bar is None:
            return {}
        for piece in bar.whole:
            found[_ROLE_OF_BAR.get(piece.role, piece.role)] += piece.seconds
    found["startup"] += whole(run) - (time or 0.0)
    return found


def local_calls(run: Lookup) -> float:
    """Mean seconds in calls in which no other rank takes part; they are in the row of transfer."""
    known = run.measures.causes
    if known is None:
        return 0.0
    rows = [row for row, part in enumerate(known.parts) if part.state == LOCAL]
    return float(known.means[rows].sum())


def parts(run: Lookup) -> Tuple[Part, ...]:
    """A row for each role that is 1 % of the whole, one for the others together."""
    found, all_ = by_role(run), whole(run)
    if not found or not all_:
        return ()
    labels = {**ROLES, "startup": NOT_RECORDED} if run.truth("run.truncated") else ROLES
    local = local_calls(run)
    if local >= MOSTLY_LOCAL * found["transfer"] > 0:
        labels = {**labels, "transfer": message("local calls")}
    elif local >= SOME_LOCAL * found["transfer"] > 0:
        labels = {**labels, "transfer": message("transfer, local calls")}
    rows = [(role, labels[role], found[role], "") for role in ROLES]
    small = [row for row in rows if 0 < row[2] < OWN_ROW * all_]
    rest = sum(row[2] for row in small)
    shown = rest >= NO_ROW * all_
    # One small part keeps its place and name; several are one row below the others.
    alone = small if shown and len(small) == 1 else []
    rows = [row for row in rows if row[2] >= OWN_ROW * all_ or row in alone]
    if shown and not alone:
        names = joined(", ", [row[1] for row in small])
        rows.append(("other", message("other"), rest, names))
    return _written(run, rows, all_)


def _written(run: Lookup, rows: Sequence[tuple], all_: float) -> Tuple[Part, ...]:
    factor, unit = second_unit(all_)
    places = max(0, _DIGITS - 1 - math.floor(math.log10(all_ * factor)))
    values = shared_out([row[2] * factor for row in rows], all_ * factor, places)
    shares = shared_out([100 * row[2] / all_ for row in rows], 100.0, 0)
    made: List[Part] = []
    for (role, label, value, detail), exact, share in zip(rows, values, shares):
        found = _interval(run, role, value)
        of_all = found and Interval(*(None if end is None else end / all_ for end in found))
        made.append(
            Part(
                role,
                label,
                value,
                value / all_,
                _read(
                    found,
                    value,
                    _fixed(exact, places, unit) if exact else seconds(value),
                    seconds,
                    between_seconds,
                ),
                _read(
                    of_all,
                    value / all_,
                    f"{share:.0f}{HARD}%" if share else f"<{HARD}1{HARD}%",
                    percent,
                    _between_shares,
                ),
                detail
                or ("" if made else message("of {time}", time=seconds(all_)))
                or _detail(run, role, value),
            )
        )
    return tuple(made)


def _between_shares(low: float, high: float) -> str:
    return between(100 * low, 100 * high, "%")


def _read(
    found: Optional[Interval],
    value: float,
    alone: str,
    write: Callable[[float], str],
    span: Callable[[float, float], str],
) -> str:
    """A bound is the number with its sign, so that the column still adds up. An estimate that may
    be anything below its upper end is no bound."""
    if found is None or None not in found:
        return reported(found, alone, write, True)
    if found.high is not None and found.high > value * (1 + WIDE):
        return span(0.0, found.high)
    return alone if alone.startswith("<") else ("≤" if found.low is None else "≥") + HARD + alone


def shared_out(values: Sequence[float], total: float, places: int) -> List[float]:
    """The values rounded so that they add up to the rounded total: the largest remainders go up."""
    scale = 10.0**places
    down = [math.floor(value * scale + 1e-9) for value in values]
    missing = round(total * scale) - sum(down)
    order = sorted(range(len(values)), key=lambda at: down[at] - values[at] * scale)
    for at in order[: max(0, missing)]:
        down[at] += 1
    return [value / scale for value in down]


def _fixed(value: float, places: int, unit: str) -> str:
    text = f"{value:,.{places}f}".replace(",", THIN).replace("-", MINUS)
    return f"{text}{HARD}{unit}"


def _interval(run: Lookup, role: str, value: float) -> Optional[Interval]:
    """What is printed in place of waiting, transfer and what is neither; None: the number."""
    mpi = run.number("run.mpi_time")
    if role == "no_core":
        return run.interval("run.no_core_lost")
    if mpi is None or role not in ("waiting", "transfer", "unsplit"):
        return None
    known = split(run, mpi)
    if not known.sampled:
        if role == "waiting":
            return Interval(value, None)
        return Interval(None, value) if role == "unsplit" and known.waiting > 0 else None
    if not known.estimated or role == "unsplit":
        return None
    low, high = _ends(known, role, value)
    return interval(value, low, high)


def _ends(known: Split, role: str, value: float) -> Bounds:
    bounds, base = (
        (known.waiting_bounds, known.waiting)
        if role == "waiting"
        else (known.moving_bounds, known.moving)
    )
    return _moved(bounds, value - base)


def leading(run: Lookup, found: Dict[str, float]) -> str:
    """The part of MPI that takes most of it wherever in their intervals all parts lie, and whatever
    the time is that is not split; empty: none does."""
    known = split(run, run.number("run.mpi_time") or 0.0)
    spans = {role: (found[role], found[role]) for role in IN_MPI if role != "unsplit"}
    for role in ("waiting", "transfer") if known.sampled and known.estimated else ():
        low, high = _ends(known, role, found[role])
        spans[role] = (
            found[role] if low is None else low,
            found[role] if high is None else high,
        )
    first = max(spans, key=lambda role: found[role])
    most = max(high for role, (_, high) in spans.items() if role != first)
    return first if spans[first][0] > most + found["unsplit"] else ""


def _moved(bounds: Bounds, by: float) -> Bounds:
    """With what else is in the row, such as waiting in MPI_Finalize, which is known."""
    low, high = (None if end is None else max(end + by, 0.0) for end in bounds)
    return low, high


def _detail(run: Lookup, role: str, value: float) -> str:
    if role == "unsplit":
        return message("undivided")
    if role == "between_polls":
        return message("waiting or computing")
    if role == "startup" and run.truth("run.truncated"):
        return message("start-up, and after the last record")
    if role == "startup" and run.number("run.time"):
        # What shares in findings are of, where it is not what the screen begins with.
        return message("elapsed time: {time}", time=seconds(run.number("run.time")))
    rank, caused = delaying(run)
    if role != "waiting" or rank is None or not caused or not value:
        return ""
    about = "~" if not sampled(run) or run.mark("run.wait_time") else ""
    return message(
        "{share} of it for rank {rank}",
        share=behind(about, f"{100 * caused:.0f}{HARD}%"),
        rank=rank,
    )


def delaying(run: Lookup) -> Tuple[Optional[str], Optional[float]]:
    """The rank that most of the waiting was for, and its share of it."""
    rank, caused = run.number("run.delaying_rank"), run.number("run.delaying_rank_share")
    several = (run.number("run.ranks") or 0) > 2
    if rank is None or caused is None or caused <= _PERSISTENT or not several:
        return None, None
    return f"{rank:.0f}", caused


def is_healthy(run: Lookup) -> bool:
    """Whether MPI takes so little that nothing in it is worth a change."""
    found = by_role(run)
    return sum(found.get(role, 0.0) for role in IN_MPI) < HEALTHY * whole(run)
