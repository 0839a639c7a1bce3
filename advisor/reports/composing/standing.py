"""Now, target, potential: is this normal, and how far could it go."""

from __future__ import annotations

from typing import List, Optional, Tuple

from advisor.base.numbers import HARD, between, marked, number, percent, seconds, reported
from advisor.model.message import behind, joined, message
from advisor.reports.composing.no_core import matters
from advisor.reports.composing.splitting import lower_bound as waiting, sampled, sign
from advisor.reports.document import Standing
from advisor.reports.lookup import Lookup

POP_TARGET = 0.80
NOTES = (
    message("Target of Intel APS; it may not fit this code."),
    message("Elapsed minus the busiest rank's own work: true whatever is set."),
    message("A lower bound from durations; the rest of MPI is transfer or waiting."),
    message("POP."),
    message(
        "Estimated from sampled calls; in reach is its 95 % interval, in which calls without a"
        " sample may have waited all their time."
    ),
    message("Measured, call by call."),
    message(
        "Of the time that nonblocking messages take, what fitted in before the calls that complete"
        " them; beside messages sent when the job was over."
    ),
    message("Ranks had no core: such factors say little about the program."),
)


_UNRELIABLE = message("unreliable")
"""In place of what is in reach."""
_ACCEPTABLE = f"≥{HARD}0.80"
_WAITING, _NONE_SET = message("Waiting in MPI"), message("none set")


def standings(run: Lookup, offered: bool) -> Tuple[Standing, ...]:
    """Rows of the table; measures that are not known are left out, their rules are in the list of
    silences.

    `offered`: whether a finding offers a setting; only beside one the report says how far settings
    can go.
    """
    rows = (
        _mpi(run, offered),
        _waiting(run),
        _overlap(run),
        *(_factor(run, *row) for row in _FACTORS),
    )
    return tuple(row for row in rows if row is not None)


def standing_notes(rows: Tuple[Standing, ...]) -> Tuple[str, ...]:
    """Notes a, b, c … that the rows refer to."""
    return tuple(note for note in NOTES if any(note in row.note for row in rows))


_FACTORS = (
    (message("Parallel efficiency"), "run.parallel_efficiency", ""),
    (message("Load balance"), "run.load_balance", "run.imbalance_share"),
    (message("Communication efficiency"), "run.communication_efficiency", ""),
)


def _mpi(run: Lookup, offered: bool) -> Optional[Standing]:
    share, ceiling = run.number("run.mpi_share"), run.number("run.ceiling_hard")
    if share is None:
        return None
    # Where ranks queue for cores, settings of MPI do not decide how long the calls take.
    most = (
        ""
        if ceiling is None or not offered or matters(run)
        else message("settings: at most {time}", time=seconds(ceiling))
    )
    notes = joined("\n", NOTES[: 2 if most else 1])
    now = message("{share} of elapsed time", share=percent(share))
    return Standing(message("Time in MPI"), now, f"<{HARD}10{HARD}%", most, notes)


def _waiting(run: Lookup) -> Optional[Standing]:
    low, elapsed, mpi = waiting(run), run.number("run.time"), run.number("run.mpi_time")
    if not elapsed or not mpi:
        return None
    if low is None:
        all_ = message("at most {time}, all of MPI", time=seconds(mpi))
        return Standing(_WAITING, "?", _NONE_SET, all_)
    if sampled(run):
        least, most = (run.bound("run.wait_time", end) for end in ("low", "high"))
        reach = _span(low if least is None else least, mpi if most is None else most)
        now = reported(
            run.interval("run.wait_share"),
            behind(sign(run), percent(run.number("run.wait_share"))),
            percent,
        )
        told_ = message("{share} of elapsed time", share=now)
        return Standing(_WAITING, told_, _NONE_SET, reach, NOTES[4 if sign(run) else 5])
    least_ = marked("≥" + HARD, low / elapsed) if low > 0 else "?"
    told_ = message("{share} of elapsed time", share=least_)
    return Standing(_WAITING, told_, _NONE_SET, _span(low, mpi), NOTES[2])


def _overlap(run: Lookup) -> Optional[Standing]:
    low, high = (run.bound("run.overlap_efficiency", end) for end in ("low", "high"))
    least, most = (run.bound("run.overlap_missed_share", end) for end in ("low", "high"))
    elapsed = run.number("run.time")
    if low is None or high is None or least is None or most is None or elapsed is None:
        return None
    share = between(100 * low, 100 * high, "%")
    return Standing(
        message("Overlap, of what was possible"),
        behind("~", share),
        _NONE_SET,
        message("{time} missed", time=_span(least * elapsed, most * elapsed)),
        NOTES[6],
    )


def _span(low: float, high: float) -> str:
    least, most = seconds(low), seconds(high)
    return most if least == most else message("between {low} and {high}", low=least, high=most)


def _factor(run: Lookup, name: str, measure: str, stake: str) -> Optional[Standing]:
    value = run.number(measure)
    if value is None:
        return None
    if matters(run):
        return Standing(name, _marked(run, measure, value), _ACCEPTABLE, _UNRELIABLE, NOTES[7])
    share, elapsed = run.number(stake) if stake else None, run.number("run.time")
    reach: List[str] = [message("met") if value >= POP_TARGET else message("not met")]
    if share and elapsed and stake:
        # The longest rank minus the mean. It is no ceiling: where the longest is slow rather than
        # loaded, it can become as fast as the shortest.
        saved = seconds(share * elapsed)
        reach.append(message("perfect balance is expected to save {time}", time=saved))
    return Standing(name, _marked(run, measure, value), _ACCEPTABLE, joined("; ", reach), NOTES[3])


def _marked(run: Lookup, measure: str, value: float) -> str:
    return run.mark(measure).replace("?", "") + number(value)
