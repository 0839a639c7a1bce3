"""CP2K: settings of the parallel layout from the input file."""

from __future__ import annotations

import os
import re
from typing import Tuple

from advisor.probing.programs.inputs import Inputs, keep, option
from advisor.probing.reading import Facts

KEYWORDS = (
    "run_type",
    "preferred_diag_library",
    "preferred_fft_library",
    "extended_fft_lengths",
    "elpa_kernel",
    "ngrids",
    "cutoff",
    "group_size",
    "ngroups",
    "stack_size",
    "mpi_cart_grid",
)


def matches(program: str) -> bool:
    """cp2k.popt, cp2k.psmp, cp2k …"""
    return re.match(r"cp2k(\.|$|_)", program) is not None


def read(words: Tuple[str, ...], inputs: Inputs, facts: Facts) -> None:
    """Keywords anywhere in the sections; the last of each."""
    name = option(words, ("-i",)) or next(
        (word for word in reversed(words) if word.endswith(".inp")), None
    )
    if name is None:
        return
    for line in (inputs.text(name) or "").splitlines():
        parts = re.split(r"[!#]", line, maxsplit=1)[0].split(None, 1)
        if len(parts) == 2 and parts[0].lower() in KEYWORDS:
            keep(facts, parts[0].lower(), parts[1], os.path.basename(name))
