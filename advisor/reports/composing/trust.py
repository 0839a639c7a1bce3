"""How far the first screen may be believed, in a line; and, of a run that is too short or was cut,
how to get the rest."""

from __future__ import annotations

import math
from typing import List

from advisor.base.numbers import HARD, between, counted, percent, reported, seconds
from advisor.model.interval import Interval
from advisor.model.message import joined, message
from advisor.reports.composing.no_core import no_core
from advisor.reports.composing.whole_run import MOSTLY_STARTING, by_role, whole
from advisor.reports.document import Silences
from advisor.reports.lookup import Lookup

ENOUGH = 60.0
"""Seconds: a run that long has calls enough to predict from, as a rule."""
_STEPS = {"run": "run", "nsteps": "nsteps"}
"""Settings of known programs that say how many steps a run has: LAMMPS, GROMACS."""
_ROUND = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
ENDED_ITSELF = 3
"""State of a rank that called MPI_Abort or ended without MPI_Finalize, and was not killed."""
SIGNALLED = 128
"""Shells add it to the number of the signal that ended a command."""
MOST_TIMES = 1000
"""Beyond it the run was of another kind, not a short one."""
SEEN_IN_MPI = 0.1
"""Of the time in MPI: so much time without a core makes calls longer for everybody to see."""
_LEAST_UNSPLIT, LEAST_TOLD = 0.01, 1e-4
_SEEN = 0.01
"""Of elapsed time: from here on the overhead is an interval."""
_COSTLY = 0.05


def trust(run: Lookup) -> str:
    """Ranks reached, overhead, what was not divided, and what else was not seen."""
    if run.number("run.time") is None:
        return ""
    parts = [_ranks(run), _overhead(run), _waiting(run), *_missing(run)]
    return joined("; ", [part for part in parts if part])


def _ranks(run: Lookup) -> str:
    have, want = run.number("run.ranks_reported"), run.number("run.ranks_expected")
    have = run.number("run.ranks") if have is None else have
    if have is None:
        return ""
    if not want:
        return counted(have, "rank")
    return message("{have} of {ranks}", have=number_of(have), ranks=counted(want, "rank"))


def rough(share: float) -> str:
    """A share in percent with two digits: how far to believe is no matter of a third."""
    if share < LEAST_TOLD:
        return f"<{HARD}0.01{HARD}%"
    return f"{float(f'{100 * share:.2g}'):g}{HARD}%"


def number_of(value: float) -> str:
    """A whole number as a counted noun has it."""
    return counted(value, "rank").number  # type: ignore[attr-defined]


def _overhead(run: Lookup) -> str:
    mean, most = run.number("run.overhead_share"), run.number("run.overhead_max_share")
    if mean is None:
        return ""
    column = run.column("run.overhead_share")
    high = None if column is None or column.high is None else float(column.high[0])
    share = between(100 * mean, 100 * high, "%") if high and mean >= _SEEN else rough(mean)
    if max(mean, most or 0.0) > _COSTLY:
        return message("overhead {share} of elapsed time, so no gain is predicted", share=share)
    return message("overhead {share} of elapsed time", share=share)


def _waiting(run: Lookup) -> str:
    mpi = run.number("run.mpi_time")
    if not mpi:
        return ""
    unsplit = min(by_role(run).get("unsplit", mpi) / mpi, 1.0)
    lacked = _no_core_in_calls(run)
    if unsplit < _LEAST_UNSPLIT and lacked:
        return message(
            "all MPI time divided into waiting, transfer and {time} without a core", time=lacked
        )
    if unsplit < _LEAST_UNSPLIT:
        return message("all MPI time divided into waiting and transfer")
    share = message("{share} of MPI undivided", share=rough(unsplit))
    if not lacked:
        return share
    without = message("MPI calls include {time} without a core", time=lacked)
    return joined("; ", (share, without))


def _missing(run: Lookup) -> List[str]:
    found: List[str] = []
    if run.number("run.job_time") is None:
        found.append(message("start-up and end were not timed"))
    lacked = run.interval("run.no_core_lost")
    if run.number("run.no_core_outside") is None and lacked is not None and lacked.high:
        time = reported(lacked, "", seconds)
        found.append(message("no core for {time}, within the rows above", time=time))
    overflowed = run.number("run.overflowed_share") or 0.0
    if overflowed > 0:
        found.append(message("{share} of the calls not kept apart", share=percent(overflowed)))
    if any(gap.subject == "restrictions" for gap in run.profile.gaps):
        found.append(message("the program restricted its own process"))
    return found


