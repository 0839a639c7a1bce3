"""Collectors that came with the package, one for each binary interface of MPI: for machines without
a compiler.

`packaging/wheel` builds them. One of them is used only if the library is shown to have the
interface that it was built for: nothing in the collector itself would notice another layout of
MPI_Status, or another value of MPI_COMM_WORLD, before the job is damaged.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from advisor.base import trusted_files
from advisor.launching.collector.compilers import header_version
from advisor.launching.target.library_file import MpiLibrary

FOLDER = Path(__file__).resolve().parent / "built"
"""Empty in a checkout and in a wheel that was built without `packaging/wheel`."""
LIST = "built.json"
_LARGEST_LIST, _LARGEST_COLLECTOR = 1 << 20, 64 << 20

_OPEN_MPI_OBJECTS = (
    "ompi_mpi_comm_world ompi_mpi_comm_self ompi_mpi_comm_null ompi_mpi_byte ompi_mpi_char"
    " ompi_mpi_datatype_null ompi_request_null ompi_mpi_group_null ompi_mpi_win_null"
    " ompi_mpi_info_null ompi_mpi_op_no_op ompi_mpi_op_min ompi_mpi_errors_return"
    " ompi_mpi_file_null ompi_mpi_int ompi_mpi_unsigned ompi_mpi_unsigned_long"
    " ompi_mpi_unsigned_long_long ompi_mpi_double ompi_mpi_c_bool"
).split()
"""Those of OPEN_MPI_OBJECTS in collectors/pmpi/library/handles.h."""
_CONSTANTS = (
    "MPI_COMM_WORLD MPI_COMM_SELF MPI_COMM_NULL MPI_REQUEST_NULL MPI_GROUP_NULL MPI_WIN_NULL"
    " MPI_FILE_NULL MPI_INFO_NULL MPI_DATATYPE_NULL MPI_BYTE MPI_CHAR MPI_INT MPI_UNSIGNED"
    " MPI_UNSIGNED_LONG MPI_UNSIGNED_LONG_LONG MPI_DOUBLE MPI_C_BOOL MPI_MIN MPI_NO_OP"
    " MPI_ERRORS_RETURN MPI_ANY_SOURCE MPI_ANY_TAG MPI_PROC_NULL MPI_ROOT MPI_UNDEFINED"
    " MPI_IN_PLACE MPI_STATUS_IGNORE MPI_STATUSES_IGNORE MPI_SUCCESS MPI_KEYVAL_INVALID"
    " MPI_THREAD_SINGLE MPI_THREAD_FUNNELED MPI_THREAD_SERIALIZED MPI_THREAD_MULTIPLE"
    " MPI_LOCK_EXCLUSIVE MPI_LOCK_SHARED MPI_MAX_OBJECT_NAME MPI_MAX_PROCESSOR_NAME"
    " MPI_MAX_ERROR_STRING MPI_MAX_LIBRARY_VERSION_STRING"
).split()
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(MPI_\w+)[ \t]+(.+?)[ \t]*(?:/\*.*)?$", re.M)


@dataclass(frozen=True)
class Interface:
    """A binary interface of MPI. `libraries`, `series`, `soname`: whose it is. `objects`: symbols
    that its libraries export, and the bytes that each must have; 0: any."""

    name: str
    title: str
    libraries: Tuple[str, ...]
    series: str
    soname: str
    objects: Mapping[str, int]


INTERFACES = tuple(
    Interface(
        f"openmpi-{series}",
        f"Open MPI {series}",
        ("openmpi",),
        series,
        r"libmpi\.so\.40",
        {**dict.fromkeys(_OPEN_MPI_OBJECTS, 0), "ompi_status_empty": 24},
    )
    for series in ("4", "5")
) + (
    # MPICH 3.1 and newer, Intel MPI, MVAPICH 3 and newer and Cray MPICH agreed on one interface
    # (wiki.mpich.org, ABI Compatibility Initiative).
    Interface(
        "mpich",
        "MPICH",
        ("mpich", "intel", "mvapich", "cray"),
        "",
        r"lib\w+\.so\.12",
        {"MPIR_F08_MPI_STATUS_IGNORE_OBJ": 20, "PMPI_Comm_rank": 0},
    ),
    Interface(
        "mpi-5",
        "MPI 5",
        ("mpich", "openmpi", "intel", "mvapich", "cray", "unknown"),
        "",
        r"libmpi_abi\.so\.[01]",
        {"PMPI_Abi_get_version": 0, "PMPI_Comm_rank": 0},
    ),
)


@dataclass(frozen=True)
class Answer:
    """`path`: of the collector for a library; None if none fits, and `reason` says why. `build`:
    what a report says of it."""

    path: Optional[Path]
    reason: str = ""
    build: str = ""


def collector_for(library: MpiLibrary, sources: str) -> Answer:
    """The collector that came with the package for this library. `sources`: the digest of the
    sources that belong to this version."""
    interface = interface_of(library)
    if interface is None:
        return Answer(None, f"no prebuilt collector is for {library.title()}")
    try:
        made = _made(interface)
        if made is None:
            return Answer(None, f"no collector for the {interface.title} ABI came with advisor")
        path = _collector(interface, made, sources)
    except (OSError, ValueError, KeyError) as error:
        return Answer(None, f"the prebuilt collector cannot be used: {error}")
    reason = deviation(interface, library, made["constants"])
    if reason:
        return Answer(None, f"{library.title()} deviates from the {interface.title} ABI: {reason}")
    return Answer(path, build=_said(interface, made))


def said_of(path: Path) -> str:
    """What a report says of the collector at `path`; empty if it was built for its library."""
    if path.parent != Path(os.path.realpath(FOLDER)):
        return ""
    interface = next(each for each in INTERFACES if f"{each.name}.so" == path.name)
    made = _made(interface)
    return _said(interface, made) if made else ""


def interface_of(library: MpiLibrary) -> Optional[Interface]:
    """The interface that a library should have by its name, version and soname."""
    soname = _soname(library)
    return next(
        (
            each
            for each in INTERFACES
            if library.name in each.libraries
            and re.fullmatch(each.soname, soname)
            and (not each.series or library.version.partition(".")[0] == each.series)
        ),
        None,
    )


def _soname(library: MpiLibrary) -> str:
    """As the file has it: `library.soname` is the name by which somebody found it."""
    from advisor.base import elf_reader  # Imports pyelftools, for which no other job need wait.

    try:
        return str(elf_reader.dynamic(os.path.realpath(library.path), [])["soname"])
    except elf_reader.UNREADABLE:
        return ""


def deviation(interface: Interface, library: MpiLibrary, constants: Mapping[str, str]) -> str:
    """What about a library is not as its interface has it; empty if nothing is. Its mpi.h is
    compared where it lies beside the library: a machine without a compiler often has none."""
    from advisor.base import elf_reader  # Imports pyelftools, for which no other job need wait.

    try:
        sizes = elf_reader.sizes_of(os.path.realpath(library.path), list(interface.objects))
    except elf_reader.UNREADABLE as error:
        return f"{library.path} cannot be read ({error})"
    for name, wanted in interface.objects.items():
        if name not in sizes:
            return f"it does not export {name}"
        if wanted and sizes[name] != wanted:
            return f"{name} has {sizes[name]} bytes instead of {wanted}"
    for header in _headers(library):
        found = constants_of(header)
        for name, value in constants.items():
            if found.get(name, value) != value:
                return f"{name} is {found[name]} instead of {value} in {header}"
    return ""


def constants_of(header: str) -> Dict[str, str]:
    """Constants of an mpi.h that the collector contains, without casts and spaces; of several
    definitions, which are for several languages, the first."""
    try:
        with open(header, encoding="utf-8", errors="replace") as file:
            text = file.read(4 << 20)
    except OSError:
        return {}
    found: Dict[str, str] = {}
    for name, value in _DEFINED.findall(text):
        if name in _CONSTANTS:
            found.setdefault(name, _plain(value))
    return found


def _plain(value: str) -> str:
    bare = re.sub(r"\(\s*(?:MPI_\w+|void|int)\s*\**\s*\)", "", value)
    text = re.sub(r"[\s()]", "", bare)
    try:
        return str(int(text, 0))
    except ValueError:
        return text


def _headers(library: MpiLibrary) -> List[str]:
    """Its own mpi.h beside it: a common folder may hold that of another library."""
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(library.path)))
    name = "mpi_abi.h" if library.family == "standard" else "mpi.h"
    path = os.path.join(prefix, "include", name)
    known, version = header_version(path)
    # A library whose version nobody knows has no other header beside it than its own.
    its_own = known == library.name and version.startswith(library.version)
    return [path] if its_own else []


def _list() -> List[Dict[str, Any]]:
    try:
        text = trusted_files.read(FOLDER / LIST, _LARGEST_LIST)
    except FileNotFoundError:
        return []
    return json.loads(text)["collectors"]


def _said(interface: Interface, made: Mapping[str, Any]) -> str:
    return f"prebuilt for the {interface.title} ABI, build {made['build'][:16]}"


def _made(interface: Interface) -> Optional[Dict[str, Any]]:
    return next((each for each in _list() if each["name"] == interface.name), None)


def _collector(interface: Interface, made: Mapping[str, Any], sources: str) -> Path:
    """The collector's file, checked. Raises OSError, ValueError."""
    if made["machine"] != os.uname().machine:
        raise ValueError(f"it is for {made['machine']}, not for {os.uname().machine}")
    if made["sources"] != sources:
        raise ValueError("it was built from the sources of another version")
    path = trusted_files.inside(FOLDER, f"{interface.name}.so")
    if set(" :\t\n") & set(str(path)):
        raise ValueError(f"LD_PRELOAD would be split at the spaces or colons in {path}")
    content = trusted_files.read(path, _LARGEST_COLLECTOR)
    if hashlib.sha256(content).hexdigest() != made["sha256"]:
        raise ValueError(f"{path} is not the file that was built")
    return path
