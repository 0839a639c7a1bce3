"""Python names of functions that Cython compiled: mpi4py makes all MPI calls of Python code."""

from __future__ import annotations

import re
from typing import List

_COMPILED = re.compile(r"^(?:__pyx_fuse_\d+)*__pyx_p?[fw]_(?=\d)")
_OF_THE_COMPILER = re.compile(r"\.(?:constprop|isra|part|cold)(?:\.\d+)*(?=\.|$)")
"""What GCC adds to copies of a function."""
_LENGTH = re.compile(r"\d+")


def readable(function: str) -> str:
    """__pyx_pw_6mpi4py_3MPI_4Comm_119Barrier → mpi4py.MPI.Comm.Barrier; others stay as they are,
    but for what GCC adds to copies.

    Cython writes modules and classes with the length of each before it, and the number of a method
    before its name: Cython/Compiler/Naming.py and `mangle` in Symtab.py.
    """
    function = _OF_THE_COMPILER.sub("", function)
    found = _COMPILED.match(function)
    if not found:
        return function
    parts: List[str] = []
    rest = function[found.end() :]
    while True:
        digits = _LENGTH.match(rest)
        if not digits or len(digits[0]) > 3:
            break
        name, length = rest[digits.end() :], int(digits[0])
        if name[length : length + 1] != "_":
            rest = name
            break
        parts.append(name[:length])
        rest = name[length + 1 :]
    return ".".join([*parts, rest]) if parts and rest else function
