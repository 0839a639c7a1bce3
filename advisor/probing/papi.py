"""Which counters PAPI has on this host, asked of PAPI itself, in a process of its own."""

from __future__ import annotations

import json
import sys
from typing import Sequence

from advisor.probing.commands import answer

PRESETS = {
    "cycles": "PAPI_TOT_CYC",
    "instructions": "PAPI_TOT_INS",
    "memory_stalls": "PAPI_MEM_SCY",
    "stalls": "PAPI_RES_STL",
    "cache_misses": "PAPI_L3_TCM",
    "floating_point": "PAPI_DP_OPS",
}
"""Our names of counters, as collectors/core/counting/counter_sources.c has them, and PAPI's."""
OURS = {preset: name for name, preset in PRESETS.items()}
USAGE = ("ru_utime", "ru_stime", "ru_minflt", "ru_majflt", "ru_nvcsw", "ru_nivcsw")
"""Of getrusage, which every host has."""
_TRY = """
import ctypes, ctypes.util, json, sys
papi = ctypes.CDLL(ctypes.util.find_library("papi") or "libpapi.so")
version = next((v for v in (0x07020000, 0x07010000, 0x07000000, 0x06000000, 0x05070000) if papi.PAPI_library_init(v) == v), None)
events = ctypes.c_int(-1)
made = version is not None and papi.PAPI_create_eventset(ctypes.byref(events)) == 0
print(json.dumps([n for n in sys.argv[1:] if made and papi.PAPI_add_named_event(events, n.encode()) == 0]))
"""
_SECONDS = 15.0


def names(counters: str) -> Sequence[str]:
    """What `--counters` asks for, as names of PAPI; "all": the usual set."""
    words = [word.strip() for word in counters.split(",") if word.strip()]
    if words == ["all"]:
        return tuple(PRESETS.values())
    return tuple(dict.fromkeys(PRESETS.get(word, word) for word in words if word not in USAGE))


def countable(wanted: Sequence[str]) -> Sequence[str]:
    """Those of the names that PAPI can count together here, in their order; none if it cannot be
    asked."""
    said = answer([sys.executable, "-I", "-c", _TRY, *wanted], _SECONDS)
    return tuple(json.loads(said)) if said and said.strip() else ()
