"""Which library a version string of MPI_Get_library_version speaks of."""

from __future__ import annotations

import re
from typing import Mapping

from advisor.model.profile import Fact, Library

_KNOWN = (
    ("mvapich2-gdr", r"MVAPICH2-GDR Version\s*:\s*(\S+)"),
    ("mvapich2-x", r"MVAPICH2-X Version\s*:\s*(\S+)"),
    ("mvapich2", r"MVAPICH2 Version\s*:\s*(\S+)"),
    ("mvapich", r"MVAPICH Version\s*:\s*(\S+)"),
    ("intel", r"Intel\(R\) MPI Library (\S+)"),
    ("cray", r"CRAY MPICH version (\S+)"),
    ("openmpi", r"Open MPI v(\S+?),? "),
    ("mpich", r"MPICH Version:\s*(\S+)"),
)
"""From the most particular to the most general: derivatives also name what they derive from."""


def library_of(texts: Mapping[str, str]) -> Library:
    """Library from the texts of a record: library, library_path, standard, device."""
    words = texts.get("library", "")
    facts = {"device": Fact(texts["device"], "MPI_Get_library_version")} if texts.get("device") else {}
    for name, pattern in _KNOWN:
        match = re.search(pattern, words + " ", re.IGNORECASE)
        if match:
            break
    return Library(
        name=name if match else "unknown",
        version=match.group(1).strip(",") if match else "",
        text=words,
        standard=texts.get("standard", ""),
        path=texts.get("library_path", ""),
        facts=facts,
    )
