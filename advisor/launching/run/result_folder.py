"""The result folder: its name, and a place where it can be written. Never overwrites a result."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import Callable, Iterator, Mapping, Optional, Tuple

from advisor.model.errors import UserError

SCHEDULERS = (
    ("slurm", "SLURM_JOB_ID"),
    ("pbs", "PBS_JOBID"),
    ("lsf", "LSB_JOBID"),
    ("cobalt", "COBALT_JOBID"),
    ("pjm", "PJM_JOBID"),
    ("flux", "FLUX_JOB_ID"),
    ("oar", "OAR_JOB_ID"),
    ("sge", "JOB_ID"),
)
_MEMORY = "/dev/shm"
_ROOM = 1 << 20
"""Bytes that must fit: a small profile with its report."""


def job_of(environment: Mapping[str, str]) -> Tuple[str, str]:
    """(scheduler, job id), both empty outside of a batch job."""
    for scheduler, variable in SCHEDULERS:
        if environment.get(variable) and (scheduler != "sge" or "SGE_ROOT" in environment):
            return scheduler, environment[variable]
    return "", ""


def default_name(program: str, ranks: Optional[int], environment: Mapping[str, str]) -> str:
    """<program>.<ranks>r.<job id or date>.advisor"""
    when = job_of(environment)[1].partition(".")[0] or time.strftime("%Y%m%d-%H%M%S")
    count = [f"{ranks}r"] if ranks else []
    return ".".join([os.path.basename(program) or "run", *count, when, "advisor"])


def make(
    wanted: Optional[Path], name: str, environment: Mapping[str, str], warn: Callable[[str], None]
) -> Path:
    """A new folder with `parts` in it: `wanted`, else `name` in the working directory, else in a
    temporary one, and at last in the memory of this host.

    Warns if it is not the first choice. Raises UserError if nothing can be written anywhere.
    """
    reasons = []
    for base in _choices(wanted, name, environment):
        try:
            folder = _new(base)
        except OSError as error:
            reasons.append(f"{base}: {error.strerror}")
            continue
        if reasons:
            lost = ", which is memory: copy it" if Path(_MEMORY) in folder.parents else ""
            warn(
                f"The result folder cannot be written ({reasons[0]}). The result goes to"
                f" {folder}{lost}"
            )
        return folder
    raise UserError(
        f"No result folder can be written ({'; '.join(reasons)}).",
        "The program runs without being measured.",
        "Give a folder with room that all nodes see: advisor run -o DIR -- …",
    )


def _choices(wanted: Optional[Path], name: str, environment: Mapping[str, str]) -> Iterator[Path]:
    if wanted is not None:
        yield wanted
        name = wanted.name if wanted.name not in ("", "..") else name
    for folder in dict.fromkeys((*_here(), environment.get("TMPDIR") or "/tmp", "/tmp", _MEMORY)):
        if wanted is None or Path(folder, name) != Path(*_here(), wanted):
            yield Path(folder, name)


def _here() -> Tuple[str, ...]:
    """The working directory, unless somebody has removed it."""
    try:
        return (os.getcwd(),)
    except OSError:
        return ()


def _new(base: Path) -> Path:
    """`base`, or `base`-2, -3 … whichever does not exist yet, with a folder `parts` that has
    room."""
    if base.parent.exists() and not base.parent.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "Not a directory")
    base.parent.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        folder = base if number == 1 else base.with_name(f"{base.name}-{number}")
        try:
            folder.mkdir()
            break
        except FileExistsError:
            number += 1
    folder = folder.resolve()
    try:
        (folder / "parts").mkdir()
        _try_room(folder / "parts")
    except OSError:
        discard(folder)
        raise
    return folder


def discard(folder: Path) -> None:
    """Remove a folder that holds nothing, and its empty `parts`."""
    for path in (folder / "parts", folder):
        try:
            path.rmdir()
        except OSError:
            pass


def _try_room(folder: Path) -> None:
    probe = folder / ".room"
    try:
        with open(probe, "wb") as file:
            file.write(b"\1" * _ROOM)
            file.flush()
            os.fsync(file.fileno())
    finally:
        if probe.exists():
            probe.unlink()
