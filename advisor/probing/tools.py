"""What `advisor` itself stands on, tried out: Python packages, a C compiler, PAPI, OTF2, counters,
folders."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
from importlib import metadata
from typing import Iterable, List, Tuple

from advisor.base import external_programs
from advisor.probing.check import Check
from advisor.probing.commands import answer

PACKAGES = ("rich", "jinja2", "numpy", "pyelftools") + (
    ("tomli",) if sys.version_info < (3, 11) else ()
)
LEAST_SHARED = 64 << 20
"""A record takes some MiB for each rank of a host; with less room than this the ranks of a full
host find none."""

# Each runs in a process of its own, since a library that is loaded here stays, and may end us.
_TRY_PAPI = """
import ctypes, ctypes.util
papi = ctypes.CDLL(ctypes.util.find_library("papi") or "libpapi.so")
version = next((v for v in (0x07020000, 0x07010000, 0x07000000, 0x06000000, 0x05070000) if papi.PAPI_library_init(v) == v), None)
events = ctypes.c_int(-1)
made = version is not None and papi.PAPI_create_eventset(ctypes.byref(events)) == 0
usable = [n for n in ("PAPI_TOT_INS", "perf::TASK-CLOCK") if made and papi.PAPI_add_named_event(events, n.encode()) == 0]
print(version and "%d.%d" % (version >> 24, version >> 16 & 255), *usable, sep=";") if usable and papi.PAPI_start(events) == 0 else print(version)
"""
_TRY_PERF = """
import ctypes, os, struct
call = ctypes.CDLL(None, use_errno=True).syscall
attributes = struct.pack("<IIQQQQQ", 0, 112, 1, 0, 0, 0, 0b1100001).ljust(112, bytes(1))
number = {"x86_64": 298, "aarch64": 241, "ppc64le": 319, "s390x": 331}[os.uname().machine]
print("counts" if call(number, attributes, 0, -1, -1, 0) >= 0 else os.strerror(ctypes.get_errno()))
"""
_TRY_OTF2 = (
    "import ctypes, ctypes.util;"
    " print(bool(ctypes.CDLL(ctypes.util.find_library('open-trace-format2')).OTF2_Archive_Open))"
)


def _try(code: str) -> str:
    return (answer([sys.executable, "-I", "-c", code], 15.0) or "").strip()


def python() -> Check:
    return Check(
        "Python",
        sys.version_info >= (3, 9),
        f"{platform.python_version()}, {sys.executable}",
        needed=True,
    )


def packages() -> Check:
    """The packages that measuring and advising need."""
    versions, missing = [], []
    for name in PACKAGES:
        try:
            versions.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    found = ", ".join(versions) if not missing else f"missing: {', '.join(missing)}"
    get = f"{sys.executable} -m pip install {' '.join(missing)}" if missing else ""
    return Check("Python packages", not missing, found, get, needed=True)


def c_compiler() -> Check:
    """Whether a shared library can be built here, by building one."""
    found = next(
        (path for path in map(external_programs.which, ("cc", "gcc", "clang", "icx")) if path), None
    )
    get = "install a C compiler (package gcc), or load a compiler module"
    if found is None:
        return Check("C compiler", False, "none on PATH", get)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "a.c")
        with open(source, "w") as file:
            file.write("#include <stdlib.h>\nint f(void) { return abs(1); }\n")
        built = answer(
            [found, "-shared", "-fPIC", "-o", os.path.join(folder, "a.so"), source], 30.0
        )
    first = (answer([found, "--version"], 10.0) or "").partition("\n")[0][:60]
    return Check(
        "C compiler",
        built is not None,
        first or found,
        "" if built is not None else f"{found} builds no shared library: {get}",
    )


def cpu_counters() -> Check:
    """Whether this kernel counts instructions for us, by asking for the counter."""
    said = _try(_TRY_PERF)
    if said == "counts":
        return Check("CPU counters", True, "instructions can be counted (perf_event_open)")
    if not said:
        return Check(
            "CPU counters", None, "perf_event_open cannot be tried on this kind of machine"
        )
    forbidden = "ermission" in said or "permitted" in said
    get = (
        "ask for kernel.perf_event_paranoid of 2 or less, and for a container that allows"
        " perf_event_open"
        if forbidden
        else ""
    )
    why = "" if forbidden else "; this processor offers none, as in most virtual machines"
    return Check("CPU counters", False, f"perf_event_open: {said}{why}", get)


def papi() -> Check:
    """Whether PAPI can be loaded and count, by starting an event set."""
    version, *events = _try(_TRY_PAPI).split(";")
    if not version:
        return Check(
            "PAPI", False, "not installed", "package libpapi-dev or papi-devel, or the module papi"
        )
    if "PAPI_TOT_INS" in events:
        return Check("PAPI", True, f"{version}, counts instructions")
    if events:
        return Check(
            "PAPI",
            False,
            f"{version}, counts time and faults but no CPU events here",
            "see CPU counters",
        )
    return Check("PAPI", False, "installed, but no event can be started", "see CPU counters")


def otf2() -> Check:
    """Whether libotf2 can be loaded."""
    return _optional(
        "OTF2",
        _try(_TRY_OTF2) == "True",
        "libotf2 can be loaded",
        "package libotf2-trace-dev, or the module otf2",
    )


def _optional(subject: str, good: bool, found: str, get: str) -> Check:
    return Check(subject, good, found if good else "not installed", "" if good else get)


def shared_memory() -> Check:
    """Room for the collector's records, which outlive a killed job."""
    try:
        space = os.statvfs("/dev/shm")
        free = space.f_bavail * space.f_frsize
    except OSError:
        return Check(
            "/dev/shm", False, "not there", "records go to $TMPDIR or /tmp, or into plain memory"
        )
    good = free >= LEAST_SHARED and os.access("/dev/shm", os.W_OK)
    return Check(
        "/dev/shm",
        good,
        f"{free / (1 << 30):.1f} GiB free",
        "" if good else "records go to $TMPDIR or /tmp, or into plain memory",
    )


def folders(named: Iterable[Tuple[str, str]]) -> List[Check]:
    """Whether files can be made in these folders, by making one. `named`: (what for, path)."""
    return [_folder(purpose, path) for purpose, path in named]


def _folder(purpose: str, path: str) -> Check:
    try:
        with tempfile.NamedTemporaryFile(dir=path):
            return Check(purpose, True, f"{path} can be written")
    except OSError as error:
        return Check(
            purpose,
            False,
            f"{path}: {error.strerror}",
            "choose another folder with -o, $TMPDIR or $ADVISOR_CACHE",
        )
