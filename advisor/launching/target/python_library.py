"""The MPI that a Python program will load: the one that mpi4py's extension module needs and the
loader finds."""

from __future__ import annotations

import glob
import os
import re
from typing import Mapping, Optional

from advisor.base import external_programs
from advisor.launching.target import needed_libraries
from advisor.launching.target.library_file import MpiLibrary, examine, is_mpi

_ASK = (
    "import importlib.util as u; s = u.find_spec('mpi4py'); print(s.submodule_search_locations[0]"
    " if s else '')"
)
_ASK_SECONDS = 20


def is_python(path: str) -> bool:
    """Whether a program is a Python interpreter, by its name."""
    return bool(re.fullmatch(r"(python|pypy)[\d.]*", os.path.basename(path)))


def python_library(interpreter: str, environment: Mapping[str, str]) -> Optional[MpiLibrary]:
    """The library; None if mpi4py is not there, or has modules for several MPI libraries and
    decides when it is imported.

    Starts the interpreter, which imports nothing of mpi4py.
    """
    folder = _folder(interpreter, environment)
    files = glob.glob(os.path.join(folder, "MPI*.so")) if folder else []
    needed = [
        (name, path)
        for file in files
        for name, path in needed_libraries.find_needed(file, is_mpi, environment)
        if path
    ]
    return examine(needed[0][1], needed[0][0]) if len(files) == len(needed) == 1 else None


def _folder(interpreter: str, environment: Mapping[str, str]) -> str:
    said = external_programs.ask([interpreter, "-c", _ASK], _ASK_SECONDS, environment)
    return said.text.strip() if said else ""
