"""`run --collector scorep`: the environment of an instrumented program, and the experiment that it
leaves (collectors/SCOREP.md)."""

from __future__ import annotations

import os
import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Dict, FrozenSet, List, Mapping, Optional, Sequence, Tuple

from advisor.launching.parse.line import LaunchLine, insert, parse
from advisor.launching.run import plan, result_folder, session
from advisor.launching.run.instrumented import instrumented, plainly
from advisor.launching.target.library_file import MpiLibrary
from advisor.launching.target.library_of import Use
from advisor.model.errors import UserError

FOLDER = "scorep"
"""Of the experiment, below a result folder."""
FILES = ("profile.cubex", "traces.otf2")
GROUPS = "cg,coll,env,io,p2p,rma,spawn,topo,type,xnonblock"
"""Its default, and all else that may take time: our own collector counts these calls as well."""
_MEMORY, _MOST_MEMORY = 64 << 20, 4000 << 20
"""Bytes for a profile; and below the 4 GB that Score-P can manage."""
_TRACKED = "1000"
"""Communicators, groups and windows at a time. Its 50 are too few for programs that make one for
each row and column of a grid."""
_DIRECTORY = "SCOREP_EXPERIMENT_DIRECTORY"
_ASSIGNED = re.compile(r"(?:^|[\s;,])(SCOREP_[A-Z_]+)=([^\s;]*)")
Say = Callable[[str], None]
Stamps = FrozenSet[Tuple[str, int, int]]
HOW = "build it with `scorep mpicc` (scorep mpif90, scorep mpicxx) in place of mpicc"


@dataclass(frozen=True)
class UserOptions:
    """What the user asks Score-P for. `trace`: tracing.wanted(), empty for none; `filter`: a file
    of its rules; `papi` and `rusage`: names of metrics."""

    trace: str = ""
    filter: str = ""
    papi: Sequence[str] = ()
    rusage: Sequence[str] = ()


@dataclass(frozen=True)
class Experiment:
    """Where Score-P writes; `before`: files that were there before the job, which are not its."""

    folder: Path
    before: Stamps = frozenset()

    def file(self, name: str) -> Optional[Path]:
        """A file that the job has written; None if it did not."""
        written = {stamp[0] for stamp in stamps(self.folder) - self.before}
        return self.folder / name if name in written else None


def stamps(folder: Path) -> Stamps:
    """Name, inode and time of the files of an experiment."""
    found = []
    for name in FILES:
        try:
            seen = os.stat(folder / name)
            found.append((name, seen.st_ino, seen.st_mtime_ns))
        except OSError:
            pass
    return frozenset(found)


def fits(words: Sequence[str], environment: Mapping[str, str], say: Say) -> bool:
    """Whether Score-P can measure this line; says why not. Where a script hides the program, the
    user is believed."""
    line = parse(words, environment)
    found = instrumented(line, environment)
    if found is None:
        say(
            f"Whether {plan.program_word(line)} is instrumented with Score-P cannot be told: it is"
            " taken to be."
        )
    if found is not False:
        return True
    say(
        f"{plan.program_word(line)} is not instrumented with Score-P, so advisor's own collector"
        f" measures it. To instrument it: {HOW}"
    )
    return False


def warn(words: Sequence[str], environment: Mapping[str, str], say: Say) -> None:
    """Say what our own collector makes of an instrumented program. Seen with Score-P 8.4: at the
    start and the end of each run it calls PMPI some hundred times."""
    line = parse(words, environment)
    if plainly(line, environment):
        say(
            f"{plan.program_word(line)} is instrumented with Score-P, whose own MPI calls are"
            " counted too. Without them: advisor run --collector scorep -- …"
        )


