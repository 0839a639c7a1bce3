"""Whether a program was instrumented with Score-P: by the libraries that it needs, or by what is
linked into it."""

from __future__ import annotations

from typing import Mapping, Optional, Sequence

from advisor.base import elf
from advisor.launching.parse.line import LaunchLine, Program
from advisor.launching.target import needed_libraries
from advisor.launching.target.library_file import is_mpi
from advisor.launching.target.library_of import locate, programs_in_script
from advisor.model.errors import UserError

_LIBRARY = "libscorep_"
_MARK = b"scorep-measurement-tmp"
"""The name of an experiment that has no other yet: in the measurement library, so also in a
stripped program that it is linked into."""


def instrumented(line: LaunchLine, environment: Mapping[str, str]) -> Optional[bool]:
    """True: all programs of the line are; False: one of them is not. None: they are started by
    something that does not tell."""
    found = [_program(line, program, environment) for program in line.programs]
    return False if False in found else None if None in found or not found else True


def _file(line: LaunchLine, program: Program, environment: Mapping[str, str]) -> Optional[str]:
    try:
        return locate(
            line.words[program.index], environment, line.from_directory, program.directory
        )
    except (UserError, ValueError):
        return None


def _program(line: LaunchLine, program: Program, environment: Mapping[str, str]) -> Optional[bool]:
    path = _file(line, program, environment)
    if path is None:
        return None
    if elf.is_elf(path):
        if is_instrumented(path, environment):
            return True
        binary = elf.read(path)
        # An interpreter or a tool that starts the program needs no MPI itself, and so says nothing
        # about it.
        return (
            False
            if binary and _needs_mpi(path, environment)
            else _inner(path, line.words[program.index + 1 : program.end], environment)
        )
    return _inner(path, line.words[program.index + 1 : program.end], environment)


def _inner(path: str, arguments: Sequence[str], environment: Mapping[str, str]) -> Optional[bool]:
    """A script: True if it names an instrumented program, False if those with MPI that it names are
    not, None if it names none."""
    found = [
        is_instrumented(name, environment)
        for name in programs_in_script(path, arguments, environment)
        if _needs_mpi(name, environment)
    ]
    return None if not found else any(found)


def plainly(line: LaunchLine, environment: Mapping[str, str]) -> bool:
    """Whether a program of the line is instrumented, as far as its own file shows: what can be told
    without delay."""
    found = (_file(line, program, environment) for program in line.programs)
    return any(_shows(path) for path in found if path and elf.is_elf(path))


def _shows(path: str) -> bool:
    binary = elf.read(path)
    return binary is not None and (
        any(name.startswith(_LIBRARY) for name in binary.needed) or elf.holds(path, _MARK) is True
    )


def is_instrumented(path: str, environment: Mapping[str, str]) -> bool:
    """Whether an ELF file needs the shared measurement library, itself or by a library, or holds
    the static one."""
    needed = next(
        needed_libraries.find_needed(path, lambda name: name.startswith(_LIBRARY), environment),
        None,
    )
    return needed is not None or elf.holds(path, _MARK) is True


def _needs_mpi(path: str, environment: Mapping[str, str]) -> bool:
    return (
        is_instrumented(path, environment)
        or next(needed_libraries.find_needed(path, is_mpi, environment), None) is not None
    )
