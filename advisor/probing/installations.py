"""Finds MPI libraries: launchers along PATH and beside this Python, and their variants with
suffixes."""

from __future__ import annotations

import os
import re
import sys
from typing import Iterator, Mapping

from advisor.base import external_programs
from advisor.probing.check import Check

_LAUNCHER = re.compile(r"mpi(run|exec)(\.[A-Za-z][\w.]*)?|mpirun_rsh|ibrun")
_MOST = 5000


def launchers(environment: Mapping[str, str]) -> Iterator[str]:
    """Files of launchers, those on PATH first, each once: mpirun, mpirun.openmpi,
    mpiexec.hydra …"""
    seen = set()
    beside = os.path.dirname(os.path.abspath(sys.executable))
    for folder in (*environment.get("PATH", os.defpath).split(os.pathsep), beside):
        try:
            names = sorted(os.listdir(folder))[:_MOST] if folder else []
        except OSError:
            continue
        for name in names:
            path = os.path.join(folder, name)
            if _LAUNCHER.fullmatch(name) and path not in seen and external_programs.may_run(path):
                seen.add(path)
                yield path


def modules(environment: Mapping[str, str]) -> Check:
    """Whether more libraries may be had by loading a module."""
    if not any(environment.get(name) for name in ("MODULEPATH", "LMOD_CMD", "MODULESHOME")):
        return Check("Modules", None, "no module system is set up in this shell")
    loaded = environment.get("LOADEDMODULES", "").replace(":", ", ")
    return Check(
        "Modules",
        True,
        f"loaded: {loaded[:200]}" if loaded else "none loaded",
        "more MPI libraries: module avail mpi",
    )
