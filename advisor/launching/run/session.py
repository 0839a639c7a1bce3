"""One profiled run: a result folder, the job as a child, the facts of its end. The job runs
whatever happens to us."""

from __future__ import annotations

import json
import os
import secrets
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Callable, Dict, Mapping, Optional, Sequence, Tuple

from advisor import __version__
from advisor.launching.collector.build import COLLECTOR, TRACING
from advisor.launching.collector.prebuilt import said_of
from advisor.launching.parse.line import LaunchLine, insert, parse
from advisor.launching.parse.masking import mask
from advisor.launching.run import child, plan, rank_records, result_folder, tracing
from advisor.launching.target.library_file import MpiLibrary
from advisor.launching.target.library_of import locate
from advisor.model.errors import UserError

if TYPE_CHECKING:
    from advisor.model.profile import Run


@dataclass(frozen=True)
class Prepared:
    """A line that is ready to start. `folder` None: it runs as it is, without being measured."""

    line: LaunchLine
    words: Tuple[str, ...]
    run: str = ""
    folder: Optional[Path] = None
    target: Optional[plan.Target] = None
    problem: Optional[UserError] = None

    @property
    def parts(self) -> Optional[Path]:
        """Where the collector writes."""
        return self.folder / "parts" if self.folder else None


@dataclass(frozen=True)
class Finished:
    """A job that ran. `run` None: it was not measured. `problem`: why what it left could not be
    kept."""

    ended: child.Ended
    run: Optional[Run] = None
    problem: Optional[UserError] = None


@dataclass(frozen=True)
class Left:
    """What a measured job left: its folder with the parts, the facts of the run, its library, the
    launcher's file."""

    folder: Path
    run: Run
    library: MpiLibrary
    launcher: str
    doubts: Tuple[str, ...] = ()
    """What is uncertain about how its line was read."""
    collector: str = ""
    """What is to be said of the collector; empty if it was built for this library."""


def prepare(
    words: Sequence[str],
    environment: Mapping[str, str],
    output: Optional[Path],
    say: Callable[[str], None],
    warn: Callable[[str], None],
    trace: str = "",
) -> Prepared:
    """Find programs, library and collector, and make the result folder. What prevents it is the
    result's `problem`. `say`, `warn`: how progress is said, and what is not as it was asked for.
    `trace`: tracing.wanted()."""
    line = parse(words, environment)
    made = None
    try:
        target = plan.target(
            line,
            environment,
            say,
            last_resort=_spare(output, line, environment),
            product=TRACING if trace else COLLECTOR,
        )
        if target.collector is None:
            raise ValueError("programs that measure themselves are not prepared here")
        made = result_folder.make(
            output,
            result_folder.default_name(target.program, line.ranks, environment),
            environment,
            warn,
        )
        run = secrets.token_hex(8)
        handed = {
            **variables(target.collector, made / "parts", run),
            **user_options(environment),
            **tracing.begin(made, line.ranks, trace, say),
        }
        return Prepared(line, insert(line, handed, environment, made / "parts"), run, made, target)
    except Exception as error:  # Whatever is wrong with us, the program must run.
        if made:
            result_folder.discard(made)
        return Prepared(
            line, tuple(words), problem=error if isinstance(error, UserError) else internal(error)
        )


def variables(collector: Path, parts: Path, run: str) -> Dict[str, str]:
    """The environment that puts the collector into the ranks: all that it needs."""
    return {"LD_PRELOAD": str(collector), "ADVISOR_OUTPUT": str(parts), "ADVISOR_RUN": run}


def user_options(environment: Mapping[str, str]) -> Dict[str, str]:
    """What the user wishes of the collector: that ranks must not talk to each other for us,
    counters, stacks. On other hosts, few launchers hand it on by themselves.

    Stacks of Python code where nothing else is asked: call sites of mpi4py are its own functions,
    and where the program called, its stack tells."""
    asked = {
        name: environment[name]
        for name in ("ADVISOR_GATHER", "ADVISOR_COUNTERS", "ADVISOR_STACKS")
        if name in environment
    }
    return {"ADVISOR_STACKS": "python", **asked}


