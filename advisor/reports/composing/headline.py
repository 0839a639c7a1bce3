"""The verdict: one sentence of the field's terms on the whole run. Not what could be saved at most,
and not the finding on top: those are among the actions."""

from __future__ import annotations

from typing import Dict, Optional, Tuple

import numpy as np

from advisor.base.numbers import HARD, number, percent, reported, seconds
from advisor.model.causes import HANDED_ON, IDLE, IN_TURNS, PROGRESS, WAITING
from advisor.model.interval import interval
from advisor.model.message import Message, behind, joined, message, unstopped
from advisor.reports.composing.no_core import SENTENCE, no_core_lost, no_core_sentence
from advisor.reports.composing.splitting import Split, split
from advisor.reports.composing.whole_run import (
    HEALTHY,
    IN_MPI,
    MOSTLY_STARTING,
    delaying,
    leading,
    local_calls,
    parts,
    role_of,
    whole,
)
from advisor.reports.lookup import Lookup

NO_CORE_FIRST = 0.1
"""Of the whole: from here on a lack of cores is what the run was about."""
ASLEEP_FIRST = 0.1
"""Of the whole, and more than MPI takes: from here on sleep outside MPI is what the run was about.
"""
POLLS_FIRST = 0.1
"""The same of polls that found nothing and of the time between them, of which nothing tells whether
ranks computed or waited."""
SEEN = 0.1
"""Of the time in such polls: where less lies between them, the polls themselves are what takes
time."""
BOUND = 0.05
"""Of the whole: a lower bound of waiting that says what the time in MPI is."""
SOME = 0.2
"""Of the whole: where MPI takes less, waiting that may be next to nothing is no verdict."""
TWICE, TELLING = 2.0, 0.1
MOSTLY_COMPUTING = 0.5
"""Of the whole, while MPI takes less than a tenth, the target of Intel APS: from here on the run
was about computing, whatever leads within MPI."""
MOSTLY_FOR_ONE = 0.8
"""Of the waiting: from here on ranks are not late in turns."""
HALF = (0.4, 0.6)
"""Of the time in MPI: between them waiting is about half of it."""
NEARLY, ALONE, WHOLE, IDLE_RANK = 0.8, 1.15, 0.85, 0.1
"""Ranks that compute at a time, from and to; of elapsed; of the busier one: as the rule
uneven-compute has them."""
UNEVEN, BY_FAR = 1.1, 0.1
"""Times the median: from here on the longest rank is said to compute longer. The second, of
elapsed more than the mean: from there on that is what the others wait for."""


def verdict(run: Lookup, found: Dict[str, float], nothing_to_do: bool) -> str:
    """`found`: seconds by role. `nothing_to_do`: no action is on the screen."""
    if run.number("run.mpi_share") is None:
        return nothing_measured(run)
    if run.truth("run.ran_alone"):
        return message(
            "No parallel run: {ranks} ranks were started, and each ran the whole job by itself.",
            ranks=f"{run.number('run.ranks_expected') or 0:.0f}",
        )
    all_ = whole(run)
    mpi = sum(found.get(role, 0.0) for role in IN_MPI)
    if not all_ or not found:
        return message("MPI takes {share} of the run.", share=percent(run.number("run.mpi_share")))
    if found["startup"] >= MOSTLY_STARTING * all_ and not run.truth("run.truncated"):
        return _starting(found["startup"], mpi, all_)
    row = found["no_core"] if run.measures.causes is not None else 0.0
    lacking = no_core_sentence(run, all_, row)
    least = max(NO_CORE_FIRST * all_, max(found[role] for role in IN_MPI) / TWICE)
    if lacking and no_core_lost(run) >= least:
        return lacking
    if found.get("asleep", 0.0) >= max(ASLEEP_FIRST * all_, mpi):
        return _ASLEEP.of(
            share=percent(found["asleep"] / all_),
            time=seconds(found["asleep"]),
            mpi=percent(mpi / all_),
        )
    polled = _hidden_in_polls(run, found)
    if polled >= max(POLLS_FIRST * all_, mpi - found.get("polling", 0.0)):
        return _BETWEEN_POLLS.of(share=percent(polled / all_), time=seconds(polled))
    if mpi < TWICE * HEALTHY * all_ and (nothing_to_do or not mpi):
        return _healthy(run, found, mpi, all_)
    if found["computing"] >= MOSTLY_COMPUTING * all_ and mpi < TWICE * HEALTHY * all_:
        return _computing(run, found, mpi, all_)
    if mpi < HEALTHY * all_:
        return _little(run, found, mpi, all_)
    return _of_mpi(run, found, mpi, all_)


