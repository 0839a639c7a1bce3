"""What `advisor demo` needs: an MPI that is here, a sample program compiled with it, and the line
that starts it."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, Iterator, Mapping, Optional, Tuple

from advisor.base import external_programs, resource_paths
from advisor.launching.collector.compilers import Compiler, examine
from advisor.launching.launchers.recognise import recognise
from advisor.model.errors import UserError

_MOST_RANKS = 4
SAMPLE = "uneven_compute"
_COMPILE_SECONDS = 120
_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
_MORE_RANKS_THAN_CORES = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
    "OMPI_MCA_hwloc_base_binding_policy": "none",
    "PRTE_MCA_hwloc_default_binding_policy": "none",
}


@dataclass(frozen=True)
class Mpi:
    """A compiler wrapper and the launcher that belongs to it."""

    compiler: Compiler
    launcher: str


def find_mpi(environment: Mapping[str, str], wanted: Optional[str] = None) -> Mpi:
    """The MPI of the mpicc `wanted`, else the first one that works. Raises UserError that says what
    to install."""
    for mpicc in [wanted] if wanted else _compilers(environment):
        compiler = examine(mpicc, environment)
        launcher = compiler and _launcher_beside(mpicc, environment)
        if compiler and launcher:
            return Mpi(compiler, launcher)
    if wanted:
        raise UserError(
            f"{wanted} is not a compiler wrapper of an MPI with a launcher beside it.",
            do="Try without --mpicc.",
        )
    raise UserError(
        "No MPI is found here: neither mpicc nor mpirun.",
        "The demonstration needs one, and a C compiler.",
        "Load its module, or install one for the demonstration alone: python3 -m venv"
        f" {resource_paths.own_mpi()} && {resource_paths.own_mpi()}/bin/pip install mpich",
    )


def compile_sample(
    mpi: Mpi, folder: Path, environment: Mapping[str, str], name: str = SAMPLE
) -> Path:
    """Compile a sample into `folder`; the program."""
    source, program = resource_paths.samples() / f"{name}.c", folder / name
    command = [mpi.compiler.path, "-g", "-O1", "-o", str(program), str(source), "-lm"]
    try:
        done = subprocess.run(
            command,
            env=mpi.compiler.settings(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_COMPILE_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{mpi.compiler.path} does not work: {error}") from error
    if done.returncode:
        first = done.stdout.decode(errors="replace").strip().splitlines()[:1]
        raise UserError(
            f"{mpi.compiler.path} cannot compile {source.name}: {' '.join(first)}",
            do="Check that a C compiler is installed.",
        )
    return program


def launch_line(mpi: Mpi, program: Path) -> Tuple[str, ...]:
    """The line that starts the sample."""
    return (mpi.launcher, "-n", str(_ranks()), str(program))


def _ranks() -> int:
    """As many as there are cores for us, at least two: the planted fault must not hide behind ranks
    that take each other's cores."""
    cores = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    )
    return max(2, min(cores, _MOST_RANKS))


def run_environment(mpi: Mpi, environment: Mapping[str, str]) -> Dict[str, str]:
    """For the demonstration alone: as root, and with more ranks than cores, which Open MPI refuses
    unless told. Other libraries are left alone: a variable that does nothing would become a
    finding."""
    openmpi = mpi.compiler.name == "openmpi"
    added = dict(_MORE_RANKS_THAN_CORES) if openmpi and (os.cpu_count() or 1) < _ranks() else {}
    if openmpi and hasattr(os, "geteuid") and os.geteuid() == 0:
        added.update(_ROOT)
    # Intel's mpirun is a script that takes the first mpiexec.hydra of the path.
    path = f"{os.path.dirname(mpi.launcher)}:{environment.get('PATH', os.defpath)}"
    return {**added, **mpi.compiler.settings(environment), "PATH": path}


def _compilers(environment: Mapping[str, str]) -> Iterator[str]:
    """What the user's path offers, then what the Python package `mpich` put beside the interpreter
    or where the README says."""
    for name in ("mpicc", "mpicc.openmpi", "mpicc.mpich"):
        path = external_programs.which(name, environment.get("PATH"))
        if path:
            yield path
    for folder in dict.fromkeys(
        (
            os.path.dirname(sys.executable),
            os.path.join(sys.prefix, "bin"),
            str(resource_paths.own_mpi() / "bin"),
        )
    ):
        path = os.path.join(folder, "mpicc")
        if external_programs.may_run(path):
            yield path


def _launcher_beside(mpicc: str, environment: Mapping[str, str]) -> Optional[str]:
    folder, name = os.path.split(os.path.abspath(mpicc))
    suffix = name[len("mpicc") :] if name.startswith("mpicc") else ""
    for launcher in (f"mpirun{suffix}", f"mpiexec{suffix}", "mpirun", "mpiexec"):
        path = os.path.join(folder, launcher)
        if external_programs.may_run(path, external_programs.owners_of(mpicc)) and recognise(
            path, environment
        ):
            return path
    return None
