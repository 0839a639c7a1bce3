"""Operations by number: name, kind and who waits for whom, as C (operations.c, read through
core/operations.h)."""

from __future__ import annotations

from typing import Dict

from declared import Call

COLLECTIVE = ("collective", "sync", "nonblocking_collective")
KINDS = {
    **dict.fromkeys(("collective", "sync", "nonblocking_collective"), "KIND_COLLECTIVE"),
    "p2p": "KIND_MESSAGES",
    **dict.fromkeys(("completion", "probe"), "KIND_COMPLETION"),
    **dict.fromkeys(("rma", "rma_sync"), "KIND_ONESIDED"),
    "io": "KIND_IO",
}
"""What a slice of time tells apart (core/phases.h)."""
FROM_ROOT = ("Bcast", "Scatter", "Scatterv")
TO_ROOT = ("Reduce", "Gather", "Gatherv")
PREFIX = ("Scan", "Exscan")
VARYING = ("Allgatherv", "Alltoallv", "Alltoallw", "Gatherv", "Scatterv", "Reduce_scatter")


def part(call: Call) -> str:
    """Who waits for whom in this operation (METRICS 3.3), for core/operations.h; of one that makes
    a persistent request, when it is started.

    Neighbours that are waited for elsewhere than in the call are not sampled: their samples are
    several, and a request has one."""
    name = call.name
    starts = call.group == "nonblocking_collective" or name == "Ibarrier"
    if starts:
        name = name[1].upper() + name[2:]
    if name == "Win_fence":
        return "PART_ALL"
    if call.group not in COLLECTIVE and not starts:
        return (
            "PART_STARTS"
            if call.group == "p2p" and name.startswith(("I", "Start"))
            else "PART_NONE"
        )
    if name.startswith("Neighbor_"):
        return "PART_NONE" if starts or name.endswith("_init") else "PART_NEIGHBOURS"
    if name.endswith("_init"):
        name, starts = name[: -len("_init")], True
    who = (
        "FROM_ROOT"
        if name in FROM_ROOT
        else "TO_ROOT"
        if name in TO_ROOT
        else "PREFIX"
        if name in PREFIX
        else "ALL"
    )
    return "PART_%s%s%s" % (
        who,
        " | PART_STARTS" if starts else "",
        " | PART_VARIES" if name in VARYING else "",
    )


def operations(calls: Dict[str, Call], mark: str) -> str:
    ordered = [calls[name] for name in sorted(calls)]
    lines = [
        "/* Made by generate.py. */",
        '#include "operations.h"',
        '#include "phases.h"',
        "const char *const operation_names[] = {",
        '    "(overflowed)",',
    ]
    lines += ['    "%s",' % call.name for call in ordered]
    lines += ["};", "const unsigned char operation_kinds[] = {", "    KIND_OTHER,"]
    lines += ["    %s," % KINDS.get(call.group, "KIND_OTHER") for call in ordered]
    lines += ["};", "const unsigned char operation_parts[] = {", "    PART_NONE,"]
    lines += ["    %s," % part(call) for call in ordered]
    lines += [
        "};",
        "const unsigned operation_count = %d;" % (len(ordered) + 1),
        'const char collector_build[] = "%s";' % mark,
    ]
    return "\n".join(lines) + "\n"
