"""What a centre installs so that jobs are measured without their users' doing: one folder, and
nothing outside it.

The folder has a list of what was written there. What is not on it, or was changed since, is
somebody's own, and is neither overwritten nor removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Dict, List, Mapping, Sequence

from advisor.base import trusted_files
from advisor.model.errors import UserError

GATE = "lib/advisor-fleet.so"
PROLOG, MODULE = "task-prolog", "modules/advisor-fleet.lua"
WRAPPER, COMMAND = "bin/advisor-fleet-run", "bin/advisor"
SHARE, LIBRARIES, SPOOL = "share", "libraries", "spool"
_LARGEST_TABLE = 16383
"""Bytes that the gate reads of the table of libraries (gate.c)."""
_LIST = "installed.json"
_NEEDED = {
    GATE: "jobs that run may have it in their environment",
    PROLOG: "every task would fail if slurm.conf names it",
}
_MOST_LISTED = 1 << 20
_PLAIN = re.compile(r"/[A-Za-z0-9_@%+=,./-]*")
"""A path that the loader's lists, shells and Lua take as it is."""

_PROLOG = """\
#!/bin/sh
# For slurm.conf: TaskProlog={home}/task-prolog    If you have one already, let it run this file.
# What it prints becomes the environment of the task. It starts no process.
[ -r {gate} ] && [ -r {home}/share ] && [ ! -e {home}/off ] || exit 0
case ${{ADVISOR_FLEET:-on}} in off | 0 | no) exit 0 ;; esac
case :${{LD_PRELOAD:-}}: in *:{gate}:*) exit 0 ;; esac
echo "export LD_PRELOAD={gate}${{LD_PRELOAD:+:$LD_PRELOAD}}"
# In a container the file is not there, and each process would complain.
echo "export APPTAINERENV_LD_PRELOAD=${{LD_PRELOAD:-}}"
echo "export SINGULARITYENV_LD_PRELOAD=${{LD_PRELOAD:-}}"
exit 0
"""

_MODULE = """\
help([[Jobs that start with this module are profiled, as far as the centre has chosen them.
Without it: module unload advisor-fleet, or export ADVISOR_FLEET=off]])
whatis("Name: advisor-fleet")
whatis("Description: MPI profiles of a share of all jobs, for the centre")
-- module use {home}/modules
prepend_path("PATH", "{home}/bin")
prepend_path("LD_PRELOAD", "{gate}")
setenv("ADVISOR_FLEET_HOME", "{home}")
setenv("ADVISOR_FLEET_SPOOL", "{spool}")
-- In a container the file is not there, and each process would complain.
pushenv("APPTAINERENV_LD_PRELOAD", "")
pushenv("SINGULARITYENV_LD_PRELOAD", "")
"""


@dataclass(frozen=True)
class Wrapped:
    """A collector for one MPI library. `library`: its file, without links; `size`: of it."""

    library: str
    size: int
    name: str
    content: bytes


@dataclass(frozen=True)
class Installation:
    """A folder, and what belongs into it. `wrapper`: the file that stands before launch lines;
    `command`: advisor's own."""

    home: Path
    spool: Path
    share: int
    gate: bytes
    collectors: Sequence[Wrapped]
    wrapper: Path
    command: Path

    def files(self) -> Dict[str, bytes]:
        """All of them, by name. Raises UserError."""
        words = {"home": self.home, "spool": self.spool, "gate": self.home / GATE}
        table = "".join(f"{each.size}\t{each.library}\t{each.name}\n" for each in self.collectors)
        if len(table.encode()) > _LARGEST_TABLE:
            raise UserError(
                f"{len(self.collectors)} MPI libraries are more than the table of libraries holds.",
                do="Name fewer --mpicc, or install into several folders.",
            )
        return {
            GATE: self.gate,
            PROLOG: _PROLOG.format(**words).encode(),
            MODULE: _MODULE.format(**words).encode(),
            LIBRARIES: table.encode(),
            SHARE: f"{self.share}\n".encode(),
            **{f"collectors/{each.name}": each.content for each in self.collectors},
        }

    def links(self) -> Dict[str, str]:
        """All of them, and where they lead."""
        return {
            SPOOL: str(self.spool),
            WRAPPER: str(self.wrapper),
            COMMAND: str(self.command),
        }


def share_of(text: str) -> int:
    """How many of 10 000 jobs: of "1%", "0.5%". Raises UserError."""
    match = re.fullmatch(r"(\d{1,3}(?:\.\d{1,2})?)%", text)
    if not match or float(match[1]) > 100:
        raise UserError(f'"{text}" is no share of jobs.', do="Write it like this: 1%, or 0.5%.")
    return round(float(match[1]) * 100)


