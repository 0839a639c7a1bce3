"""Finds the library in a version string of MPI_Get_library_version."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Mapping

from advisor.model.profile import Fact, Library

_KNOWN = (
    ("mvapich2-gdr", r"MVAPICH2-GDR Version\s*:\s*(\S+)"),
    ("mvapich2-x", r"MVAPICH2-X Version\s*:\s*(\S+)"),
    ("mvapich2", r"MVAPICH2 Version\s*:\s*(\S+)"),
    ("mvapich", r"MVAPICH Version\s*:\s*(\S+)"),
    ("intel", r"Intel\(R\) MPI Library (\S+(?: Update \d+)?)"),
    ("cray", r"CRAY MPICH version (\S+)"),
    ("spectrum", r"package: IBM Spectrum MPI, ident: ([0-9][0-9.]*)"),
    ("fujitsu", r"FUJITSU MPI Library ([0-9][0-9.]*)"),
    # NVIDIA's builds name the machine that made them; the version is that of their Open MPI.
    ("hpcx", r"Open MPI v(\S+?), package: Open MPI root@hpc-kernel-\d+ "),
    ("openmpi", r"Open MPI v(\S+?),? "),
    ("parastation", r"(?s:ParaStation.*?MPICH Version:\s*(\S+))"),
    ("mpich", r"MPICH Version:\s*(\S+)"),
)
"""From the most particular to the most general: derivatives also name what they derive from."""
_HPCX_FOLDER = re.compile(r"/hpcx(-v?\d|/)")
"""Of HPC-X that a centre has built anew, as its manual tells: then its folder alone names it."""
_LONGEST = 8192


def library_of(texts: Mapping[str, str]) -> Library:
    """Library from the texts of a record: library, library_path, standard, device, transport."""
    sources = (("device", "MPI_Get_library_version"), ("transport", "objects of the library"))
    facts = {key: Fact(texts[key], source) for key, source in sources if texts.get(key)}
    words, path = texts.get("library", ""), texts.get("library_path", "")
    return named(Library(text=words, standard=texts.get("standard", ""), path=path, facts=facts))


def named(library: Library) -> Library:
    """The library with the name and version that its text gives; as it was if the text is none that
    we know."""
    for name, pattern in _KNOWN:
        # No version of interest is that long; the end is marked so that each pattern finds one.
        match = re.search(pattern, library.text[:_LONGEST] + " ", re.IGNORECASE)
        if match:
            own = name == "openmpi" and _HPCX_FOLDER.search(library.path)
            # Intel's "2019 Update 4" is written 2019.4 elsewhere, as its later versions are.
            return replace(
                library,
                name="hpcx" if own else name,
                version=match.group(1).strip(",").replace(" Update ", ".")[:40],
            )
    return library