def _hidden_in_polls(run: Lookup, found: Dict[str, float]) -> float:
    """Seconds in polls that found nothing and between them, where ranks differ without these: those
    with less to do poll for the others. 0 where they do not, or little lies between the polls."""
    between, inside = (found.get(role, 0.0) for role in ("between_polls", "polling"))
    uneven = (run.number("run.polled_imbalance_share") or 0.0) >= BY_FAR
    return between + inside if uneven and between >= SEEN * inside else 0.0


def is_of_balance(said: str) -> bool:
    """Whether a verdict names load imbalance."""
    return said.startswith(("Load imbalance", "Drifting load imbalance"))


def of_pickling(found: Dict[str, float], all_: float) -> str:
    """In place of load imbalance that pickling makes: it counts as computing."""
    mpi = sum(found.get(role, 0.0) for role in IN_MPI)
    return message(
        "Pickled Python objects: pickling counts as computing, and who pickles more is late. MPI"
        " takes {share} of the run.",
        share=percent(mpi / all_),
    )


def is_of_cores(said: str) -> bool:
    """Whether a verdict says that ranks had no core, and why."""
    return getattr(said, "template", "") == SENTENCE.template


def nothing_measured(run: Lookup) -> str:
    """The reason and the one next step, as far as they are known."""
    gap = next(iter(run.measures.gaps or run.profile.gaps), None)
    if gap is None:
        return message(
            "Nothing was measured: no rank left a record. `advisor doctor` says what can be"
            " measured here."
        )
    # Darshan times files, Score-P without the program's regions its MPI calls: something was
    # measured there, though not what this line is about.
    is_empty = run.number("run.time") is None and run.number("run.mpi_time") is None
    why = unstopped(gap.reason)
    reason = (
        message("Nothing was measured: {reason}.", reason=why)
        if is_empty
        else message("How much of the run was MPI is not known: {reason}.", reason=why)
    )
    # Collectors give a whole sentence, readers of other tools' files what a table has room for.
    step = (
        message("To know it: {step}.", step=unstopped(gap.collect))
        if gap.collect[:1].islower()
        else gap.collect
    )
    return joined(" ", (reason, step)) if step else reason


def _starting(startup: float, mpi: float, all_: float) -> str:
    return message(
        "Start-up and end take {share} of the run; the time in MPI between them is {time}, too"
        " little to judge.",
        share=percent(startup / all_),
        time=seconds(mpi),
    )


_NAMES = {
    "waiting": message("waiting"),
    "transfer": message("transfer"),
    "io": message("I/O"),
    "polling": message("polling"),
    "unsplit": message("waiting or transfer"),
}


def _computing(run: Lookup, found: Dict[str, float], mpi: float, all_: float) -> str:
    shares = {part.role: part.share_text for part in parts(run)}
    values = {
        "share": shares.get("computing", percent(found["computing"] / all_)),
        "mpi": _whole_percent(mpi / all_),
    }
    if found["unsplit"] >= HALF[0] * mpi:
        return _COMPUTING["unsplit"].of(**values)
    role = leading(run, found)
    if role:
        return _COMPUTING["most"].of(what=_NAMES[role], **values)
    half = HALF[0] * mpi <= found["waiting"] <= HALF[1] * mpi
    return _COMPUTING["half" if half else ""].of(**values)


def _whole_percent(share: float) -> str:
    return f"<{HARD}1{HARD}%" if share < 0.005 else f"{100 * share:.0f}{HARD}%"


