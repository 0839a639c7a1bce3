"""What is known of the time outside MPI: with a core or without, threads, memory, files, GPUs. What
nothing in the profile tells is said to be a gap."""

from __future__ import annotations

from typing import List, Optional, Tuple

import numpy as np

from advisor.base.numbers import count, counted, number, percent, seconds
from advisor.model.message import joined, message
from advisor.reports.composing.whole_run import by_role
from advisor.reports.document import Line
from advisor.reports.lookup import Lookup

LEAST_SHARE = 0.001
STALLED = 0.2
"""Share of cycles stalled for memory: METRICS 13."""


def outside_mpi(run: Lookup) -> Tuple[Line, ...]:
    """Lines with names; none where the time outside MPI is not known."""
    elapsed, mpi = run.number("run.time"), run.number("run.mpi_time")
    if not elapsed or mpi is None or mpi >= elapsed:
        return ()
    lines = (
        (message("Time outside MPI"), _time(run, elapsed, elapsed - mpi)),
        (message("Threads"), _threads(run, elapsed - mpi)),
        (message("Memory"), _memory(run)),
        (message("Files"), _files(run, elapsed)),
        (message("GPUs"), _gpus(run)),
    )
    return tuple(Line(name, text) for name, text in lines if text)


def _time(run: Lookup, elapsed: float, outside: float) -> str:
    found, lacked = by_role(run), run.number("run.no_core_outside")
    told = message(
        "{time} a rank on average, {share} of elapsed",
        time=seconds(outside),
        share=percent(outside / elapsed),
    )
    if lacked is None:
        return joined("; ", (told, message("how much of it had no core is not known")))
    return message(
        "{told}: {computing} computing, {asleep} asleep, {lacked} ready to run without a core",
        told=told,
        computing=seconds(found.get("computing", 0.0)),
        asleep=seconds(found.get("asleep", 0.0)),
        lacked=seconds(lacked),
    )


def _threads(run: Lookup, outside: float) -> str:
    threads, cores = run.number("run.threads"), run.numbers("rank.cores")
    if threads is None:
        return message("how many threads ran is not known")
    if threads <= 1:
        return message("one thread per rank used a core: nothing ran in parallel inside a rank")
    told = message("up to {threads} per rank used a core", threads=counted(threads, "thread"))
    busy = _busy(run, outside)
    if busy is None:
        return told
    usable = "" if cores is None else count(float(np.nanmean(cores)))
    return message(
        "{told}; {low} to {high} cores were busy on average, of {cores} that a rank may use, as its"
        " time in MPI kept a core busy or not",
        told=told,
        low=number(busy[0]),
        high=number(busy[1]),
        cores=usable or "?",
    )


def _busy(run: Lookup, outside: float) -> Optional[Tuple[float, float]]:
    cpu, mpi = run.numbers("rank.cpu_time"), run.number("run.mpi_time") or 0.0
    if cpu is None or np.isnan(cpu).all() or outside <= 0:
        return None
    used = float(np.nanmean(cpu))
    return max(used - mpi, 0.0) / outside, used / outside


def _memory(run: Lookup) -> str:
    stalled, rate, misses = (
        run.number(f"run.{name}")
        for name in ("memory_stalled_share", "instructions_per_cycle", "misses_per_instruction")
    )
    told: List[str] = []
    if stalled is not None:
        bound = message("bound by memory") if stalled > STALLED else message("not bound by memory")
        told.append(
            message(
                "{bound}: {share} of the cycles stood still for it",
                bound=bound,
                share=percent(stalled),
            )
        )
    if rate is not None:
        told.append(message("{rate} instructions a cycle", rate=number(rate)))
    if misses is not None:
        told.append(
            message(
                "{count} misses of the last cache in 1000 instructions", count=number(1000 * misses)
            )
        )
    if told:
        return joined("; ", told)
    return message(
        "whether computing waits for memory is not known: `advisor run --counters -- …` reads"
        " counters, where the system lets it"
    )


def _files(run: Lookup, elapsed: float) -> str:
    asleep, io = run.number("run.asleep_outside"), run.number("run.io_share") or 0.0
    told: List[str] = []
    if asleep is not None and asleep >= LEAST_SHARE * elapsed:
        told.append(
            message(
                "{time} asleep are input and output, pauses, or waiting for other threads: which of"
                " them is not recorded",
                time=seconds(asleep),
            )
        )
    else:
        told.append(message("reads and writes outside MPI are not recorded"))
    if io > 0:
        told.append(message("MPI-IO is time in MPI, {share} of elapsed", share=percent(io)))
    faults = run.numbers("rank.major_faults")
    if faults is not None and np.nansum(faults) > 0:
        told.append(
            message("{count} pages were read from disk", count=count(float(np.nansum(faults))))
        )
    return joined("; ", told)


def _gpus(run: Lookup) -> str:
    gpus = run.numbers("node.gpus")
    if gpus is None or not np.nansum(gpus) > 0:
        return ""
    return message(
        "{gpus} on the hosts: what ran on them is not recorded",
        gpus=counted(float(np.nansum(gpus)), "GPU"),
    )
