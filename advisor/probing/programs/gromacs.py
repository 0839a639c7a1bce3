"""GROMACS: how ranks are shared out, from the arguments of mdrun."""

from __future__ import annotations

import re
from typing import Tuple

from advisor.probing.programs.inputs import Inputs, keep_options
from advisor.probing.reading import Facts

OPTIONS = {name: (f"-{name}",) for name in ("npme", "ntomp", "ntomp_pme", "ntmpi", "nt", "dlb", "dd", "pin", "pme", "nb", "bonded", "update", "tunepme", "nstlist", "multidir")}


def matches(program: str) -> bool:
    """gmx, gmx_mpi, mdrun, mdrun_mpi and versions with a suffix such as gmx_mpi_d."""
    return re.fullmatch(r"(gmx|mdrun)(_mpi)?(_d)?(_[A-Za-z0-9]+)?", program) is not None


def read(words: Tuple[str, ...], inputs: Inputs, facts: Facts) -> None:
    """npme, ntomp, dlb, dd (first number), pin … where given."""
    keep_options(facts, words, OPTIONS)