_COMPUTING = {
    "half": message(
        "The run is mostly computing ({share}). MPI takes {mpi}, about half of it waiting."
    ),
    "most": message("The run is mostly computing ({share}). MPI takes {mpi}, most of it {what}."),
    "unsplit": message(
        "The run is mostly computing ({share}). MPI takes {mpi}; how much of that is waiting is not"
        " known."
    ),
    "": message(
        "The run is mostly computing ({share}). MPI takes {mpi}, part of it waiting and part"
        " transfer."
    ),
}


def _healthy(run: Lookup, found: Dict[str, float], mpi: float, all_: float) -> str:
    share, pieces = percent(mpi / all_), _pieces(run, found, mpi)
    if not pieces:
        return message("Nothing in MPI is worth changing: {share} of the time.", share=share)
    return message(
        "Nothing in MPI is worth changing: {share} of the time, of which {parts}.",
        share=share,
        parts=pieces,
    )


def _little(run: Lookup, found: Dict[str, float], mpi: float, all_: float) -> str:
    """There is something to do all the same."""
    return message(
        "MPI takes {share} of the run: {parts}.",
        share=percent(mpi / all_),
        parts=_pieces(run, found, mpi),
    )


def _pieces(run: Lookup, found: Dict[str, float], mpi: float) -> str:
    """The larger parts of MPI as the rows below say them; empty if there is none."""
    read = {part.role: part.seconds_text for part in parts(run)}
    pieces = [
        message("{time} {what}", time=read.get(role, seconds(found[role])), what=_NAMES[role])
        for role in IN_MPI
        if found[role] >= TELLING * mpi > 0
    ]
    return joined(", ", pieces) if pieces else ""


def _of_mpi(run: Lookup, found: Dict[str, float], mpi: float, all_: float) -> str:
    known = split(run, run.number("run.mpi_time") or 0.0)
    others = max(found[role] for role in ("transfer", "io", "polling"))
    waits = found["waiting"] >= others and found["waiting"] >= (
        0 if known.sampled else BOUND * all_
    )
    uneven = (run.number("run.imbalance_share") or 0.0) >= BY_FAR
    if known.sampled and mpi < SOME * all_ and (known.waiting_bounds[0] or 0.0) < BOUND * all_:
        waits = waits and leading(run, found) == "waiting"
    if waits and (uneven or found["unsplit"] <= TWICE * found["waiting"]):
        said = _waits(run, found["waiting"], known)
        if said.template != _BY_STATE[""].template or leading(run, found) == "waiting":
            return said
        return _TEMPLATES[""].of(share=percent(mpi / all_), call=_longest(run, ""))
    local = local_calls(run)
    if local >= mpi / 2:
        return _LOCAL.of(
            part=percent(local / all_), time=seconds(local), call=_longest(run, "transfer")
        )
    role = max((each for each in IN_MPI if each != "waiting"), key=lambda each: found[each])
    call = _longest(run, role)
    tied = role == "transfer" and leading(run, found) != role
    return _TEMPLATES["" if tied else role].of(
        share=percent(mpi / all_),
        part=percent(found[role] / all_),
        time=seconds(found[role]),
        call=call,
    )


_LOCAL = message(
    "Local MPI calls take {time}, {part} of the run, most of it in {call}: no other rank takes"
    " part in them."
)
_TEMPLATES = {
    "transfer": message(
        "Transfer time dominates MPI: {time}, {part} of the run, the largest part in {call}."
    ),
    "io": message("File access through MPI takes {time}, {part} of the run, mostly in {call}."),
    "polling": message(
        "Polling takes {time}, {part} of the run: {call} asks again and again and finds nothing."
    ),
    "unsplit": message(
        "MPI takes {share} of the run, the largest part in {call}; how much of that is waiting is"
        " not known."
    ),
    "": message(
        "MPI takes {share} of the run, the largest part in {call}; whether waiting or transfer"
        " takes more of it is uncertain."
    ),
}


