"""Names of parts, values and changes."""

from __future__ import annotations

from typing import Optional

from advisor.base.numbers import HARD, MINUS, counted, number, percent, reported, seconds, size
from advisor.model.comparison import Comparison, NoCore, Part
from advisor.model.interval import Interval, interval

CLASSES = {
    "self": "with itself",
    "intra_node": "inside hosts",
    "one_per_node": "one rank a host",
    "multi_node": "across hosts",
    "inter": "between groups",
    "other": "between hosts",
    "none": "",
    "nothing": "",
    "any": "from any rank",
    "": "",
}
SIGNS = {
    "startup": "start-up and end",
    "outside": "computing",
    "no_core": "no core",
    "io": "MPI-IO",
    "unattributed": "unattributed",
}
LEADS = {
    "waiting": "waiting",
    "moving": "transfer",
    "unsplit": "waiting or transfer",
    "polling": "polling in vain",
}
ROLES = {
    "waiting": "waiting",
    "moving": "moving",
    "unsplit": "unsplit",
    "no_core": "unsplit",
    "polling": "unsplit",
}
NAMES = {
    "time": "elapsed time (without start-up)",
    "job_time": "whole run",
    "startup_share": "start-up and end, of the whole run",
    "mpi_share": "MPI, of elapsed time",
    "wait_share": "waiting, of elapsed time",
    "transfer_share": "transfer, of elapsed time",
    "io_share": "MPI-IO, of elapsed time",
    "parallel_efficiency": "parallel efficiency",
    "load_balance": "load balance",
    "communication_efficiency": "communication efficiency",
    "serialisation_efficiency": "serialisation efficiency",
    "transfer_efficiency": "transfer efficiency",
    "call_rate": "MPI calls a second and rank",
    "on_host_share": "bytes that stay on their host",
    "memory_peak": "peak memory of a rank",
    "overhead_share": "overhead, of elapsed time",
}

QUIET, NOISY = 0.001, 0.05
"""Variation from run to run below which, and above which, runs on nodes of their own seldom are."""
BUSY = 0.25
"""Load for each core that daemons alone do not reach."""
SHARES = frozenset({"startup_share", "mpi_share", "wait_share", "transfer_share", "io_share"})
"""Means over ranks of what the waterfall shows of one rank: the story has its shares instead."""


def label(part: Part) -> str:
    """What a part is, in words: "transfer in MPI_Allreduce, across hosts, 1 to 63 B"."""
    if part.kind in SIGNS:
        return SIGNS[part.kind]
    lead = LEADS[part.kind]
    if part.kind == "waiting":
        return f"{lead} for rank {part.detail[0]}" if part.detail else f"{lead} for other ranks"
    if not part.detail:
        return f"{lead}, all calls"
    operation, kind, sizes = part.detail
    return ", ".join(
        filter(
            None,
            (
                f"{lead} in MPI_{operation}",
                CLASSES.get(kind, kind),
                sizes.replace(" B", f"{HARD}B"),
            ),
        )
    )


def amount(value: float, unit: str) -> str:
    """A value of the waterfall: seconds, or percent of the run's own time."""
    if unit == "s":
        return f"{MINUS}{seconds(-value)}" if value < 0 else seconds(value)
    return f"{MINUS}{percent(-value)}" if value < 0 else percent(value)


def change(value: float, unit: str) -> str:
    """A change with its sign; shares change in percentage points."""
    if value == 0:
        return amount(0.0, unit) if unit == "s" else f"0{HARD}points"
    sign = "+" if value > 0 else MINUS
    if unit != "s" and abs(value) < 5e-5:
        return f"below 0.01{HARD}points"
    return sign + (
        seconds(abs(value)) if unit == "s" else f"{number(100 * abs(value))}{HARD}points"
    )


def relative(after: float, before: float) -> str:
    """The change as percent of before; empty if before is nothing."""
    if not before:
        return ""
    share = after / before - 1
    return ("+" if share > 0 else MINUS if share < 0 else "") + percent(abs(share))


def measure(value: Optional[float], unit: str) -> str:
    """A measure with its unit; "?" where unknown."""
    if unit == "share":
        return percent(value)
    if unit == "B":
        return size(value)
    return seconds(value) if unit == "s" else number(value)


def lacking(comparison: Comparison) -> str:
    """That there is no verdict, since ranks had no core, and what to do."""
    last = "second run" if len(comparison.points) == 2 else "last run"
    found = [
        (f"{_share(one)} of the {name}", one.crowded)
        for one, name in zip(comparison.no_core, ("first run", last))
        if one is not None and one.starved
    ]
    runs = " and ".join(text for text, _ in found)
    if len(found) == 2:
        runs = runs.removesuffix(" run") if last == "second run" else runs
    what = "both" if len(found) == 2 else "it"
    cores = ", with a core for each thread" if any(crowded for _, crowded in found) else ""
    return f"No verdict: ranks had no core for {runs}. Repeat {what} on idle nodes{cores}."


def _share(one: NoCore) -> str:
    """As the first screen of that run says it."""
    if one.share is None:
        return reported(Interval(one.low, None), "?", percent)
    return reported(interval(one.share, one.low, one.high), f"~{percent(one.share)}", percent)


def doubt(comparison: Comparison) -> str:
    """Beside the verdict: that it rests on an assumption, where noise that occurs would turn it."""
    noise, total = comparison.noise, comparison.total
    if noise.runs or not total.noise:
        return ""
    turns = noise.variation * abs(total.change) / total.noise
    if total.clear:
        return "" if turns >= NOISY else _doubt(noise.variation, "less", turns)
    return "" if turns < QUIET else _doubt(noise.variation, "more", turns)


def _doubt(assumed: float, than: str, turns: float) -> str:
    return (
        f" That holds only if elapsed time varies by {than} than {percent(turns)} from run to run;"
        f" {percent(assumed)} is assumed*, see below."
    )


def noise(comparison: Comparison) -> str:
    """Where the noise comes from, in a sentence."""
    reported = comparison.noise
    if reported.runs:
        return (
            f"Noise from {reported.runs} runs: elapsed time varies by {percent(reported.variation)} (one"
            " standard deviation)."
        )
    return (
        f"Noise is assumed*: elapsed time varies by {percent(reported.variation)} from run to run, as"
        f" on idle nodes.{_load(comparison)} To measure it, run BEFORE twice more and add --repeats"
        " BEFORE-2 BEFORE-3 to this command."
    )


def _load(comparison: Comparison) -> str:
    """Where the nodes were not idle."""
    found = [
        (f"{one.load:.1f} on {counted(int(one.cores), 'core')}", when, one.load > BUSY * one.cores)
        for one, when in zip(comparison.loads, ("before", "after"))
        if one
    ]
    if not any(busy for _, _, busy in found):
        return ""
    loads = ", ".join(f"{load} {when}" for load, when, _ in found)
    return (
        f" These nodes were not idle when the runs began (load {loads}): the noise may be larger."
    )