def _no_core_in_calls(run: Lookup) -> str:
    """How much time without a core is in the times of calls, where it is a part of them to be seen:
    the rows of the screen have it apart."""
    inside, mpi = no_core(run).inside, run.number("run.mpi_time") or 0.0
    if not inside >= SEEN_IN_MPI * mpi > 0:
        return ""
    found, outside = run.interval("run.no_core_lost"), run.number("run.no_core_outside") or 0.0
    if found is None or found.high is None:
        return seconds(inside)
    low = max((found.low or 0.0) - outside, 0.0) or None
    return reported(Interval(low, max(found.high - outside, inside)), "", seconds, True)


def preview(run: Lookup) -> str:
    """Empty for a run that is long enough and came to its end."""
    if run.number("run.time") is None:
        return ""
    if run.truth("run.truncated"):
        return _cut(run)
    if run.truth("run.ran_alone") or run.number("run.ranks") == 1:
        return ""  # The verdict says what it was; more steps would show no more of MPI.
    if run.truth("run.representative") is False:
        call = run.text("run.least_repeated")
        why: str = (
            message("Too few calls of {call} to predict from.", call=f"MPI_{call}")
            if call
            else message("Too few MPI calls to predict from.")
        )
        return joined(" ", (why, _longer(run)))
    if by_role(run).get("startup", 0.0) >= MOSTLY_STARTING * whole(run):
        return joined(" ", (message("Too short to judge."), _longer(run)))
    return ""


def _cut(run: Lookup) -> str:
    code = run.profile.run.exit_code
    ended = message(" (exit code {code})", code=str(code)) if code else ""
    if ENDED_ITSELF in run.profile.tables.get("ranks", {}).get("state", ()):
        return message(
            "The program ended itself before MPI_Finalize, {time} after MPI_Init{code}; what it"
            " printed may say why.",
            time=seconds(run.number("run.time")),
            code=ended,
        )
    killed = code is not None and (code < 0 or code > SIGNALLED)
    return (_KILLED if killed else _CUT).of(time=seconds(run.number("run.time")), code=ended)


_KILLED = message(
    "The run was killed {time} after MPI_Init{code}; the report covers it up to then."
)
_CUT = message("The run was cut {time} after MPI_Init{code}; the report covers it up to then.")


def _longer(run: Lookup) -> str:
    """How to get the rest: in the words of the input, where they are known."""
    factor = _round_up(ENOUGH / max(run.number("run.time") or ENOUGH, 1e-3))
    known = run.profile.application
    for name, fact in known.settings.items() if known else ():
        steps = fact.value
        if name in _STEPS and isinstance(steps, (int, float)) and steps > 0:
            return message(
                "Set {longer} in {file} (now {now}) and repeat.",
                longer=f"`{_STEPS[name]} {steps * factor:.0f}`",
                file=fact.source,
                now=f"{steps:.0f}",
            )
    if factor > MOST_TIMES:
        return message("To judge it, run the program with its real input.")
    return message("To judge it, run {times} times as many steps.", times=number_of(factor))


def _round_up(value: float) -> float:
    """At least 2, and a whole number of one or two digits and zeros."""
    value = max(value, 2.0)
    power = 10.0 ** math.floor(math.log10(value))
    return math.ceil(next(step for step in _ROUND if step * power >= value * 0.999) * power)


def checks(silences: Silences, found: int, least: str) -> str:
    """143 checks: 20 passed, 122 not applicable, 1 needs `--counters`. `least`: the share of the
    run that an action saves, where none of what was found is one."""
    passed, others, unknown = (len(silences.clear), len(silences.moot), len(silences.unknown))
    text = joined(
        ", ",
        [
            *([_found(str(found), least)] if found else []),
            message("{count} passed", count=str(passed)),
            message("{count} not applicable", count=str(others)),
            *([_not_made(silences, unknown)] if unknown else []),
        ],
    )
    all_ = counted(passed + others + unknown + found, "check")
    return message("{checks}: {list}", checks=all_, list=text)


def _found(count: str, least: str) -> str:
    if not least:
        return message("{count} found something", count=count)
    return message(
        "{count} found something (none of it is known to save {least} of the run)",
        count=count,
        least=least,
    )


def _not_made(silences: Silences, unknown: int) -> str:
    """With the option where one is all that they need."""
    ways = " ".join(entry.collect for entry in silences.unknown).replace("`", " ").split()
    options = {word for word in ways if word.startswith("--")}
    if len(options) == 1 and all(min(options) in entry.collect for entry in silences.unknown):
        return message("{count} needs {option}", count=str(unknown), option=options.pop())
    return message("{count} not checked", count=str(unknown))
