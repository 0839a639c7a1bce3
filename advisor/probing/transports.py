"""UCX and libfabric: versions, and the transports and providers that they see on this host."""

from __future__ import annotations

import os
import re
import sys
from typing import Dict, FrozenSet, Iterable, Optional, Tuple

from advisor.base.elf import mentions
from advisor.probing.binary import rests_on
from advisor.probing.commands import answer, answer_once, find
from advisor.probing.reading import Facts, Tree, fact

IN_HOST = frozenset({"posix", "sysv", "xpmem", "mm"})
"""Transports of UCX through memory that ranks of a host share; mm: posix and sysv before UCX 1.6.
"""

GPUS = ("cuda", "rocm", "ze")
"""How names of UCX's modules and transports for GPU memory begin."""

# In a process of its own: a library loaded here would stay, and could end us.
_ASK = """
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
if sys.argv[2] == "ucx":
    library.ucp_get_version_string.restype = ctypes.c_char_p
    print(library.ucp_get_version_string().decode())
else:
    library.fi_version.restype = ctypes.c_uint32
    print("%d.%d" % (library.fi_version() >> 16, library.fi_version() & 0xffff))
"""


def parse_ucx_version(text: str) -> Optional[str]:
    """From `ucx_info -v`: "# Version 1.13.1" (before 1.13: "# UCT version=1.8.0 …")."""
    match = re.search(
        r"^# (?:Library version: |Version |UCT version=)(\d+(?:\.\d+){1,3})", text, re.MULTILINE
    )
    return match.group(1) if match else None


def parse_ucx_devices(text: str) -> FrozenSet[Tuple[str, str]]:
    """(transport, device) pairs of `ucx_info -d`."""
    pairs, transport = set(), ""
    for kind, name in re.findall(r"^#\s+(Transport|Device):\s*(\S+)", text, re.MULTILINE):
        if kind == "Transport":
            transport = name
        elif transport:
            pairs.add((transport, name))
    return frozenset(pairs)


def parse_providers(text: str) -> FrozenSet[str]:
    """Providers of `fi_info -l`: a name and a colon at the start of a line."""
    return frozenset(re.findall(r"^([A-Za-z]\w{1,40}(?:;\w+)?):\s*$", text, re.MULTILINE))


def modules(library: str) -> Optional[FrozenSet[str]]:
    """Transports that a UCX carries as modules in the folder `ucx` beside it: cma, ib, xpmem …;
    None without that folder."""
    names = Tree(os.path.dirname(library)).names("ucx")
    found = (re.match(r"libuct_(\w+)\.so", name) for name in names or ())
    return None if names is None else frozenset(match.group(1) for match in found if match)


def gpu_kinds(names: Iterable[str]) -> FrozenSet[str]:
    """Of modules or transports of UCX, the kinds of GPUs whose memory they reach: rocm of
    rocm_copy, ze of ze_copy."""
    return frozenset(kind for kind in GPUS for name in names if name.split("_")[0] == kind)


def shares_memory(
    library: str, transports: FrozenSet[str] = frozenset()
) -> Tuple[Optional[bool], str]:
    """(whether UCX has a transport through shared memory, what told it). `transports`: seen by
    ucx_info; where it is missing, libuct beside `library` is looked at.

    posix and sysv are no modules: they lie in libuct itself. Other builds may name them otherwise,
    so that nothing is claimed where they are not found.
    """
    if transports:
        return bool(transports & IN_HOST), "ucx_info -d"
    file = os.path.join(os.path.dirname(library), "libuct.so.0")
    return True if mentions(file, (b"uct_posix_tl", b"uct_sysv_tl")) else None, file


def ask(library: str, which: str, environment: Dict[str, str]) -> Optional[str]:
    """The version that a libucp or libfabric gives."""
    text = answer_once(
        [sys.executable, "-I", "-c", _ASK, library, which],
        5.0,
        environment,
        lambda _: rests_on(library),
    )
    return text.strip() or None if text else None


def probe_ucx(library: str, folder: str, environment: Dict[str, str], facts: Facts) -> None:
    """ucx_version, ucx_transports (seen on this host by ucx_info), ucx_modules (installed),
    ucx_shared_memory."""
    fact(facts, "ucx_version", ask(library, "ucx", environment), library)
    present = modules(library)
    if present is not None:
        fact(
            facts,
            "ucx_modules",
            " ".join(sorted(present)),
            os.path.join(os.path.dirname(library), "ucx"),
        )
    command = find("ucx_info", folder)
    pairs = (
        parse_ucx_devices(answer([command, "-d"], 10.0, environment) or "")
        if command
        else frozenset()
    )
    # Another ucx_info than that of this library would tell of another UCX.
    if (
        not command
        or not pairs
        or parse_ucx_version(answer([command, "-v"], 5.0, environment) or "")
        != facts["ucx_version"].value
    ):
        pairs = frozenset()
    names = frozenset(name for name, _ in pairs)
    if names:
        fact(facts, "ucx_transports", " ".join(sorted(names)), "ucx_info -d")
    shared, source = shares_memory(library, names)
    if shared is not None:
        fact(facts, "ucx_shared_memory", shared, source)


def probe_libfabric(library: str, folder: str, environment: Dict[str, str], facts: Facts) -> None:
    """ofi_version, ofi_providers (as fi_info lists them)."""
    fact(facts, "ofi_version", ask(library, "ofi", environment), library)
    command = find("fi_info", os.path.join(folder, "libfabric")) if folder else None
    command = command or find("fi_info", folder)
    names = parse_providers((answer([command, "-l"], 10.0, environment) if command else None) or "")
    if names:
        fact(facts, "ofi_providers", " ".join(sorted(names)), f"{command} -l")
