"""NWChem: task, theory and memory from the input file."""

from __future__ import annotations

import os
import re
from typing import Tuple

from advisor.probing.programs.inputs import Inputs, keep
from advisor.probing.reading import Facts

KEYWORDS = ("task", "memory", "direct", "semidirect", "noio", "grid")


def matches(program: str) -> bool:
    """nwchem, nwchem-mpi, nwchem_64 …"""
    return re.match(r"nwchem(\b|_|-)", program) is not None


def read(words: Tuple[str, ...], inputs: Inputs, facts: Facts) -> None:
    """task (the last of them), memory, direct … ; the input is the first argument, nwchem.nw
    without one."""
    name = next((word for word in words if not word.startswith("-")), "nwchem.nw")
    text = inputs.text(name) or inputs.text(f"{name}.nw") or ""
    for line in text.splitlines():
        parts = line.split("#", 1)[0].split(None, 1)
        if parts and parts[0].lower() in KEYWORDS:
            keep(
                facts,
                parts[0].lower(),
                parts[1] if len(parts) == 2 else "true",
                os.path.basename(name),
            )
