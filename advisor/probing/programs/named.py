"""Applications that are known by name only: no setting of theirs is read yet."""

from __future__ import annotations

import re
from typing import Tuple

NAMED = (
    ("abinit", r"abinit(\b|_|-)"),
    ("siesta", r"siesta(\b|_|-)"),
    ("cpmd", r"cpmd(\.x)?$"),
    ("octopus", r"octopus(_mpi)?$"),
    ("gpaw", r"gpaw(-python)?$"),
    ("namd", r"namd[23]"),
    ("amber", r"(pmemd|sander)(\.|$|_)"),
    ("nemo", r"nemo(\.exe)?$"),
    ("icon", r"icon(\.exe)?$"),
    ("nekrs", r"nekrs(-bin)?$"),
    ("elk", r"elk(-lapw)?$"),
    ("dalton", r"dalton(\.x)?$"),
    ("hpcc", r"hpcc$"),
    ("hpl", r"xhpl"),
    ("hpcg", r"xhpcg"),
    ("osu-benchmarks", r"osu_[a-z]"),
    ("intel-mpi-benchmarks", r"IMB-"),
    ("nas-parallel-benchmarks", r"(bt|cg|ep|ft|is|lu|mg|sp)(-mz)?\.[SWABCDEF](\.|$)"),
)
_COMPILED = tuple((name, re.compile(pattern)) for name, pattern in NAMED)


def application(program: str, words: Tuple[str, ...]) -> str:
    """The application's name; empty if it is not known."""
    return next((name for name, pattern in _COMPILED if pattern.match(program)), "")