def _longest(run: Lookup, role: str) -> str:
    """The operation with most of the time in this role; of waiting, the one with most of it."""
    known, sums = run.measures.causes, {}  # type: ignore[var-annotated]
    if known is not None:
        for part, value in zip(known.parts, known.means):
            if part.operation and role_of(part) == role:
                sums[part.operation] = sums.get(part.operation, 0.0) + float(value)
    if not sums:
        names, times = run.texts("operation.name"), run.numbers("operation.time")
        if not names or times is None:
            return "MPI"
        sums = dict(zip(names, np.nan_to_num(times)))
    return f"MPI_{max(sums, key=lambda name: sums[name])}"


def _first_to_wait(run: Lookup) -> str:
    """The operation with most of the waiting; where most waiting in calls of all is for ranks that
    had waited for messages, the one with most of that before."""
    names, groups = run.texts("operation.name"), run.texts("operation.group")
    shares, after = run.numbers("operation.wait_share"), run.number("run.wait_after_messages_share")
    longest = _longest(run, "waiting")
    if shares is None or after is None:
        return longest
    of_all = np.isin(groups, ("collective", "sync"))
    waits = np.nan_to_num(shares)
    top = [group for name, group in zip(names, groups) if f"MPI_{name}" == longest]
    first = np.where(of_all, 0.0, waits)
    if top and top[0] in ("collective", "sync") and first.any():
        if 2 * after >= float(waits[of_all].sum()):
            return f"MPI_{names[int(first.argmax())]}"
    return longest


def _waits(run: Lookup, waiting: float, known: Split) -> Message:
    about = "~" if known.sampled and known.estimated else ""
    time: str = behind(about, seconds(waiting))
    if known.sampled and known.estimated:
        time = reported(interval(waiting, *known.waiting_bounds), time, seconds)
    elif not known.sampled:
        time = message("at least {amount}", amount=seconds(waiting))
    values = {"time": time, "call": _first_to_wait(run)}
    origin, state = _main_wait(run)
    if origin == IN_TURNS and 2 * _drifting(run) >= waiting:
        return _DRIFTING.of(**values)
    if _one_after_the_other(run):
        return _BY_ORIGIN[IN_TURNS].of(**values)
    rank, times = _uneven(run)
    if times is not None and (origin == "imbalance" or origin == "" and _explained(run, waiting)):
        values["times"] = number(times)
        if rank is None:
            return _UNEVEN.of(**values)
        other = _other_of_two(run, rank)
        if other:
            return _ONE_OF_TWO.of(rank=rank, other=other, **values)
        return _ONE_RANK.of(rank=rank, **values)
    if origin == IDLE and rank is not None:
        return _ASLEEP_RANK.of(rank=rank, **values)
    if origin == IN_TURNS and (run.number("run.delaying_rank_share") or 0.0) >= MOSTLY_FOR_ONE:
        return _FOR_ONE.of(rank=f"{run.number('run.delaying_rank'):.0f}", **values)
    return (_BY_ORIGIN.get(origin) or _BY_STATE.get(state) or _BY_STATE[""]).of(**values)


def _one_after_the_other(run: Lookup) -> bool:
    """Whether two ranks hardly ever compute at the same time, and each waits for the other: with
    even work they would take as long."""
    efficiency, time = run.number("run.parallel_efficiency"), run.number("run.time")
    useful = run.numbers("rank.useful_time")
    if efficiency is None or not time or useful is None or len(useful) != 2:
        return False
    most, least = float(np.nanmax(useful)), float(np.nanmin(useful))
    at_a_time = len(useful) * efficiency
    return NEARLY <= at_a_time <= ALONE and most <= WHOLE * time and least >= IDLE_RANK * most


def _drifting(run: Lookup) -> float:
    """Seconds that ranks wait for those that compute longer for a part of the run; 0: not known."""
    share, time = run.number("run.drifting_imbalance_share"), run.number("run.time")
    return (share or 0.0) * (time or 0.0)


def _explained(run: Lookup, waiting: float) -> bool:
    """Whether load imbalance over the whole run explains half of the waiting, where nothing else
    says what does."""
    imbalance, time = run.number("run.imbalance_share"), run.number("run.time")
    return imbalance is None or time is None or 2 * imbalance * time >= waiting


