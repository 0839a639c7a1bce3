"""VASP: parallel settings and the sizes that they depend on, from INCAR and KPOINTS."""

from __future__ import annotations

import re
from typing import Dict, Optional, Tuple

from advisor.probing.programs.inputs import Inputs, keep
from advisor.probing.reading import Facts, fact

TAGS = (
    "ncore",
    "npar",
    "kpar",
    "nsim",
    "lplane",
    "lscalu",
    "lscalapack",
    "algo",
    "ialgo",
    "nbands",
    "lreal",
    "prec",
    "encut",
    "nelm",
    "nsw",
    "ibrion",
    "images",
    "ispin",
    "lsorbit",
    "lhfcalc",
    "ncore_in_image1",
    "lasync",
    "kspacing",
    "lwave",
    "lcharg",
)

DEFAULTS = {"kpar": 1, "nsim": 4, "lplane": True}


def matches(program: str) -> bool:
    """vasp, vasp_std, vasp_gam, vasp_ncl, vasp_gpu, vasp_std.5.4.4, vasp-6.3 …"""
    return re.match(r"vasp(\b|_|[0-9.-])", program) is not None


def parse_incar(text: str) -> Dict[str, str]:
    """Tags of an INCAR in lower case. `!` and `#` begin a comment, `;` parts statements, `\\`
    continues a line.

    VASP takes the first of two assignments to one tag, and so do we.
    """
    tags: Dict[str, str] = {}
    joined = re.sub(r"\\[ \t]*\r?\n", " ", text)
    for line in joined.splitlines():
        for statement in re.split(r"[!#]", line, maxsplit=1)[0].split(";"):
            name, equals, value = statement.partition("=")
            if equals and name.strip():
                tags.setdefault(name.strip().lower(), value.strip())
    return tags


def parse_kpoints(text: str) -> Optional[int]:
    """Points of a KPOINTS file before symmetry: its count, or the product of an automatic grid."""
    lines = [line.strip() for line in text.splitlines()[:5]]
    number = re.match(r"(\d{1,6})\b", lines[1]) if len(lines) >= 3 else None
    if number is None:
        return None
    count = int(number[1])
    if count or len(lines) < 4 or lines[2][:1].lower() not in ("g", "m"):
        return count or None
    grid = re.match(r"(\d{1,4})\s+(\d{1,4})\s+(\d{1,4})", lines[3])
    return int(grid[1]) * int(grid[2]) * int(grid[3]) or None if grid else None


def only_gamma(text: str) -> Optional[bool]:
    """Whether a KPOINTS file asks for the centre of the zone alone; None if it cannot be told."""
    lines = [line.split("!", 1)[0].strip() for line in text.splitlines()[:5]]
    points = parse_kpoints(text)
    if points is None or points > 1:
        return None if points is None else False
    if re.match(r"0\b", lines[1]):
        return lines[2][:1].lower() == "g" or None
    place = re.match(r"(\S{1,20})\s+(\S{1,20})\s+(\S{1,20})", lines[3]) if len(lines) > 3 else None
    return (
        None
        if place is None
        else all(re.fullmatch(r"[+-]?0?\.?0*", part) is not None for part in place.groups())
    )


def _fill_defaults(facts: Facts) -> None:
    """What VASP takes where INCAR is silent. With NPAR given, NCORE follows from the number of
    ranks, which VASP knows."""
    for key, value in DEFAULTS.items():
        if key not in facts:
            fact(facts, key, value, f"default of VASP: no {key.upper()} in INCAR")
    fact(facts, "npar_beside_ncore", "npar" in facts and "ncore" in facts, "INCAR")
    if "ncore" not in facts and "npar" not in facts:
        fact(facts, "ncore", 1, "default of VASP: neither NCORE nor NPAR in INCAR")


def read(words: Tuple[str, ...], inputs: Inputs, facts: Facts) -> None:
    """ncore, kpar, npar, nsim, lplane, algo … as INCAR gives them; kpoints before symmetry;
    atoms."""
    tags = parse_incar(inputs.text("INCAR") or "")
    for tag in TAGS:
        value = tags.get(tag)
        # A number may be followed by words that VASP ignores; a word stands alone.
        keep(facts, tag, value.split()[0] if value else None, "INCAR")
    if tags:
        _fill_defaults(facts)
    points = parse_kpoints(inputs.text("KPOINTS") or "")
    if points:
        fact(facts, "kpoints", points, "KPOINTS, before symmetry")
    gamma = only_gamma(inputs.text("KPOINTS") or "")
    if gamma is not None:
        fact(facts, "gamma_only", gamma, "KPOINTS")
