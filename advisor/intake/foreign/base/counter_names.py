"""Maps our counters to their names in PAPI, perf and getrusage, for profiles and traces of
Score-P."""

from __future__ import annotations

NAMES = {
    "PAPI_TOT_CYC": "cycles",
    "PAPI_TOT_INS": "instructions",
    "PAPI_MEM_SCY": "memory_stalls",
    "PAPI_RES_STL": "stalls",
    "PAPI_STL_ICY": "stalls",
    "PAPI_L3_TCM": "cache_misses",
    "PAPI_DP_OPS": "floating_point",
    "PAPI_FP_OPS": "floating_point",
    "cpu-cycles": "cycles",
    "instructions": "instructions",
    "cache-misses": "cache_misses",
    "ru_minflt": "page_faults",
    "ru_majflt": "page_faults",
    "ru_nvcsw": "voluntary_switches",
    "ru_nivcsw": "involuntary_switches",
    "ru_utime": "cpu_time",
    "ru_stime": "cpu_time",
}
"""What our own collector calls them (collectors/core/counting/counter_sources.c)."""
ALONE = ("cycles", "instructions", "cache_misses", "stalls", "floating_point")
"""Of several that go by one name, these are the same thing counted in several ways; the others are
parts of a sum."""
NANOSECONDS = 1e9
"""Of a second, in which Score-P gives CPU times."""
LONGEST = 80
"""Letters of a name that are kept."""


def our_name(name: str) -> str:
    """Our name of a counter, or its own."""
    return NAMES.get(name, name)[:LONGEST]
