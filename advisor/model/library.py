"""MPI libraries, their versions and selectors such as "openmpi >=4,<6"."""

from __future__ import annotations

import re
from typing import Tuple

NAMES = (
    "openmpi",
    "mpich",
    "intel",
    "mvapich2",
    "mvapich2-x",
    "mvapich2-gdr",
    "mvapich",
    "cray",
    "hpcx",
    "spectrum",
    "fujitsu",
    "parastation",
)
OPEN_MPI = ("openmpi", "hpcx", "spectrum", "fujitsu")
"""Open MPI, and what is made from it: its launcher's options, ompi_info, OMPI_MCA_ variables."""
MADE_FROM = {
    "mvapich2-x": "mvapich2",
    "mvapich2-gdr": "mvapich2",
    "hpcx": "openmpi",
    "parastation": "mpich",
}
"""Libraries whose settings are those of another one, but for some of their own. Spectrum and
Fujitsu MPI replace the layers below Open MPI's interface, where nearly all settings are."""
TITLES = {
    "openmpi": "Open MPI",
    "mpich": "MPICH",
    "intel": "Intel MPI",
    "mvapich": "MVAPICH",
    "mvapich2": "MVAPICH2",
    "mvapich2-x": "MVAPICH2-X",
    "mvapich2-gdr": "MVAPICH2-GDR",
    "cray": "Cray MPICH",
    "hpcx": "HPC-X",
    "spectrum": "IBM Spectrum MPI",
    "fujitsu": "Fujitsu MPI",
    "parastation": "ParaStation MPI",
}
"""Names as users write them."""
_CLAUSE = re.compile(r"(>=|<=|==|<|>)\s*([0-9][0-9.]*)")


class SelectorError(ValueError):
    """A selector that cannot be read; the message says what was expected."""


def release(version: str) -> Tuple[int, ...]:
    """The numbers of a version: "2021.18.1" → (2021, 18, 1), "2.3rc3" → (2, 3)."""
    match = re.match(r"[0-9]+(\.[0-9]+)*", version)
    return tuple(int(part) for part in match.group(0).split(".")) if match else ()


def selects(selector: str, name: str, version: str) -> bool:
    """Whether "NAME CLAUSE,CLAUSE" or "any" covers this library. An unknown version meets no
    clause.

    A clause compares as many numbers as it gives: "<6" covers 5.0.11, "==4.1" covers 4.1.4.
    """
    wanted, clauses = parse_selector(selector)
    if wanted not in ("any", name):
        return False
    have = release(version)
    return all(have and meets(have, sign, bound) for sign, bound in clauses)


def parse_selector(selector: str) -> Tuple[str, Tuple[Tuple[str, Tuple[int, ...]], ...]]:
    """Name and clauses of a selector, or SelectorError."""
    name, _, rest = selector.strip().partition(" ")
    if name != "any" and name not in NAMES:
        raise SelectorError(f'"{name}" is not a library; expected any of: any, {", ".join(NAMES)}')
    clauses = []
    for clause in filter(None, (part.strip() for part in rest.split(","))):
        match = _CLAUSE.fullmatch(clause)
        if not match:
            raise SelectorError(
                f'"{clause}" is not a version clause; expected e.g. ">=4.1" or "<6"'
            )
        clauses.append((match.group(1), release(match.group(2))))
    return name, tuple(clauses)


def meets(have: Tuple[int, ...], sign: str, bound: Tuple[int, ...]) -> bool:
    """Whether a release stands so to another one. It compares as many numbers as `bound` has."""
    have = (have + (0,) * len(bound))[: len(bound)]
    return {
        ">=": have >= bound,
        "<=": have <= bound,
        "==": have == bound,
        "<": have < bound,
        ">": have > bound,
    }[sign]
