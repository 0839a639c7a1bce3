"""Reads an archive by way of that program, which may be given anything: it runs apart, with bounds
on memory and patience."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Callable, List, Optional, Sequence

from advisor.intake.container.combined_rows import put_together
from advisor.intake.otf2.counters import gaps as counter_gaps, named
from advisor.intake.otf2.program import program
from advisor.intake.untrusted.damage import Damage
from advisor.model.errors import UserError
from advisor.model.message import message
from advisor.model.profile import Gap, Profile

ANCHOR = "traces.otf2"
_ENDING = ".otf2"
_PATIENCE = 120
"""Seconds without progress."""
_MOST_THREADS = 16
_MEMORY_SHARE, _LEAST_MEMORY = 0.75, 1 << 30
COLLECT = message("profile the program with advisor run")
_TITLE = "it looks like an OTF2 trace, but "


def recognises(begin: bytes) -> bool:
    """Whether a file begins as the anchor file of an archive does."""
    return begin[1:6] == b"BOTF2"


def anchor_in(folder: str) -> Optional[str]:
    """The anchor file of the archive in a folder, as Score-P names it; None if there is none."""
    path = os.path.join(folder, ANCHOR)
    return path if os.path.isfile(path) else None


def _stay_inside(path: str) -> None:
    """Nothing that the library opens leads out of the archive's folder, or is a pipe or a device,
    on which it would wait. Raises Damage.

    It makes the names of an archive's files from that of the first one and from numbers; nothing
    inside the files is a name of a file.
    """
    home, stem = os.path.split(os.path.abspath(path))
    home, stem = os.path.realpath(home), stem[: -len(_ENDING)] if stem.endswith(_ENDING) else stem
    events = os.path.join(home, stem)
    with os.scandir(home) as beside:
        parts = [
            entry for entry in beside if entry.name == stem or entry.name.startswith(f"{stem}.")
        ]
    if any(part.is_symlink() for part in parts if part.name == stem):
        raise Damage(f"{_TITLE}{stem} is a link")
    if os.path.isdir(events):
        with os.scandir(events) as inside:
            parts += inside
    for part in parts:
        if part.is_symlink() and not os.path.realpath(part.path).startswith(os.path.join(home, "")):
            raise Damage(f"{_TITLE}{part.name} leads out of its folder")
        if not part.is_file() and not part.is_dir():
            raise Damage(f"{_TITLE}{part.name} is not a regular file")


def read(path: str, read_file: Callable[[str], Profile], launch: Sequence[str] = ()) -> Profile:
    """Profile of a trace, by one process or by the job that `launch` starts. Raises Damage;
    UserError if the reader cannot be built or started."""
    _stay_inside(path)
    reader = program("together" if launch else "reader")
    with tempfile.TemporaryDirectory(
        prefix=".advisor-" if launch else "advisor-", dir=_shared(path) if launch else None
    ) as folder:
        output = os.path.join(folder, "profile")
        _convert(path, reader, output, launch)
        found = read_file(output)
        # Columns are mapped from that file: what is not copied here goes when the profile goes.
        tables = {
            name: put_together(name, named(columns) if name == "counters" else columns)
            for name, columns in found.tables.items()
        }
    return replace(
        found, tables=tables, source=path, gaps=counter_gaps(found.gaps, tables) + _gaps(found)
    )


def _shared(path: str) -> str:
    """A folder that all hosts of a job see: that of the trace, or the current one."""
    beside = os.path.dirname(os.path.abspath(path))
    return beside if os.access(beside, os.W_OK) else os.getcwd()


def _convert(path: str, reader: Path, output: str, launch: Sequence[str]) -> None:
    # What a process of a job may take, its launcher or batch system says.
    bounds = ["1", "0"] if launch else [str(_threads()), str(_memory())]
    words: List[str] = [
        *launch,
        str(reader),
        os.path.abspath(path),
        output,
        *bounds,
        str(_PATIENCE),
    ]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    except OSError as error:
        raise UserError(
            f"The trace was not read: {words[0]} cannot be started ({error.strerror}).",
            do="Give --mpi the words that start a job here.",
        ) from error
    if launch and done.returncode and not done.stdout.strip():
        raise UserError(
            f"The trace was not read: the job of {' '.join(launch)} failed with code"
            f" {done.returncode}.",
            do="Give --mpi the words that start a job here.",
        )
    if done.returncode < 0:
        raise Damage(
            f"{_TITLE}the library that reads it broke off (signal {-done.returncode}): it is"
            " damaged, or too large for the memory here"
        )
    if done.returncode:
        said = done.stdout.decode("utf-8", "replace").strip().splitlines()
        raise Damage(_TITLE + (said[-1] if said else "it cannot be read"))


def _threads() -> int:
    return min(_MOST_THREADS, len(os.sched_getaffinity(0)))


def _memory() -> int:
    """Bytes that reading may take: most of what is free now."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            free = next(
                int(line.split()[1]) << 10 for line in file if line.startswith("MemAvailable:")
            )
    except (OSError, StopIteration, ValueError):
        free = _LEAST_MEMORY
    return max(_LEAST_MEMORY, int(free * _MEMORY_SHARE))


def _gaps(found: Profile) -> tuple:
    missing = [
        Gap("ranks", message("a trace records of each rank little more than its times"), COLLECT),
        Gap("setting", message("a trace does not hold settings"), COLLECT),
        Gap("node", message("a trace holds no facts about its hosts but their names"), COLLECT),
        Gap("application", message("a trace does not hold settings of the program"), COLLECT),
    ]
    if "sites" not in found.tables or not found.tables["sites"]["line"].any():
        missing.append(
            Gap(
                "sites.line",
                "this trace names the calling function at most, not the line of the call",
                COLLECT,
            )
        )
    if "sites" not in found.tables:
        missing.append(
            Gap(
                "sites",
                "only MPI was instrumented",
                f"instrument the program with scorep --compiler, or {COLLECT}",
            )
        )
    return tuple(missing)
