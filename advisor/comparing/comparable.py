"""Whether two runs may be compared in seconds: METRICS 15."""

from __future__ import annotations

import os
from typing import Optional, Tuple

from advisor.model.comparison import Elapsed
from advisor.model.measures import Measures


def refusals(before: Measures, after: Measures) -> Tuple[str, ...]:
    """Why seconds would mislead: another program, another number of ranks, a run that was cut.
    Empty: comparable."""
    ranks = [_run(measures, "ranks") for measures in (before, after)]
    found = list(other_program(before, after))
    if ranks[0] != ranks[1]:
        found.append(f"The numbers of ranks differ: {_whole(ranks[0])} and {_whole(ranks[1])}.")
    for name, measures in (("before", before), ("after", after)):
        if _run(measures, "truncated") in (True, "yes"):
            found.append(f"The run {name} was cut: not all ranks reached MPI_Finalize.")
        elif _run(measures, "missing_ranks"):
            found.append(f"In the run {name} ranks are missing.")
    return tuple(found)


def other_program(before: Measures, after: Measures) -> Tuple[str, ...]:
    """That the programs differ, if they do: hardly anything can be said then."""
    programs = [_program(measures) for measures in (before, after)]
    if not all(programs) or programs[0] == programs[1]:
        return ()
    return (f"The programs differ: {programs[0]} and {programs[1]}.",)


def remarks(before: Measures, after: Measures, old: Elapsed, new: Elapsed) -> Tuple[str, ...]:
    """What does not forbid the comparison but has to be known."""
    found = []
    if before.profile.run.arguments != after.profile.run.arguments:
        found.append(
            "The arguments of the program differ; whether both runs did the same work is not known."
        )
    if any(_run(measures, "representative") in (False, "no") for measures in (before, after)):
        found.append(
            "In at least one of the runs the time in MPI rests on few calls: what holds for it may"
            " not hold for a longer one."
        )
    if old.sampled != new.sampled:
        found.append("Waiting was told from transfer in one run only, so it is not split here.")
    if None in (old.rank, new.rank):
        found.append("Not all is known rank by rank: values are means over ranks.")
    return tuple(found)


def _run(measures: Measures, name: str) -> object:
    return measures.tables["run"].row(0).get(name)


def _program(measures: Measures) -> str:
    return os.path.basename(str(_run(measures, "program") or ""))


def _whole(value: Optional[object]) -> str:
    return "unknown" if value is None else f"{value:.0f}"
