"""`advisor exec`: we are started by the launcher, once a rank. All ranks agree on folder and run id without talking."""

from __future__ import annotations

import hashlib
import os
import re
import time
from pathlib import Path
from typing import Callable, Dict, Mapping, Sequence, Tuple

from advisor import __version__
from advisor.launching import folder, preloads, session
from advisor.launching.collector import cached, choose_compiler, find
from advisor.launching.contexts import innermost
from advisor.launching.library_file import MpiLibrary
from advisor.launching.library_of import launcher_library, library_of, locate, with_version
from advisor.launching.masking import mask
from advisor.model.errors import UserError
from advisor.model.profile import Run

JOB_NAMES = ("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "I_MPI_HYDRA_UUID", "PMI_JOBID", "FLUX_JOB_ID", "PALS_APID")
"""Variables that name one launch, the best first, equal on all its ranks."""
RANK_NAMES = ("PMIX_RANK", "PMI_RANK", "OMPI_COMM_WORLD_RANK", "MV2_COMM_WORLD_RANK", "SLURM_PROCID", "PALS_RANKID", "FLUX_TASK_RANK")
SIZE_NAMES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS", "FLUX_JOB_SIZE")
_WAIT_SECONDS = 120.0
_PAUSE_SECONDS = 0.1


def environment_for(words: Sequence[str], environment: Mapping[str, str], say: Callable[[str], None]) -> Dict[str, str]:
    """The environment to start `words` in, with the collector. Raises UserError where the program cannot be measured."""
    parts = agreed_folder(environment) / "parts"
    collector = _collector(words, environment, say)
    parts.mkdir(parents=True, exist_ok=True)
    if rank(environment) in ("0", ""):
        session.write_facts(parts, facts(words, environment))
    own = session.variables(collector, parts, run_id(environment))
    program = locate(words[innermost(words, 0, len(words))], environment, from_directory=True)
    own["LD_PRELOAD"] = preloads.ordered(own["LD_PRELOAD"], environment.get("LD_PRELOAD", ""), program, environment)
    return {**environment, **own}


def launch_name(environment: Mapping[str, str]) -> str:
    """A name of this launch that all its ranks find, on all hosts; the parent's number where nothing better is there."""
    named = next((environment[name] for name in JOB_NAMES if environment.get(name)), "")
    if named:
        return named
    port = re.search(rb"--control-port\0([^\0]+)", _parent_words())
    if port:
        return port.group(1).decode(errors="replace")
    if environment.get("SLURM_JOB_ID") and environment.get("SLURM_STEP_ID"):
        return f"{environment['SLURM_JOB_ID']}.{environment['SLURM_STEP_ID']}"
    return f"parent-{os.getppid()}"


def run_id(environment: Mapping[str, str]) -> str:
    """The same sixteen hexadecimal digits on all ranks."""
    return hashlib.sha256(launch_name(environment).encode()).hexdigest()[:16]


def agreed_folder(environment: Mapping[str, str]) -> Path:
    """$ADVISOR_OUTPUT, or ./advisor-<job>; -2, -3 … if it holds a result. No rank ends before all have chosen: they meet in MPI_Init."""
    job = folder.job_of(environment)[1] or run_id(environment)[:8]
    base = Path(environment.get("ADVISOR_OUTPUT") or f"advisor-{job}").absolute()
    number, choice = 1, base
    while (choice / "profile").exists() or (choice / "parts" / "merged.profile").exists():
        number += 1
        choice = base.with_name(f"{base.name}-{number}")
    return choice


def facts(words: Sequence[str], environment: Mapping[str, str]) -> Run:
    """What one rank can tell of the run."""
    scheduler, job = folder.job_of(environment)
    at = innermost(words, 0, len(words))
    size = next((environment[name] for name in SIZE_NAMES if environment.get(name, "").isdigit()), "")
    started = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    return Run(
        program=words[at], arguments=mask(words)[at + 1 :], launch_line=mask(words), directory=os.getcwd(),
        started=started[:-2] + ":" + started[-2:], job=job, scheduler=scheduler,
        ranks_expected=int(size) if size else None, advisor_version=__version__,
    )


def rank(environment: Mapping[str, str]) -> str:
    """This process's rank, or nothing if the launcher does not tell."""
    return next((environment[name] for name in RANK_NAMES if environment.get(name)), "")


def _collector(words: Sequence[str], environment: Mapping[str, str], say: Callable[[str], None]) -> Path:
    """Rank 0 builds the collector if there is none yet; the others wait for it."""
    library, launcher = _library(words, environment)
    compiler = choose_compiler(library, launcher, environment, say)
    if rank(environment) in ("0", ""):
        return cached(compiler, library, environment, say)
    end = time.monotonic() + _WAIT_SECONDS
    while time.monotonic() < end:
        found = find(compiler, library, environment)
        if found is not None:
            return found
        time.sleep(_PAUSE_SECONDS)
    raise UserError("Rank 0 built no collector in time.", "This rank runs without being measured.", "Before the job: advisor build")


def _library(words: Sequence[str], environment: Mapping[str, str]) -> Tuple[MpiLibrary, str]:
    at = innermost(words, 0, len(words))
    path = locate(words[at], environment, from_directory=True)
    if path is None:
        raise UserError(f"The program {words[at]} is not found.")
    launcher = _launcher()
    own = launcher_library(launcher, environment) if launcher else None
    use = library_of(path, words[at + 1 :], environment, own)
    if use.library is None:
        raise UserError(f"Which MPI library {words[at]} uses cannot be told.", "It runs without being measured.")
    return with_version(use.library, environment), launcher


def _launcher() -> str:
    """The program that started us: a launcher's daemon lies beside the launcher."""
    try:
        return os.readlink(f"/proc/{os.getppid()}/exe")
    except OSError:
        return ""


def _parent_words() -> bytes:
    try:
        return Path(f"/proc/{os.getppid()}/cmdline").read_bytes()
    except OSError:
        return b""
