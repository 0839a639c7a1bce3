"""WRF: decomposition, tiles, I/O servers and history from namelist.input."""

from __future__ import annotations

import re
from typing import Tuple

from advisor.probing.programs.inputs import Inputs, keep
from advisor.probing.programs.namelists import parse_namelists
from advisor.probing.reading import Facts, fact

PLACE = "namelist.input"
KEYS = (
    "nproc_x",
    "nproc_y",
    "numtiles",
    "nio_tasks_per_group",
    "nio_groups",
    "io_form_history",
    "frames_per_outfile",
    "history_interval",
    "max_dom",
    "e_we",
    "e_sn",
    "time_step",
)
# Registry defaults of WRF 4: -1 lets WRF choose, 0 switches I/O servers off.
DEFAULTS = {"nproc_x": -1, "nproc_y": -1, "nio_tasks_per_group": 0, "nio_groups": 1}


def matches(program: str) -> bool:
    """wrf.exe, real.exe, ideal.exe, ndown.exe."""
    return re.fullmatch(r"(wrf|real|ideal|ndown)\.exe", program) is not None


def read(words: Tuple[str, ...], inputs: Inputs, facts: Facts) -> None:
    """nproc_x, nproc_y, nio_tasks_per_group, io_form_history … as namelist.input gives them, else
    WRF's defaults."""
    values = parse_namelists(inputs.text(PLACE) or "")
    for key in KEYS:
        keep(facts, key, values.get(key), PLACE)
    for key, value in DEFAULTS.items():
        if values and key not in facts:
            fact(facts, key, value, f"default of WRF: no {key} in {PLACE}")
