"""Time without a core: the sentence that stands first where it matters, and its parts of the time
bar."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from advisor.base.numbers import marked, percent, seconds, reported
from advisor.model.interval import Interval
from advisor.model.message import message
from advisor.reports.lookup import Lookup

MATTERS = 0.05
"""Of elapsed: the rule on that speaks from here on, most others are silent, and how far settings
reach says nothing."""
LEAST_SHOWN = 0.005
"""Of elapsed: less is a rest that every host has, and too narrow to be seen."""
MOSTLY = 0.5
"""Of the time without a core: from here on the quota is named as what took it."""
SENTENCE = message("Ranks had no core for {share} of the run ({time}): {cause}.")


class NoCore(NamedTuple):
    """Seconds, means over ranks: outside MPI, and inside beyond waiting."""

    outside: float
    inside: float


def no_core(run: Lookup) -> NoCore:
    """Both 0 where the kernel did not tell, and where it is hardly any."""
    outside, lost = run.number("run.no_core_outside"), run.number("run.no_core_lost")
    if outside is None or lost is None or lost < LEAST_SHOWN * (run.number("run.time") or 0.0):
        return NoCore(0.0, 0.0)
    return NoCore(min(outside, lost), max(lost - outside, 0.0))


def matters(run: Lookup) -> bool:
    """Whether ranks had no core for a twentieth of elapsed."""
    return (run.number("run.no_core_share") or 0) >= MATTERS


def _by_kernel(run: Lookup) -> bool:
    return run.number("run.no_core_outside") is not None


def no_core_lost(run: Lookup) -> float:
    """Seconds; from CPU times alone, of which any part may have been waiting, the lower bound."""
    if _by_kernel(run):
        return run.number("run.no_core_lost") or 0.0
    return run.bound("run.no_core_lost", "low") or 0.0


def no_core_sentence(run: Lookup, whole: float, row: float) -> str:
    """Shares are of the `whole` run; empty where it does not matter. `row`: seconds of the row
    below the sentence; 0: there is none."""
    lost = no_core_lost(run)
    if lost < MATTERS * (run.number("run.time") or 0.0) or not lost:
        return ""
    lost = row or lost
    part, time = percent(lost / whole), seconds(lost)
    if _by_kernel(run):
        found = run.interval("run.no_core_lost")
        of_all = found and Interval(*(None if end is None else end / whole for end in found))
        sign = run.mark("run.no_core_share")
        part, time = (
            reported(of_all, marked(sign, lost / whole), percent),
            reported(found, time, seconds),
        )
    else:
        part = message("at least {amount}", amount=part)
    return SENTENCE.of(share=part, time=time, cause=_cause(run))


def _cause(run: Lookup) -> str:
    if (run.number("run.oversubscription") or 0) > 1:
        return message("there are more threads than cores")
    shared = run.numbers("rank.shared_cores")
    if shared is not None and np.nansum(shared) > 0:
        return message("ranks are bound to the same cores")
    threads, cores = run.numbers("rank.threads"), run.numbers("rank.cores")
    if threads is not None and cores is not None and (threads > cores).any():
        return message("threads of a rank share fewer cores")
    throttled = run.numbers("rank.host_throttled_time")
    lost = run.number("run.no_core_lost") or 0.0
    if throttled is not None and _by_kernel(run) and np.nansum(throttled[:1]) >= MOSTLY * lost > 0:
        return message("a quota of processor time held them back")
    shares, names = run.numbers("node.no_core_share"), run.texts("node.name")
    known = shares is not None and bool(names) and not np.isnan(shares).all()
    worst = names[int(np.nanargmax(shares))] if known else ""  # type: ignore[arg-type]
    where = "" if not worst else "one" if len(names) == 1 else "several"
    # A quota is ruled out only where the control group says how long it stopped its threads.
    return (_OR_A_QUOTA if throttled is None else _OTHERS)[where].of(host=worst)


_OTHERS = {
    "": message("other processes used their cores"),
    "one": message("other processes used the cores of {host}"),
    "several": message("other processes used their cores, most of all on {host}"),
}
_OR_A_QUOTA = {
    "": message("other processes or a quota took their cores"),
    "one": message("other processes or a quota took the cores of {host}"),
    "several": message("other processes or a quota took their cores, most of all on {host}"),
}
