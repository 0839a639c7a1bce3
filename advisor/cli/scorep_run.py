"""`advisor run --collector scorep`: the program measures itself, and what Score-P wrote becomes a
result like any other."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from pathlib import Path
from typing import Dict, Optional, Sequence, Tuple

from advisor import intake
from advisor.cli import sealing
from advisor.cli.messages import complain, problems_of_reporting, say
from advisor.launching.run import scorep, session
from advisor.model.errors import UserError
from advisor.model.profile import Gap, Profile
from advisor.probing import papi

_SEEN_FROM_OUTSIDE = ("application",)
"""Gaps of the file that sealing fills."""


def user_options(
    arguments: argparse.Namespace, environment: Dict[str, str], trace: str
) -> Tuple[scorep.UserOptions, Tuple[Gap, ...]]:
    """What the options ask of Score-P, and what of it this host cannot do. Raises UserError before
    anything runs."""
    if arguments.filter and not os.path.isfile(arguments.filter):
        raise UserError(
            f"The filter {arguments.filter} does not exist.",
            do="Write one with: scorep-score -g EXPERIMENT/profile.cubex",
        )
    counters = environment.get("ADVISOR_COUNTERS", "")
    wanted = papi.names(counters)
    usable = papi.countable(wanted) if wanted else ()
    # Score-P ends the program where it cannot have a counter that it was asked for.
    missing = [name for name in wanted if name not in usable]
    if missing:
        say(arguments.quiet)(
            f"PAPI on this host cannot count {', '.join(missing)}: Score-P is not asked for that."
        )
    gaps = tuple(
        Gap(
            f"counters.{papi.OURS.get(name, name)}",
            f"PAPI on the host where the job was started cannot count {name}",
        )
        for name in missing
    )
    return (
        scorep.UserOptions(trace, arguments.filter or "", usable, papi.USAGE if counters else ()),
        gaps,
    )


def run(
    arguments: argparse.Namespace, words: Sequence[str], environment: Dict[str, str], trace: str
) -> int:
    """Run the line with Score-P's settings; its exit code."""
    asked, gaps = user_options(arguments, environment, trace)
    prepared, experiment = scorep.prepare(
        words, environment, arguments.output, say(arguments.quiet), say(False), asked
    )
    if prepared.problem:
        complain(prepared.problem)
    finished = session.execute(prepared, environment)
    if finished.problem:
        complain(finished.problem)
    if finished.run is not None:
        _conclude(prepared, experiment, finished, arguments, gaps)
    elif finished.ended.error:
        complain(UserError(f"{prepared.words[0]} cannot be started: {finished.ended.error}."))
    code = finished.ended.code
    return session.absent(prepared, environment) or code if finished.run is None and code else code


def _conclude(
    prepared: session.Prepared,
    experiment: scorep.Experiment,
    finished: session.Finished,
    arguments: argparse.Namespace,
    gaps: Tuple[Gap, ...],
) -> None:
    """Profile and report of a job that was measured; Score-P's files stay."""
    assert finished.run is not None and prepared.parts is not None
    with problems_of_reporting(
        prepared.folder, f"What Score-P wrote is kept in {experiment.folder}."
    ):
        found = _read(experiment, say(arguments.quiet))
        if found is None:
            raise _nothing(experiment, finished)
        found = replace(
            found,
            gaps=tuple(gap for gap in found.gaps if gap.subject not in _SEEN_FROM_OUTSIDE) + gaps,
        )
        intake.write(found, prepared.parts / "merged.profile")
        run = replace(finished.run, collector=found.run.collector)
        sealing.conclude(
            session.left(prepared, run), arguments.rules, arguments.quiet, not arguments.no_report
        )
        say(arguments.quiet)(f"Score-P's experiment: {experiment.folder}")


def _read(experiment: scorep.Experiment, say) -> Optional[Profile]:
    """The trace if there is one, which knows more, with the counters of the profile; else the
    profile. None if there is neither. Raises UserError."""
    cube, trace = (experiment.file(name) for name in scorep.FILES)
    aside = scorep.earlier(experiment)
    if aside:
        say(
            f"The program was started {len(aside) + 1} times: this is the last one, the others are"
            f" in {aside[0]}{' …' if len(aside) > 1 else ''}"
        )
    of_trace = _try(trace, say) if trace else None
    of_cube = intake.read(cube) if cube and of_trace is None else _try(cube, say) if cube else None
    if of_trace is None or of_cube is None:
        return of_trace or of_cube
    more = {
        name: of_cube.tables[name]
        for name in ("counters",)
        if name in of_cube.tables and name not in of_trace.tables
    }
    return replace(
        of_trace,
        tables={**of_trace.tables, **more},
        run=replace(of_trace.run, collector=of_cube.run.collector),
    )


def _try(file: Path, say) -> Optional[Profile]:
    try:
        return intake.read(file)
    except UserError as problem:
        say(" ".join(problem.lines()))
        return None


def _nothing(experiment: scorep.Experiment, finished: session.Finished) -> UserError:
    code = finished.ended.code
    cause = "Score-P writes when all ranks end by themselves, and the job ended with exit code"
    why = f"{cause} {code}." if code else ""
    do = (
        "advisor's own collector keeps what ranks counted until they were killed: advisor run -- …"
        if code
        else f"If the program is not instrumented: {scorep.HOW}"
    )
    return UserError(f"Score-P wrote no profile into {experiment.folder}.", why, do)