def checked(path: Path, what: str) -> Path:
    """The path without links. Raises UserError where lists of files could not hold it."""
    real = Path(os.path.realpath(path))
    if not _PLAIN.fullmatch(str(real)):
        raise UserError(
            f"{what} {real} has a character that LD_PRELOAD or a shell splits at.",
            do="Choose a path of letters, digits and _ - . + = @ , %.",
        )
    return real


def preview(installation: Installation) -> List[str]:
    """What would be written, one line each, and for the texts what they say. Raises UserError."""
    _refuse_strangers(installation)
    lines = []
    for name, content in installation.files().items():
        lines.append(f"write {installation.home / name}")
        if name in (PROLOG, MODULE, LIBRARIES, SHARE):
            lines += [f"    {line}" for line in content.decode().splitlines()]
    for name, target in installation.links().items():
        lines.append(f"link  {installation.home / name} -> {target}")
    return lines


def install(installation: Installation) -> None:
    """Write all of it. Each file appears complete; the object that is preloaded comes last but for
    the ways that lead to it. Raises UserError; OSError."""
    home = installation.home
    _refuse_strangers(installation)
    try:
        trusted_files.made(home)
    except trusted_files.Untrusted as refusal:
        raise UserError(
            f"{home} is no place for what all jobs load: {refusal}.",
            do="Choose a folder that only root can write to.",
        ) from refusal
    files, links = installation.files(), installation.links()
    listed = {**_listed(home), **{name: _digest(content) for name, content in files.items()}}
    listed.update({name: f"-> {target}" for name, target in links.items()})
    _write(home / _LIST, json.dumps(listed, indent=1).encode() + b"\n", 0o644)
    order = sorted(files, key=lambda name: (name in (PROLOG, MODULE), name == GATE, name))
    for name in order:
        _write(home / name, files[name], 0o755 if name in (GATE, PROLOG) else 0o644)
    for name, target in links.items():
        _link(home / name, target)


def remove(home: Path, everything: bool) -> List[str]:
    """Take away what was written and is as it was written; what stays, with the reason.

    Two files stay unless `everything`. Where jobs have the name of the object in their environment,
    each process would say that it is missing. Where slurm.conf names a TaskProlog that is missing,
    each task fails. Without the share both do nothing. Raises UserError.
    """
    listed = _listed(home)
    if not listed:
        raise UserError(
            f"{home} has no list of what advisor installed.",
            do="Name the folder that advisor fleet install was given.",
        )
    stays: Dict[str, str] = {}
    for name, content in listed.items():
        if name in _NEEDED and not everything:
            stays[name] = _NEEDED[name]
        elif os.path.lexists(home / name) and not _is_as_written(home / name, name, content):
            stays[name] = "it was changed since"
        else:
            with suppress(FileNotFoundError):
                (home / name).unlink()
    kept = {name: listed[name] for name in stays}
    if kept:
        _write(home / _LIST, json.dumps(kept, indent=1).encode() + b"\n", 0o644)
    else:
        (home / _LIST).unlink()
    for folder in ("lib", "modules", "collectors", "bin", "."):
        with suppress(OSError):  # Somebody's files are in it, or it is not there.
            (home / folder).rmdir()
    return [f"{home / name} stays: {reason}" for name, reason in stays.items()]


def _refuse_strangers(installation: Installation) -> None:
    """What is already there under one of our names, and is not what we wrote."""
    home, listed = installation.home, _listed(installation.home)
    for name in [*installation.files(), *installation.links(), _LIST]:
        path = home / name
        if not os.path.lexists(path) or (name == _LIST and listed):
            continue
        if name not in listed or not _is_as_written(path, name, listed[name]):
            raise UserError(
                f"{path} is there already and is not what advisor wrote. It stays as it is.",
                do="Move it away, or choose another folder.",
            )


def _listed(home: Path) -> Mapping[str, str]:
    try:
        found = json.loads(trusted_files.written_by_us(home / _LIST, _MOST_LISTED))
    except (OSError, ValueError):
        return {}
    names = found.items() if isinstance(found, dict) else ()
    return {name: str(value) for name, value in names if ".." not in PurePosixPath(name).parts}


def _is_as_written(path: Path, name: str, content: str) -> bool:
    """The share is for the centre to change."""
    if path.is_symlink():
        return content == f"-> {os.readlink(path)}"
    return path.is_file() and (name == SHARE or _digest(path.read_bytes()) == content)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(mode=0o755, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(content)
        draft.chmod(mode)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _link(path: Path, target: str) -> None:
    path.parent.mkdir(mode=0o755, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    draft.symlink_to(target)
    os.replace(draft, path)