_ASLEEP = message(
    "Ranks were asleep outside MPI for {share} of the run ({time}): files, pauses or other"
    " processes. MPI takes {mpi}."
)
_BETWEEN_POLLS = message(
    "Polling: {share} of the run ({time}) lies in and between calls that ask for messages and find"
    " none. Ranks wait there, or compute in between."
)
_FOR_ONE = message(
    "Ranks wait {time} on average for rank {rank}, which computes no longer than others, mostly in"
    " {call}."
)
_ASLEEP_RANK = message(
    "Load imbalance: rank {rank} sleeps outside MPI; ranks wait {time} on average, mostly in"
    " {call}."
)
_ONE_RANK = message(
    "Load imbalance: rank {rank} computes {times} times as long as the others; ranks wait {time}"
    " on average, mostly in {call}."
)
_ONE_OF_TWO = message(
    "Load imbalance: rank {rank} computes {times} times as long as rank {other}; ranks wait {time}"
    " on average, mostly in {call}."
)
_UNEVEN = message(
    "Load imbalance: the busiest rank computes {times} times as long as the median rank; ranks"
    " wait {time} on average, mostly in {call}."
)
_DRIFTING = message(
    "Drifting load imbalance: ranks wait {time} on average for those that compute longest at the"
    " time, mostly in {call}."
)
_BY_ORIGIN = {
    PROGRESS: message(
        "One-sided calls wait {time} on average for targets that do not call MPI, mostly in {call}."
    ),
    IDLE: message(
        "Load imbalance: ranks wait {time} on average for others that sleep outside MPI, mostly in"
        " {call}."
    ),
    "imbalance": message("Load imbalance: ranks wait {time} on average, mostly in {call}."),
    IN_TURNS: message(
        "Serialisation: ranks are late in turns and wait {time} on average, mostly in {call}."
    ),
    HANDED_ON: message(
        "Propagated waits: delays pass from rank to rank, {time} on average, mostly in {call}."
    ),
    "no core": message(
        "Ranks wait {time} on average for ranks that had no core, mostly in {call}."
    ),
}
_BY_STATE = {
    "late sender": message("Late senders: receivers wait {time} on average, mostly in {call}."),
    "late receiver": message("Late receivers: senders wait {time} on average, mostly in {call}."),
    "lock": message("Lock contention: ranks wait {time} on average, mostly in {call}."),
    "": message("Wait time dominates MPI: {time} on average, mostly in {call}."),
}


def _other_of_two(run: Lookup, rank: str) -> str:
    """The number of the other rank; empty where there are more."""
    ranks = run.numbers("rank.id")
    others = [] if ranks is None else [f"{each:.0f}" for each in ranks if f"{each:.0f}" != rank]
    return others[0] if len(others) == 1 else ""


def _main_wait(run: Lookup) -> Tuple[str, str]:
    """Origin and state of most of the waiting; empty: not known."""
    known = run.measures.causes
    sums: Dict[Tuple[str, str], float] = {}
    if known is not None:
        for part, value in zip(known.parts, known.means):
            if part.kind == WAITING:
                key = (part.origin, part.state)
                sums[key] = sums.get(key, 0.0) + float(value)
    return max(sums, key=lambda key: sums[key]) if sums else ("", "")


def _uneven(run: Lookup) -> Tuple[Optional[str], Optional[float]]:
    """The one rank that computes longest and its time over the mean of the others, as the rule
    uneven-compute says it; or None for several, and the time of the longest over the median; no
    time where ranks compute alike."""
    ranks, values = run.numbers("rank.id"), run.numbers("rank.useful_time")
    if values is None:
        values = run.numbers("rank.outside_time")
    if values is None or ranks is None or len(values) < 2 or np.isnan(values).any():
        return None, None
    first = int(np.argmax(values))
    middle, most = float(np.median(np.delete(values, first))), float(values[first])
    if not middle > 0 or most < UNEVEN * middle:
        return None, None
    alone = int((values > (middle + most) / 2).sum()) == 1
    named, _ = delaying(run)
    rank = f"{ranks[first]:.0f}"
    if alone or named == rank:
        return rank, most / float(np.delete(values, first).mean())
    return None, most / middle