def prepare(
    words: Sequence[str],
    environment: Mapping[str, str],
    output: Optional[Path],
    say: Say,
    warn: Say,
    wanted: UserOptions,
) -> Tuple[session.Prepared, Experiment]:
    """The line with Score-P's settings in it, and where its experiment will lie. What prevents it
    is the result's `problem`."""
    line, made = parse(words, environment), None
    try:
        made = result_folder.make(
            output,
            result_folder.default_name(plan.program_word(line), line.ranks, environment),
            environment,
            warn,
        )
        own = users(line, environment)
        experiment = _experiment(made, own)
        handed = settings(experiment.folder, wanted, own, say)
        ready = insert(line, handed, environment, made / "parts")
        return (
            session.Prepared(
                line, ready, secrets.token_hex(8), made, _target(line, environment, say)
            ),
            experiment,
        )
    except Exception as error:  # Whatever is wrong with us, the program must run.
        if made:
            result_folder.discard(made)
        problem = error if isinstance(error, UserError) else session.internal(error)
        return session.Prepared(line, tuple(words), problem=problem), Experiment(Path(os.devnull))


def users(line: LaunchLine, environment: Mapping[str, str]) -> Dict[str, str]:
    """SCOREP_* as the user set them, in his environment and in the line itself, which is
    stronger."""
    inherited = {name: value for name, value in environment.items() if name.startswith("SCOREP_")}
    return {
        **inherited,
        **{name: value for word in line.words for name, value in _ASSIGNED.findall(word)},
    }


def settings(
    experiment: Path, wanted: UserOptions, own: Mapping[str, str], say: Say
) -> Dict[str, str]:
    """Variables for the ranks. What the user set himself stays, unless an option of his asks for
    another value; both are said."""
    asked, usual = _asked(wanted, say), _usual(experiment, wanted)
    for name in sorted({*asked} & {*own}):
        if own[name] != asked[name]:
            say(
                f"{name}={asked[name]} is used in place of your {name}={own[name]}, as the option"
                " asks."
            )
    for name in sorted({*usual} & {*own} - {*asked}):
        if own[name] != usual[name]:
            say(f"{name}={own[name]} is yours and stays; advisor would have set {usual[name]}.")
    return {**{name: value for name, value in usual.items() if name not in own}, **asked}


def _usual(experiment: Path, wanted: UserOptions) -> Dict[str, str]:
    tracked = {
        f"SCOREP_MPI_MAX_{kind}": _TRACKED for kind in ("COMMUNICATORS", "GROUPS", "WINDOWS")
    }
    return {
        _DIRECTORY: str(experiment),
        "SCOREP_ENABLE_PROFILING": "true",
        "SCOREP_ENABLE_TRACING": "false",
        "SCOREP_TOTAL_MEMORY": str(_memory(wanted.trace)),
        "SCOREP_MPI_ENABLE_GROUPS": GROUPS,
        **tracked,
    }


def _asked(wanted: UserOptions, say: Say) -> Dict[str, str]:
    found = {
        "SCOREP_METRIC_PAPI": ",".join(wanted.papi),
        "SCOREP_METRIC_RUSAGE": ",".join(wanted.rusage),
    }
    if wanted.filter:
        found["SCOREP_FILTERING_FILE"] = os.path.abspath(wanted.filter)
    if wanted.trace:
        found["SCOREP_ENABLE_TRACING"] = "true"
        if re.search(r"(from|to|last|region)=", wanted.trace):
            say("Score-P traces the whole run: only size= of --trace is its.")
    return {name: value for name, value in found.items() if value}


def _memory(trace: str) -> int:
    """Bytes for each process: for a profile, and for as much of a trace before it is written out as
    was asked for."""
    size = re.search(r"size=(\d+)", trace)
    return min(_MEMORY + (int(size.group(1)) if size else 0), _MOST_MEMORY)


def _experiment(result: Path, own: Mapping[str, str]) -> Experiment:
    place = Path(own[_DIRECTORY]).absolute() if own.get(_DIRECTORY) else result / FOLDER
    return Experiment(place, stamps(place))


def _target(line: LaunchLine, environment: Mapping[str, str], say: Say) -> plan.Target:
    """The program and its MPI library; an unknown one where it cannot be told, which Score-P does
    not need to know."""
    try:
        use, library = plan.library(line, environment, say)
    except UserError:
        use, library = Use("untold"), MpiLibrary("unknown", "", "", "")
    return plan.Target(line, plan.program_word(line), use, library, None)


def earlier(experiment: Experiment) -> List[Path]:
    """Experiments that a later start of the program in the same job moved aside."""
    return sorted(
        path
        for path in experiment.folder.parent.glob(experiment.folder.name + "-*")
        if (path / FILES[0]).exists() or (path / FILES[1]).exists()
    )
