"""GROMACS: how ranks are shared out, from the arguments of mdrun; electrostatics and output, from
mdout.mdp."""

from __future__ import annotations

import re
from typing import Mapping, Tuple

from advisor.model.profile import Value
from advisor.probing.programs.inputs import Inputs, keep, keep_options
from advisor.probing.reading import Facts, fact

OPTIONS = {
    name: (f"-{name}",)
    for name in (
        "npme",
        "ntomp",
        "ntomp_pme",
        "ntmpi",
        "nt",
        "dlb",
        "dd",
        "pin",
        "pme",
        "nb",
        "bonded",
        "update",
        "tunepme",
        "nstlist",
        "multidir",
    )
}


PLACE = "mdout.mdp"
# mdrun -h of 2018 to 2024; -1 lets mdrun choose.
DEFAULTS: Mapping[str, Value] = {"npme": -1, "dlb": "auto", "pin": "auto"}
KEYS = (
    "integrator",
    "nsteps",
    "coulombtype",
    "rcoulomb",
    "fourierspacing",
    "nstcalcenergy",
    "nstenergy",
    "nstlog",
    "nstxout",
)


def matches(program: str) -> bool:
    """gmx, gmx_mpi, mdrun, mdrun_mpi and versions with a suffix such as gmx_mpi_d."""
    return re.fullmatch(r"(gmx|mdrun)(_mpi)?(_d)?(_[A-Za-z0-9]+)?", program) is not None


def read(words: Tuple[str, ...], inputs: Inputs, facts: Facts) -> None:
    """npme, ntomp, dlb, dd (first number), pin … where given; coulombtype … as grompp wrote them
    beside the run file."""
    keep_options(facts, words, OPTIONS)
    for key, value in DEFAULTS.items():
        if key not in facts:
            fact(facts, key, value, f"default of mdrun: no -{key} in the arguments")
    for line in (inputs.text(PLACE) or "").splitlines():
        name, equals, value = line.split(";", 1)[0].partition("=")
        key = name.strip().lower().replace("-", "").replace("_", "")
        if equals and key in KEYS:
            keep(facts, key, value, PLACE)