def execute(
    prepared: Prepared,
    environment: Mapping[str, str],
    meanwhile: Callable[[], object] = lambda: None,
) -> Finished:
    """Run the job to its end; gather what its ranks left; write the facts of the run to
    parts/run.json. `meanwhile` is called once the job runs."""
    started = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    ended = child.run(prepared.words, environment, meanwhile)
    parts = prepared.parts
    if prepared.folder is None or parts is None:
        return Finished(ended)
    run = facts(prepared, ended, started, environment)
    try:
        rank_records.collect(prepared.run, parts, environment)
        tracing.collect(prepared.run, prepared.folder, environment)
        write_facts(parts, run)
    except OSError as error:
        return Finished(ended, run, _unwritten(parts, error))
    return Finished(ended, run)


def facts(
    prepared: Prepared, ended: child.Ended, started: str, environment: Mapping[str, str]
) -> Run:
    """What is known of the run from outside. Words that look like secrets are masked."""
    # Once the job has run: reading it takes longer than anything else that a job would wait for.
    from advisor.model.profile import Run

    line, scheduler = prepared.line, result_folder.job_of(environment)
    first = line.programs[0]
    return Run(
        program=line.words[first.index],
        arguments=mask(line.words, environment)[first.index + 1 : first.end],
        launch_line=mask(line.written, environment),
        launcher=os.path.basename(line.launcher),
        directory=os.getcwd(),
        started=started[:-2] + ":" + started[-2:],
        job=scheduler[1],
        scheduler=scheduler[0],
        job_seconds=ended.seconds,
        exit_code=ended.code,
        ranks_expected=line.ranks or (None if line.launcher else 1),
        advisor_version=__version__,
        overlay=environment.get("ADVISOR_OVERLAY", ""),
    )


def write_facts(parts: Path, run: Run, more: Optional[Mapping[str, object]] = None) -> Path:
    """Write parts/run.json, complete or not at all: {"run": …} and whatever else is known (nodes,
    library, gaps)."""
    target = parts / "run.json"
    draft = parts / ".run.json"
    draft.write_text(
        json.dumps({"run": asdict(run), **(more or {})}, indent=1) + "\n", encoding="utf-8"
    )
    os.replace(draft, target)
    return target


def absent(prepared: Prepared, environment: Mapping[str, str]) -> int:
    """127 if a program is not there, 126 if it may not be executed, 0 otherwise: the codes of
    shells.

    0 as well if the ranks may be on other hosts: the program can be there, and its code is the
    launcher's to tell.
    """
    line = prepared.line
    if line.launcher and (
        result_folder.job_of(environment)[0] or any(program.elsewhere for program in line.programs)
    ):
        return 0
    for program in line.programs:
        try:
            if (
                locate(
                    line.words[program.index], environment, line.from_directory, program.directory
                )
                is None
            ):
                return 127
        except UserError:
            return 126
    return 0


def left(prepared: Prepared, run: Run) -> Left:
    """What `prepared` left. Raises ValueError if it was not measured."""
    if prepared.folder is None or prepared.target is None:
        raise ValueError("a job that was not measured left nothing")
    return Left(
        prepared.folder,
        run,
        prepared.target.library,
        launcher_file(prepared),
        prepared.line.doubts(),
        said_of(prepared.target.collector) if prepared.target.collector else "",
    )


def launcher_file(prepared: Prepared) -> str:
    """The file of the launcher, or of the program if there is none."""
    word = prepared.line.launcher or plan.program_word(prepared.line)
    return shutil.which(word) or word


def _spare(
    output: Optional[Path], line: LaunchLine, environment: Mapping[str, str]
) -> Optional[Path]:
    """A folder for the collector itself if no cache can be written: where results go, which all
    nodes see; else a temporary one of this host, unless ranks may be on others."""
    beside = output.absolute().parent if output else Path.cwd()
    if os.access(beside, os.W_OK) or result_folder.job_of(environment)[0]:
        return beside / ".advisor-cache"
    if any(program.elsewhere for program in line.programs):
        return None
    return Path(environment.get("TMPDIR") or "/tmp", f".advisor-cache-{os.geteuid()}")


def _unwritten(parts: Path, error: OSError) -> UserError:
    return UserError(
        f"The facts of the run could not be written to {parts}: {error.strerror}.",
        "The report may lack some of them.",
        "Check the room on that file system.",
    )


def internal(error: Exception) -> UserError:
    """A fault of ours, said as one."""
    return UserError(
        f"advisor failed before the start: {type(error).__name__}: {error}",
        "The program runs without being measured.",
        "Please report this line.",
    )
