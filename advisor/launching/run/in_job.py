"""In-job mode, for launch lines that belong to the user: the settings of the ranks are computed
once, inside the job, and kept beside the output.

`advisor-exec` has one rank ask for it; `advisor exec --print-env` prints it for a job script.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import time
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, Callable, Dict, Mapping, Optional, Sequence

from advisor import __version__
from advisor.base import trusted_files
from advisor.launching.collector.build import COLLECTOR, TRACING, collector_for
from advisor.launching.collector.prebuilt import said_of
from advisor.launching.parse.contexts import innermost
from advisor.launching.parse.masking import mask
from advisor.launching.run import rank_records, result_folder, session, tracing
from advisor.launching.target import preload_order
from advisor.launching.target.library_file import MpiLibrary
from advisor.launching.target.library_of import (
    launcher_library,
    library_of,
    loaded_library,
    locate,
    with_version,
)
from advisor.model.errors import UserError
from advisor.model.profile import Run

SIZE_NAMES = (
    "OMPI_COMM_WORLD_SIZE",
    "PMI_SIZE",
    "MV2_COMM_WORLD_SIZE",
    "SLURM_NTASKS",
    "FLUX_JOB_SIZE",
    "PALS_SIZE",
)
_OLD_SECONDS = 86400.0
_MOST_RESULTS = 1000
"""Folders of one name. Where a file system gives what we make to somebody else, none would ever be
ours."""
_MOST_FACTS = 16 << 20
"""Bytes of run.json: a launch line of a few MiB is possible."""
_OURS = re.compile(r"/advisor-[^/]+-[0-9a-f]{16}\.so$")
Say = Callable[[str], None]


@dataclass(frozen=True)
class Settled:
    """What was worked out for a job. `variables`: the environment of its ranks, LD_PRELOAD with
    what was in it before."""

    folder: Path
    variables: Mapping[str, str]
    library: MpiLibrary
    collector: Path


def settle(
    words: Sequence[str], environment: Mapping[str, str], run: str, launcher: str, say: Say
) -> Settled:
    """Find the collector for `words`, or for the library that is loaded if there are none, and make
    the result folder.

    `run`: the same on all ranks. `launcher`: its file, as far as known. Raises UserError where
    nothing can be measured.
    """
    library = with_version(_library(words, environment, launcher), environment)
    collector = collector_for(
        library,
        launcher,
        environment,
        say,
        product=TRACING if tracing.wished(environment) else COLLECTOR,
    )
    started = {
        "run": run,
        "launcher": launcher,
        "collector": said_of(collector),
        "library": {name: getattr(library, name) for name in ("name", "version", "path", "soname")},
    }
    known = facts(words, environment)
    result = _claimed(environment, run, {"run": asdict(known), "started": started})
    parts = result / "parts"
    # A job script may have asked for an earlier launch.
    before = ":".join(
        word
        for word in re.split("[: ]", environment.get("LD_PRELOAD", ""))
        if word and not _OURS.search(word)
    )
    preload = preload_order.ordered(
        str(collector), before, _program(words, environment), environment
    )
    asked = {
        **session.user_options(environment),
        **tracing.of_job(environment, result, known.ranks_expected, say),
    }
    return Settled(
        result,
        {**session.variables(collector, parts, run), **asked, "LD_PRELOAD": preload},
        library,
        collector,
    )


def answer(
    meeting: Path, words: Sequence[str], environment: Mapping[str, str], say: Say
) -> Settled:
    """For `advisor-exec`: settle, and write what its ranks wait for to `meeting`/answer; nothing
    but a file if it cannot be measured.

    Raises OSError, and writes nothing, where others could write an answer as well.
    """
    text = ""
    trusted_files.made(meeting.parent)
    meeting.mkdir(mode=0o700, exist_ok=True)
    with trusted_files.folder(Path(os.path.realpath(meeting))):
        pass
    try:
        _sweep(meeting.parent)
        run = re.sub(r"[^A-Za-z0-9_-]", "-", meeting.name)[-40:]
        settled = settle(words, environment, run, parents_file(environment), say)
        reported = {
            "BEFORE": environment.get("LD_PRELOAD", ""),
            "COLLECTOR": settled.collector,
            **settled.variables,
        }
        text = "".join(f"{name}={value}\n" for name, value in reported.items())
        return settled
    finally:
        (meeting / ".answer").write_text(text, encoding="utf-8")
        os.replace(meeting / ".answer", meeting / "answer")


def agreed_folder(environment: Mapping[str, str], run: str) -> Path:
    """$ADVISOR_OUTPUT, or ./advisor-<job>; -2, -3 … if it holds the result of another launch."""
    job = result_folder.job_of(environment)[1] or run
    base = _wanted(environment, f"advisor-{job}")
    number, choice = 1, base
    while _taken(choice, run):
        if number == _MOST_RESULTS:
            raise UserError(
                f"{base} and {number - 1} folders beside it cannot be written, or are somebody"
                " else's.",
                do="Choose another folder: export ADVISOR_OUTPUT=DIR",
            )
        number += 1
        choice = base.with_name(f"{base.name}-{number}")
    return choice


def _claimed(environment: Mapping[str, str], run: str, known: Mapping[str, Any]) -> Path:
    """Make the folder and write run.json; of two launches that choose the same folder at once, one
    takes the next. Raises UserError if it cannot be written: all hosts must agree on it, so that
    none of them may take another one."""
    while True:
        result = agreed_folder(environment, run)
        parts = result / "parts"
        try:
            parts.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"The result folder {result} cannot be written: {error.strerror}.",
                "The program runs without being measured.",
                "Choose a folder that all nodes see: export ADVISOR_OUTPUT=DIR",
            ) from error
        draft = parts / f".{run}-{os.getpid()}.json"
        draft.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
        # What others could write to would not be believed; a group that shares its files often can.
        draft.chmod(0o644)
        try:
            os.link(draft, parts / "run.json")
        except OSError:  # It is there already, or there are no links here.
            if not (parts / "run.json").exists():
                os.replace(draft, parts / "run.json")
        draft.unlink(missing_ok=True)
        if not _taken(result, run):
            return result


def facts(words: Sequence[str], environment: Mapping[str, str]) -> Run:
    """What one rank, or the job script, can tell of the run."""
    scheduler, job = result_folder.job_of(environment)
    at = innermost(words, 0, len(words)) if words else 0
    size = next(
        (environment[name] for name in SIZE_NAMES if environment.get(name, "").isdigit()), ""
    )
    started = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    masked = mask(words, environment)
    return Run(
        program=words[at] if words else "",
        arguments=masked[at + 1 :],
        launch_line=masked,
        directory=os.getcwd(),
        started=started[:-2] + ":" + started[-2:],
        job=job,
        scheduler=scheduler,
        ranks_expected=int(size) if size else None,
        advisor_version=__version__,
        overlay=environment.get("ADVISOR_OVERLAY", ""),
    )


def ended(result: Path, code: int, environment: Mapping[str, str]) -> session.Left:
    """The job of a folder has ended with `code`: collect what its ranks left on this host, and
    write that down. Raises UserError."""
    parts = result / "parts"
    try:
        known: Dict[str, Any] = json.loads(
            trusted_files.written_by_us(parts / "run.json", _MOST_FACTS)
        )
        words, started = known["run"], known["started"]
        seconds = (
            datetime.now().astimezone() - datetime.fromisoformat(words["started"])
        ).total_seconds()
        own = {field.name: words[field.name] for field in fields(Run) if field.name in words}
        own.update(
            arguments=tuple(words["arguments"]),
            launch_line=tuple(words["launch_line"]),
            exit_code=code,
            job_seconds=seconds,
        )
        library = MpiLibrary(**started["library"])
        rank_records.collect(started["run"], parts, environment)
        tracing.collect(started["run"], result, environment)
        return session.Left(
            result,
            Run(**own),
            library,
            started["launcher"],
            collector=str(started.get("collector", "")),
        )
    except trusted_files.Untrusted as refusal:
        raise UserError(
            f"The facts of this job are not believed: {refusal.strerror}.",
            "They name what would be executed to describe the library.",
            f"To see what was counted: advisor report {result}",
        ) from refusal
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(
            f"{result} is not the folder of a job that advisor exec started"
            f" ({getattr(error, 'strerror', None) or error}).",
            do="Give that folder with -o.",
        ) from error


def newest_folder(environment: Mapping[str, str]) -> Path:
    """The folder of the job that was started last in this directory and has no report yet. Raises
    UserError if there is none."""
    base = _wanted(environment, "advisor-")
    found = [
        place
        for place in base.parent.glob(f"{base.name}*")
        if _is_ours(place / "parts" / "run.json")
    ]
    if not found:
        raise UserError(
            "There is no job here whose end could be written down.",
            do="Name its folder: advisor exec --finish CODE -o DIR",
        )
    return max(found, key=lambda place: (place / "parts" / "run.json").stat().st_mtime)


def parents_file(environment: Mapping[str, str]) -> str:
    """The launcher: what started the shell that started us lies beside it. Empty if it cannot be
    told."""
    pid = environment.get("ADVISOR_PARENT") or str(os.getppid())
    try:
        return os.readlink(f"/proc/{int(pid)}/exe")
    except (OSError, ValueError):
        return ""


def _program(words: Sequence[str], environment: Mapping[str, str]) -> Optional[str]:
    """The file of the program that `words` start; None if there are none. Raises UserError if it is
    not there."""
    if not words:
        return None
    program = words[innermost(words, 0, len(words))]
    path = locate(program, environment, from_directory=True)
    if path is None:
        raise UserError(f"The program {program} is not found.")
    return path


def _library(words: Sequence[str], environment: Mapping[str, str], launcher: str) -> MpiLibrary:
    path = _program(words, environment)
    if path is None:
        library = loaded_library(environment)
        if library is None:
            raise UserError(
                "There is no MPI library along PATH.",
                do="Load its module, or name the program: advisor exec --print-env -- ./program",
            )
        return library
    own = launcher_library(launcher, environment) if launcher else None
    at = innermost(words, 0, len(words))
    use = library_of(path, words[at + 1 :], environment, own)
    if use.how == "none":
        raise UserError(
            f"{words[at]} is not an MPI program: it needs no MPI library.",
            "It runs without being measured.",
        )
    library = use.library or loaded_library(environment)
    if library is None:
        raise UserError(
            f"Which MPI library {words[at]} uses cannot be told.", "It runs without being measured."
        )
    return library


def _wanted(environment: Mapping[str, str], otherwise: str) -> Path:
    """$ADVISOR_OUTPUT; where `--print-env` set it, that names the parts of a result."""
    wanted = Path(environment.get("ADVISOR_OUTPUT") or otherwise).absolute()
    return wanted.parent if wanted.name == "parts" else wanted


def _taken(place: Path, run: str) -> bool:
    """Whether a folder holds what another launch left or writes, or is somebody else's. No rank
    ends before all have asked: they meet in MPI_Init."""
    if os.path.lexists(place) and not all(
        _is_ours(known)
        for known in (place, place / "parts", place / "parts" / "run.json")
        if os.path.lexists(known)
    ):
        return True
    if (place / "profile").exists() or (place / "parts" / "merged.profile").exists():
        return True
    try:
        return (
            json.loads((place / "parts" / "run.json").read_text(encoding="utf-8"))["started"]["run"]
            != run
        )
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _is_ours(path: Path) -> bool:
    """Whether this user made a file or folder, also if it is reached by a link of his."""
    try:
        return {path.lstat().st_uid, path.stat().st_uid} == {os.geteuid()}
    except OSError:
        return False


def _sweep(meetings: Path) -> None:
    """Remove where ranks of older jobs met."""
    for old in meetings.iterdir() if meetings.is_dir() else ():
        try:
            if time.time() - old.stat().st_mtime > _OLD_SECONDS:
                shutil.rmtree(old, ignore_errors=True)
        except OSError:
            pass  # Another job sweeps as well.
