"""Quantum ESPRESSO: levels of parallelism from the arguments, sizes from the input namelists."""

from __future__ import annotations

import os
import re
from typing import Optional, Tuple

from advisor.probing.programs.inputs import Inputs, keep, keep_options, option
from advisor.probing.programs.namelists import parse_namelists
from advisor.probing.reading import Facts, fact

PROGRAMS = (
    "pw",
    "cp",
    "ph",
    "neb",
    "hp",
    "epw",
    "pp",
    "bands",
    "dos",
    "projwfc",
    "turbo_lanczos",
    "turbo_davidson",
    "kcw",
    "manycp",
    "manypw",
)
# Spellings of Modules/command_line_options.f90. Every one is also taken with two dashes.
OPTIONS = {
    "ni": ("-ni", "-nimage", "-nimages"),
    "nk": ("-nk", "-npool", "-npools"),
    "nb": ("-nb", "-nband", "-nbgrp", "-nband_group"),
    "nt": ("-nt", "-ntg", "-ntask_groups", "-nyfft"),
    "ndiag": ("-nd", "-ndiag", "-northo", "-nproc_diag", "-nproc_ortho"),
    "pencil": ("-pd", "-use_pd", "-pencil_decomposition"),
}
# One group of each kind; 0: pw.x chooses how many ranks diagonalise.
DEFAULTS = {"nk": 1, "nb": 1, "nt": 1, "ndiag": 0}
INPUT = ("-i", "-in", "-inp", "-input")
NAMELIST = (
    "calculation",
    "nbnd",
    "nat",
    "ntyp",
    "ecutwfc",
    "ecutrho",
    "diagonalization",
    "nspin",
    "noncolin",
    "electron_maxstep",
    "startingwfc",
    "input_dft",
    "exx_fraction",
    "disk_io",
)


def matches(program: str) -> bool:
    """pw.x, cp.x and the other programs of the distribution."""
    return program.endswith(".x") and program[:-2].lower() in PROGRAMS


def _two_dashes(names: Tuple[str, ...]) -> Tuple[str, ...]:
    return names + tuple(f"-{name}" for name in names)


def parse_points(text: str) -> Tuple[str, Optional[int]]:
    """(kind, number of k points before symmetry) of the K_POINTS card; ("", None) without one."""
    card = re.search(
        r"^[ \t]*K_POINTS\b[ \t]*[({]?[ \t]*([a-z_]*)[^\n]*\n([^\n]*)",
        text,
        re.IGNORECASE | re.MULTILINE,
    )
    if not card:
        gamma = re.search(r"^[ \t]*K_POINTS\b[^\n]*gamma", text, re.IGNORECASE | re.MULTILINE)
        return ("gamma", 1) if gamma else ("", None)
    kind = card.group(1).lower() or "tpiba"
    if kind == "gamma":
        return kind, 1
    numbers = [int(word) for word in re.findall(r"\d{1,6}", card.group(2))[:3]]
    if kind == "automatic":
        return kind, numbers[0] * numbers[1] * numbers[2] or None if len(numbers) == 3 else None
    return kind, numbers[0] if numbers else None


def read(words: Tuple[str, ...], inputs: Inputs, facts: Facts) -> None:
    """nk, nb, nt, ndiag, ni from the arguments; kpoints, nbnd, nat, ecutwfc … from the input
    file."""
    keep_options(facts, words, {key: _two_dashes(names) for key, names in OPTIONS.items()})
    for key, value in DEFAULTS.items():
        if key not in facts:
            fact(facts, key, value, f"default: no -{OPTIONS[key][0].lstrip('-')} in the arguments")
    facts["npool"] = facts["nk"]
    name = option(words, _two_dashes(INPUT)) or inputs.standard_input
    text = inputs.text(name) if name else None
    if text is None:
        return
    values, source = parse_namelists(text), os.path.basename(name)
    for key in NAMELIST:
        keep(facts, key, values.get(key), source)
    if values and "input_dft" not in facts:
        fact(facts, "input_dft", "of the pseudopotentials", f"no input_dft in {source}")
    kind, points = parse_points(text)
    keep(facts, "kpoints_kind", kind or None, f"K_POINTS in {source}")
    if points:
        fact(facts, "kpoints", points, f"K_POINTS in {source}, before symmetry")
