"""An MPI library as a file: which implementation it is, and its version, from what is written in
it."""

from __future__ import annotations

import mmap
import os
import re
from dataclasses import dataclass, replace
from typing import BinaryIO, Dict, Optional, Tuple

from advisor.base import answer_cache
from advisor.model.library import OPEN_MPI, TITLES

_SONAME = re.compile(
    r"lib(mpi|mpich|mpi_abi|mpi_cray|mpi_ibm|mpi_gnu_\w+|mpi_intel\w*|mpi_nvidia\w*|mpich_\w+|mpi_mt)\.so(\.|$)"
)
_MARKS: Tuple[Tuple[str, bytes], ...] = (
    ("intel", b"Intel(R) MPI Library"),
    ("cray", b"CRAY MPICH"),
    ("mvapich2", b"MVAPICH2 Version"),
    ("mvapich", b"MVAPICH Version"),
    ("openmpi", b"ompi_mpi_comm_world"),
    ("mpich", b"MPICH Version"),
)
_VERSIONS: Dict[str, Tuple[bytes, ...]] = {
    "openmpi": (rb"Open MPI v([0-9]+\.[0-9][0-9a-z.]*)",),
    "intel": (
        rb"Intel\(R\) MPI Library ([0-9]{4}[0-9.]*) for",
        rb"Intel\(R\) MPI Library %s for[^\0]*\0+([0-9]{4}[0-9.]+)\0",
    ),
    "cray": (rb"CRAY MPICH version ([0-9][0-9.]*)",),
    "mvapich2": (rb"MVAPICH2 Version *:?[\t ]+([0-9][0-9a-z.]*)",),
    "mvapich": (rb"MVAPICH Version *:?[\t ]+([0-9][0-9a-z.]*)",),
    "mpich": (rb"MPICH Version:[\t ]+([0-9][0-9a-z.]*)",),
}
_LONGEST = 40
"""Bytes of a version."""


@dataclass(frozen=True)
class MpiLibrary:
    """`name`: one of model.library.NAMES or "unknown". `version` empty: not written in the file.
    `soname`: as programs need it."""

    name: str
    version: str
    path: str
    soname: str

    @property
    def family(self) -> str:
        """The ABI family: openmpi, mpich, standard (the ABI of MPI 5), or unknown."""
        if self.soname.startswith("libmpi_abi."):
            return "standard"
        if self.name == "unknown":
            return "unknown"
        return "openmpi" if self.name in OPEN_MPI else "mpich"

    def title(self) -> str:
        """As people say it: "Open MPI 4.1.4"."""
        title = "an MPI library" if self.name == "unknown" else TITLES.get(self.name, self.name)
        return f"{title} {self.version}".strip()


def is_mpi(soname: str) -> bool:
    """Whether a needed library is an MPI library itself, not one of its language layers."""
    return bool(_SONAME.match(os.path.basename(soname)))


def examine(path: str, soname: str = "") -> MpiLibrary:
    """What the file says of itself. A library of tens of megabytes is searched for what it does not
    hold: remembered from job to job."""
    unknown = MpiLibrary("unknown", "", path, soname or os.path.basename(path))
    said = answer_cache.answer(
        ["what library is this", path], lambda _: [path], lambda: _searched(path)
    )
    return replace(unknown, **dict(zip(("name", "version"), said.split("\n")))) if said else unknown


def _searched(path: str) -> Optional[str]:
    """Name and version, a line each; None if the file cannot be read."""
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            name = next((name for name, mark in _MARKS if data.find(mark) >= 0), "unknown")
            return f"{name}\n{_version(data, name) or _symbol(file, 'MPIR_Version_string')}"
    except (OSError, ValueError):
        return None


def _symbol(file: BinaryIO, name: str) -> str:
    """The text that a variable of the file holds; "" without it. MVAPICH2 puts its version together
    only when it is asked."""
    from advisor.base import elf_reader  # Imports pyelftools, for which a job need not wait again.

    try:
        return elf_reader.text_of(file, name, _LONGEST)
    except (elf_reader.ELFError, ValueError):
        return ""


def _version(data: mmap.mmap, name: str) -> Optional[str]:
    for pattern in _VERSIONS.get(name, ()):
        match = re.search(pattern, data)
        if match:
            return match.group(1).decode().rstrip(".")
    return None
