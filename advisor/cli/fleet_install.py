"""`advisor fleet install`: the three ways in which jobs of a centre are measured."""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import List, Mapping, Optional, Sequence

from advisor import launching
from advisor.base import elf, external_programs, resource_paths, trusted_files
from advisor.cli.messages import say
from advisor.fleet import installing
from advisor.launching.collector import build
from advisor.launching.collector.compilers import examine
from advisor.model.errors import UserError

EXAMPLES = """examples:
  advisor fleet install /opt/advisor/fleet --spool /var/spool/advisor --dry-run
                                       what would be written
  advisor fleet install /opt/advisor/fleet --spool /var/spool/advisor \\
      --mpicc /opt/openmpi/bin/mpicc --mpicc /opt/mpich/bin/mpicc --share 1%
  advisor fleet install /opt/advisor/fleet --remove
"""
_BUILD_SECONDS = 60
_LONGEST_SCRIPT = 4096


def add(parts: argparse._SubParsersAction) -> None:
    """The part of `advisor fleet`."""
    part = parts.add_parser(
        "install",
        help="let jobs be measured: TaskProlog, module, launch wrapper",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    part.add_argument("home", metavar="FOLDER", type=Path, help="all is written there")
    part.add_argument("--spool", metavar="SPOOL", type=Path, help="where profiles go")
    part.add_argument(
        "--mpicc",
        metavar="MPICC",
        action="append",
        help="of an MPI library whose programs are measured; may be repeated (default: mpicc)",
    )
    part.add_argument(
        "--share",
        metavar="PERCENT",
        help="of the jobs that are measured (default 1%%, or what FOLDER/share says)",
    )
    part.add_argument("--dry-run", action="store_true", help="print it; write nothing")
    part.add_argument("--remove", action="store_true", help="undo it")
    part.add_argument(
        "--everything",
        action="store_true",
        help="with --remove: also the object that running jobs may still load",
    )
    part.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Install, show what would be installed, or undo it."""
    home = installing.checked(arguments.home, "The folder")
    if arguments.remove:
        for line in installing.remove(home, arguments.everything):
            print(line)
        return 0
    found = _installation(home, arguments)
    if arguments.dry_run:
        print("\n".join(installing.preview(found)))
        return 0
    installing.install(found)
    print("\n".join(_next_steps(home, found)))
    return 0


def _installation(home: Path, arguments: argparse.Namespace) -> installing.Installation:
    if arguments.spool is None:
        raise UserError(
            "There is no spool.", do="Name the folder that jobs write to: --spool SPOOL"
        )
    return installing.Installation(
        home,
        installing.checked(arguments.spool, "The spool"),
        _share(home, arguments.share),
        b"" if arguments.dry_run else _gate(os.environ),
        _collectors(arguments.mpicc or ["mpicc"], dict(os.environ), arguments.dry_run),
        Path(launching.__file__).with_name("advisor-fleet-run"),
        Path(sys.executable).with_name("advisor"),
    )


def _share(home: Path, asked: Optional[str]) -> int:
    """What is there already stays unless something else is asked for."""
    if asked is not None:
        return installing.share_of(asked)
    try:
        return int((home / installing.SHARE).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return installing.share_of("1%")


def _gate(environment: Mapping[str, str]) -> bytes:
    """The object that is preloaded into everything, built now: it takes a second."""
    script = resource_paths.collectors() / "fleet" / "build.sh"
    with trusted_files.workplace(environment) as place:
        made = place / "gate.so"
        done = subprocess.run(
            ["/bin/sh", str(script), str(made)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_BUILD_SECONDS,
        )
        if done.returncode:
            raise UserError(
                f"The object for all jobs cannot be built: {done.stdout.strip()[-200:]}",
                do="Install a C compiler, or name one: CC=gcc",
            )
        return made.read_bytes()


def _collectors(
    compilers: Sequence[str], environment: Mapping[str, str], only_named: bool
) -> List[installing.Wrapped]:
    """`only_named`: nothing is built."""
    found = []
    for name in compilers:
        path = external_programs.which(name, environment.get("PATH"))
        compiler = examine(path, environment) if path else None
        if compiler is None or not compiler.library:
            raise UserError(
                f"{name} is not a compiler wrapper of an MPI library.",
                do="Name it with its path: --mpicc /opt/openmpi/bin/mpicc",
            )
        library = build.linked_by(compiler)
        content = b""
        if not only_named:
            content = build.cached(compiler, library, environment, say(False)).read_bytes()
        real = loaded_by_programs(library.path)
        own = build.file_name(compiler, library)
        found.append(installing.Wrapped(real, os.path.getsize(real), own, content))
    return found


def loaded_by_programs(path: str) -> str:
    """The file that programs load, of what their linker was given: that may be a line of text which
    names another file, or a copy under another name than the loader is told."""
    given = os.path.realpath(path)
    if not elf.is_elf(given):
        with open(given, encoding="ascii", errors="replace") as file:
            named = re.search(r"\b(?:INPUT|GROUP)\s*\(\s*([^\s,()]+)", file.read(_LONGEST_SCRIPT))
        if named:
            given = os.path.realpath(os.path.join(os.path.dirname(given), named[1]))
    found = elf.read(given)
    beside = os.path.join(os.path.dirname(given), found.soname) if found and found.soname else given
    return os.path.realpath(beside) if os.path.exists(beside) else given


def _next_steps(home: Path, found: installing.Installation) -> List[str]:
    return [
        f"{home}: {found.share / 100:g} % of the jobs, {len(found.collectors)} MPI libraries.",
        "Choose one way in:",
        f"  slurm.conf       TaskProlog={home / installing.PROLOG}",
        f"  module           module use {home / 'modules'}; module load advisor-fleet",
        f"  launch line      {home / installing.WRAPPER} srun ./program",
        f"The ingest makes the folders of {found.spool}: advisor fleet ingest {found.spool} STORE",
        f"Switch it off for all jobs that start: touch {home / 'off'}",
    ]
