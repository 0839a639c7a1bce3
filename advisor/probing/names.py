"""Names of the settings that the installed libraries know, as they spell them themselves: so that a
misspelt one is seen."""

from __future__ import annotations

import mmap
import os
import re
import sys
from typing import Dict, FrozenSet, Iterable, List, Optional

from advisor.probing.binary import rests_on
from advisor.probing.commands import answer_once

# In a process of its own: a library loaded here would stay, and could end us.
_ASK_UCX = """
import ctypes, os, sys
path, everywhere = sys.argv[1], ctypes.RTLD_GLOBAL
ucs, uct = (ctypes.CDLL(path.replace("libucp", name), mode=everywhere) for name in ("libucs", "libuct"))
components, count = ctypes.c_void_p(), ctypes.c_uint()
ctypes.CDLL(path, mode=everywhere)
uct.uct_query_components(ctypes.byref(components), ctypes.byref(count))  # loads the modules, which have variables of their own
out = ctypes.c_void_p.in_dll(ctypes.CDLL(None), "stdout")
known = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(ucs, "ucs_config_global_list")))
ucs.ucs_config_parser_print_all_opts(out, b"UCX_", 1, known, None)
ctypes.CDLL(None).fflush(None)
"""
_ASK_OFI = """
import ctypes, sys
class Parameter(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_int), ("help", ctypes.c_char_p), ("value", ctypes.c_char_p)]
found, count = ctypes.POINTER(Parameter)(), ctypes.c_int()
if ctypes.CDLL(sys.argv[1]).fi_getparams(ctypes.byref(found), ctypes.byref(count)) == 0:
    print(*(found[number].name.decode() for number in range(count.value)), sep="\\n")
"""
_INTERPRETER = (sys.executable, "-I", "-c")
LONGEST = 100


def parse_ucx(text: str) -> FrozenSet[str]:
    """From the lines NAME=value of UCX's own listing, the one that `ucx_info -c` prints."""
    return frozenset(re.findall(r"^(UCX_[A-Z0-9_]{2,100})=", text, re.MULTILINE))


def parse_ofi(text: str) -> FrozenSet[str]:
    """From names, one a line."""
    return frozenset(re.findall(r"^(FI_[A-Z0-9_]{2,100})$", text, re.MULTILINE))


def parse_prte(text: str) -> FrozenSet[str]:
    """From `prte_info --all`: names in quotes in front of their values; second names stand behind
    "synonym"."""
    flat = re.sub(r"\s+", " ", text)
    second = " ".join(re.findall(r"synonyms?(?: of)?: ([\w, ]{2,1000})", flat))
    return frozenset(re.findall(r'"(\w{2,100})" \(current value', flat)) | frozenset(
        re.findall(r"\w{2,100}", second)
    )


def ucx_names(library: str, environment: Dict[str, str]) -> FrozenSet[str]:
    """Variables of the UCX whose libucp this is, with those of the transports installed beside it;
    empty if it cannot be asked."""
    return parse_ucx(
        answer_once(
            [*_INTERPRETER, _ASK_UCX, library], 10.0, environment, lambda _: _rests_on(library)
        )
        or ""
    )


def ofi_names(library: str, environment: Dict[str, str]) -> FrozenSet[str]:
    """Variables of this libfabric and of the providers that it finds; empty if it cannot be
    asked."""
    return parse_ofi(
        answer_once(
            [*_INTERPRETER, _ASK_OFI, library], 10.0, environment, lambda _: _rests_on(library)
        )
        or ""
    )


def _rests_on(library: str) -> Optional[List[str]]:
    """UCX and libfabric open what lies in these folders beside them. A provider that a variable
    names elsewhere is in the question."""
    beside = os.path.dirname(os.path.realpath(library))
    own = rests_on(
        library,
        os.path.join(beside, "ucx"),
        os.path.join(beside, "libfabric"),
        os.path.join(beside, "prov"),
    )
    return own and [*own, sys.executable]


def prte_names(command: str, environment: Dict[str, str]) -> FrozenSet[str]:
    """Parameters of PRRTE, Open MPI's launcher from version 5 on. `command`: its prte_info."""
    # A moved installation, such as a Python package, finds its own files only if it is told where
    # it is.
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(command)))
    places = {"PRTE_PREFIX": prefix, "PMIX_PREFIX": prefix, "OPAL_PREFIX": prefix}
    return parse_prte(answer_once([command, "--all"], 10.0, {**places, **environment}) or "")


def spelled(path: str, prefixes: Iterable[str]) -> FrozenSet[str]:
    """Names with these beginnings that stand in a file as whole words. For libraries that list
    nothing: what they never spell they never read."""
    beginnings = b"|".join(re.escape(prefix.encode()) for prefix in prefixes)
    pattern = re.compile(
        rb"(?<![A-Za-z0-9_])(?:%s)[A-Z0-9_]{2,%d}(?![A-Za-z0-9_%%])" % (beginnings, LONGEST)
    )
    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return frozenset(name.decode() for name in pattern.findall(data))
    except (OSError, ValueError):
        return frozenset()
