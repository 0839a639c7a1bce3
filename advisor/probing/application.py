"""Which application a run was, and those of its own settings that can be read from arguments and
input files."""

from __future__ import annotations

import os
from typing import Callable, Dict, Optional, Tuple

from advisor.model.profile import Application, Run
from advisor.probing.programs import (
    cp2k,
    espresso,
    gromacs,
    lammps,
    logs,
    named,
    nwchem,
    openfoam,
    vasp,
    wrf,
)
from advisor.probing.programs.inputs import Inputs
from advisor.probing.reading import Facts

Reader = Callable[[Tuple[str, ...], Inputs, Facts], None]
READERS: Tuple[Tuple[str, Callable[[str], bool], Reader], ...] = (
    ("vasp", vasp.matches, vasp.read),
    ("quantum-espresso", espresso.matches, espresso.read),
    ("lammps", lammps.matches, lammps.read),
    ("gromacs", gromacs.matches, gromacs.read),
    ("cp2k", cp2k.matches, cp2k.read),
    ("openfoam", openfoam.matches, openfoam.read),
    ("nwchem", nwchem.matches, nwchem.read),
    ("wrf", wrf.matches, wrf.read),
)


def recognise(run: Run, standard_input: str = "") -> Optional[Application]:
    """The application of a run, by its program's name; None if it is not one that we know. Never
    raises.

    Input files are read only if the arguments name them or they have a fixed name in the run's
    folder, and only up to 4 MiB; a setting that is not found is absent. `standard_input`: the file
    that the program reads there, if any.
    """
    program = os.path.basename(run.program)
    for name, matches, read in READERS:
        if matches(program):
            return Application(name, _settings(name, run, read, standard_input))
    name = named.application(program, run.arguments)
    return Application(name) if name else None


def _settings(name: str, run: Run, read: Reader, standard_input: str) -> Facts:
    facts: Dict = {}
    try:
        read(run.arguments, Inputs(run.directory, standard_input), facts)
        logs.read(name, run, facts)
    except Exception:  # an input file can hold anything; what was read before stays
        pass
    return facts
