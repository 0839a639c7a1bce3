#!/usr/bin/env python3
"""Write the wrappers for the MPI library at hand.

Usage: generate.py CALLS_TXT PREPROCESSED_MPI_H FOLDER [traced]

CALLS_TXT is standard/calls.txt: what each call means. PREPROCESSED_MPI_H is what `mpicc -E` makes of
`#include <mpi.h>`: which calls this library has, and with which C types. Written to FOLDER: real.h (pointers to the
library's own functions), wrappers.c, operations.c (names and groups by number). A fourth word: wrappers that trace as well (traced.py).
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional, Tuple

import traced
from expressions import bytes_statement


class Call(NamedTuple):
    """One line of calls.txt. `kinds`: parameter to kind, in order."""

    name: str
    group: str
    rule: str
    place: Tuple[str, ...]
    kinds: Dict[str, str]


class Parameter(NamedTuple):
    """C declaration in two halves: `const int` name `[]`."""

    type: str
    name: str
    suffix: str

    def declared(self) -> str:
        return "%s%s%s%s" % (self.type, "" if self.type.endswith("*") else " ", self.name, self.suffix)

    def is_pointer(self) -> bool:
        return "*" in self.type or bool(self.suffix)


class Wrapper(NamedTuple):
    """A call as this library declares it. `symbol`: the name without MPI_, perhaps with _c."""

    call: Call
    symbol: str
    number: int
    parameters: Tuple[Parameter, ...]


def read_calls(path: Path) -> Dict[str, Call]:
    calls = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        name, group, rule, place, words = (field.strip() for field in line.split("|"))
        kinds = dict(word.split("=") for word in words.split())
        calls[name] = Call(name, group, rule, tuple(place.split()) if place != "-" else (), kinds)
    return calls


def closing(text: str, start: int) -> int:
    """The index after the bracket that closes the one before `start`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(text[start], 0)
        start += 1
    return start


def parse_parameter(text: str) -> Optional[Parameter]:
    match = re.fullmatch(r"(.*?[\s*])(\w+)\s*((?:\[[^\]]*\]\s*)*)", text.strip(), re.S)
    if not match:
        return None
    return Parameter(" ".join(match.group(1).split()), match.group(2), match.group(3).strip())


def declarations(text: str) -> Dict[str, Tuple[Parameter, ...]]:
    """Every `int MPI_x(...)` of the header: name to parameters. Those that cannot be read are left out.

    Not PMPI_x: Open MPI's header lacks one of them, MPICH's has some without names of parameters."""
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    found = {}
    for match in re.finditer(r"\bint\s+MPI_(\w+)\s*\(", text):
        body = text[match.end():closing(text, match.end()) - 1].strip()
        words = [] if body in ("", "void") else body.split(",")
        parameters = [parse_parameter(word) for word in words]
        if all(parameters):
            found[match.group(1)] = tuple(parameters)
    return found


def base_name(symbol: str, calls: Dict[str, Call]) -> str:
    return symbol[:-2] if symbol.endswith("_c") and symbol not in calls else symbol


def with_standard_names(call: Call, parameters: Tuple[Parameter, ...]) -> Tuple[Parameter, ...]:
    """Headers name parameters as they like; where the number agrees, the standard's names hold."""
    if len(call.kinds) != len(parameters):
        return parameters
    return tuple(p._replace(name=name) for p, name in zip(parameters, call.kinds))


def wrappers_of(calls: Dict[str, Call], declared: Dict[str, Tuple[Parameter, ...]]) -> List[Wrapper]:
    numbers = {name: number for number, name in enumerate(sorted(calls), 1)}
    wrappers = []
    for symbol in sorted(declared):
        call = calls.get(base_name(symbol, calls))
        if call and call.group != "never":
            wrappers.append(Wrapper(call, symbol, numbers[call.name], with_standard_names(call, declared[symbol])))
    return wrappers


def value_of(parameter: Parameter) -> str:
    return "*" + parameter.name if parameter.is_pointer() else parameter.name


FREED = {
    "Comm_free": "communicator_freed(*comm);", "Comm_disconnect": "communicator_freed(*comm);",
    "Type_free": "datatype_freed(*datatype);", "Win_free": "window_freed(*win);", "File_close": "file_closed(*fh);",
    "Request_free": "persistent_freed(*request);",
}
AFTER = {
    "Comm_idup": "communicator_duplicated(comm, *newcomm);",
    "Comm_idup_with_info": "communicator_duplicated(comm, *newcomm);",
    "Comm_set_name": "communicator_named(comm, comm_name);",
    "Win_create": "window_created(*win, comm, WINDOW_CREATE, (int64_t)size);",
    "Win_allocate": "window_created(*win, comm, WINDOW_ALLOCATE, (int64_t)size);",
    "Win_allocate_shared": "window_created(*win, comm, WINDOW_SHARED, (int64_t)size);",
    "Win_create_dynamic": "window_created(*win, comm, WINDOW_DYNAMIC, 0);",
    "File_open": "file_opened(*fh, comm);",
    "Cancel": "sampling_stop_all_messages(UNSAMPLED_CANCELLED);",
}
# How many requests a call may complete, where they are, how many it has completed, and which.
COMPLETES = {
    "Wait": ("1", "request", "EVERY, NULL"),
    "Test": ("1", "request", "*flag ? EVERY : 0, NULL"),
    "Waitall": ("count", "array_of_requests", "EVERY, NULL"),
    "Testall": ("count", "array_of_requests", "*flag ? EVERY : 0, NULL"),
    "Waitany": ("count", "array_of_requests", "1, index"),
    "Testany": ("count", "array_of_requests", "*flag ? 1 : 0, index"),
    **dict.fromkeys(("Waitsome", "Testsome"), ("incount", "array_of_requests", "*outcount, array_of_indices")),
}
# When a call that asks has found nothing: its time is neither waiting nor that of what it would have found, so it is counted apart.
IN_VAIN = {
    **dict.fromkeys(("Test", "Testall", "Testany", "Iprobe", "Improbe", "Request_get_status", "Request_get_status_all", "Request_get_status_any", "Win_test", "Parrived"), "!*flag"),
    **dict.fromkeys(("Testsome", "Request_get_status_some"), "*outcount == 0"),
}
# Epochs of one-sided communication between groups (epochs.h). A test that ends one did not wait.
EPOCHS = {
    "Win_post": "epoch_opened(block, %d, window, EPOCH_EXPOSURE, group);", "Win_start": "epoch_opened(block, %d, window, EPOCH_ACCESS, group);",
    "Win_wait": "epoch_closed(block, %d, window, EPOCH_EXPOSURE);", "Win_complete": "epoch_closed(block, %d, window, EPOCH_ACCESS);",
}
# Calls that tell from whom a message came, also if the program does not want to know.
TELLING = ("Recv", "Mprobe", "Improbe")
COLLECTIVE = ("collective", "sync", "nonblocking_collective")


def created(wrapper: Wrapper) -> List[str]:
    """Communicators that the call returns."""
    if wrapper.call.name in AFTER or wrapper.call.name in FREED or wrapper.call.name == "Comm_get_parent":
        return []
    return ["communicator_created(*%s, %d, block->last);" % (p.name, wrapper.number) for p in wrapper.parameters if re.fullmatch(r"MPI_Comm ?\*", p.type)]


def scope(wrapper: Wrapper) -> Tuple[str, str, str]:
    """(kind, expression of the communicator or file, peer parameter) of the call's place; kind "" without one."""
    place = wrapper.call.place
    if not place:
        return "", "", ""
    name = place[-1]
    parameter = next((p for p in wrapper.parameters if p.name == name), None)
    if parameter is None or parameter.is_pointer():
        return "", "", ""
    kind = wrapper.call.kinds.get(name, "comm")
    found = {"comm": "communicator_of(%s)", "window": "window_of(%s)", "file": "file_class(%s)"}[kind] % name
    return kind, found, place[1] if place[0] == "peer" else ""


def message(wrapper: Wrapper, peer: str, sends: bool) -> List[str]:
    """The statements that count a message, a receive or a probe, `communicator` and `bytes` being known.

    Messages of persistent requests are numbered when these are started. Those of Isendrecv are numbered, but not sampled: two share a request."""
    name, number = wrapper.call.name, wrapper.number
    common = "block, %d, CALLER, communicator" % number
    numbered = wrapper.call.group == "p2p" and not name.endswith("_init")
    request = ["sample_request(block, request);"] if numbered and name.startswith("I") else []
    if name in ("Sendrecv", "Sendrecv_replace"):
        # The status stays where the caller has put it: kept in a register for the rare case it would cost every call some instructions.
        return ["__asm__(\"\" : \"+m\"(status));", "if (unlikely(call_count_exchanged(%s, dest, bytes, source, status)))" % common,
                "    sample_exchanged(block, %d, communicator, dest, sendtag, bytes, received_from(source, status), recvtag);" % number]
    if "sendrecv" in name:
        return ["call_count_exchanged_slow(%s, dest, bytes, source, MPI_STATUS_IGNORE);" % common]
    if name in ("Mprobe", "Improbe"):
        return matched_probe(wrapper, common)
    if not numbered:
        return ["%s;" % ("call_count_sent(%s, %s, bytes)" if sends else "call_count_probed(%s, %s)") % (common, peer)]
    if name == "Recv":
        return ["if (unlikely(source == MPI_ANY_SOURCE)) {", "    call_count_probed(%s, source);" % common,
                "    sample_received_any(block, %d, communicator, status);" % number,
                "} else if (unlikely(call_count_received(%s, source))) {" % common,
                "    sample_received(block, %d, communicator, source, tag);" % number, "}"]
    if sends:
        return ["if (unlikely(call_count_sent(%s, %s, bytes)))" % (common, peer),
                "    sample_sent(block, %d, communicator, %s, tag, bytes);" % (number, peer)] + request
    return ["if (unlikely(call_count_received(%s, %s)))" % (common, peer),
            "    sample_received(block, %d, communicator, %s, tag);" % (number, peer)] + request


def matched_probe(wrapper: Wrapper, common: str) -> List[str]:
    """It takes a message out of the order, as a receive does. One that does not wait is not sampled."""
    waits = wrapper.call.name == "Mprobe"
    return ["call_count_probed(%s, source);" % common,
            "if (source != MPI_PROC_NULL)",
            "    sample_matched(block, %d, communicator, source, status, %d);" % (wrapper.number, waits)]


def counting(wrapper: Wrapper) -> List[str]:
    """The statements that count a successful call."""
    common, found = "block, %d, CALLER" % wrapper.number, IN_VAIN.get(wrapper.call.name)
    told = counting_what_it_did(wrapper, common)
    return ["if (%s) {" % found, "    call_count(%s, CLASS_NOTHING);" % common, "} else {", *("    " + line for line in told), "}"] if found else told


def counting_what_it_did(wrapper: Wrapper, common: str) -> List[str]:
    """The same, but for calls that asked and found nothing."""
    call, name = wrapper.call, wrapper.call.name
    kind, found, peer = scope(wrapper)
    makes = name.endswith("_init")
    if name in ("Start", "Startall"):
        return ["call_count_start(%s, %s);" % (common, "1, request" if name == "Start" else "count, array_of_requests")]
    if kind in ("comm", "window") and (peer or call.group in COLLECTIVE):
        lines = ["struct communicator *communicator = %s;" % found]
        lines += bytes_statement(call.rule, call.kinds, {p.name: p.type for p in wrapper.parameters})
        counted = "-1" if makes else "bytes"
        if peer:
            sends = int(call.group == "rma" or call.rule != "-")
            if makes:
                partitioned = name in ("Psend_init", "Precv_init")
                what = "OTHER" if partitioned else "SEND" if sends else "RECEIVE"
                lines.append("persistent_message(*request, communicator, %s, tag, %s, PERSISTENT_%s);" % (peer, "bytes" if sends else "-1", what))
            return lines + message(wrapper, peer, sends and not makes)
        root = "root" if any(p.name == "root" for p in wrapper.parameters) else "NO_ROOT"
        if makes:
            lines.append("persistent_collective(*request, %d, communicator, bytes, %s);" % (wrapper.number, root))
        return lines + ["call_count_collective(%s, communicator, %s, %s);" % (common, counted, "MADE" if makes else root)]
    if name in EPOCHS:
        return ["struct communicator *window = %s;" % found, "call_count(%s, window->class);" % common, EPOCHS[name] % wrapper.number]
    if name == "Win_fence":   # all members of the window come, except that one that opens an epoch only need not wait for them
        return ["call_count_collective(%s, %s, -1, assert & MPI_MODE_NOPRECEDE ? MAY_LEAVE : NO_ROOT);" % (common, found)]
    if kind == "file":
        lines = bytes_statement(call.rule, call.kinds, {p.name: p.type for p in wrapper.parameters})
        return lines + ["call_count_data(%s, %s, bytes);" % (common, found)]
    return ["call_count(%s, %s);" % (common, found + "->class" if found else "CLASS_NONE")]


def watching(wrapper: Wrapper) -> List[str]:
    """Before a call that may complete requests, or that tells from whom a message came."""
    name = wrapper.call.name
    if name in COMPLETES:
        status = next(p.name for p in wrapper.parameters if "status" in p.name)
        return ["    int watched = 0;", "    if (unlikely(__atomic_load_n(&pending_requests, __ATOMIC_RELAXED)) && (watched = pending_watch(%s, %s)))" % COMPLETES[name][:2],
                "        %s = anybody_statuses(%s);" % (status, status)]
    if name in TELLING:
        return ["    MPI_Status own;", "    if (unlikely(source == MPI_ANY_SOURCE) && status == MPI_STATUS_IGNORE)", "        status = &own;"]
    return []


def timed_call(wrapper: Wrapper, passed: str, tracing: bool) -> List[str]:
    """The library's call between two readings of the clock; one that fails is counted and nothing else."""
    return [
        "    block->previous = block->last;",
        "    block->begin = clock_ticks();",
        "    int outcome = real.%s(%s);" % (wrapper.symbol, passed),
        "    block->last = clock_ticks();",
        "    if (unlikely(outcome != MPI_SUCCESS)) {",
        "        call_count(block, %d, CALLER, CLASS_NONE);" % wrapper.number,
        *(["        trace_call(block, %d, CALLER);" % wrapper.number] if tracing else []),
        "        return outcome;",
        "    }",
    ]


def definition(wrapper: Wrapper, tracing: bool) -> str:
    """The C text of one wrapper."""
    declared = ", ".join(p.declared() for p in wrapper.parameters) or "void"
    passed = ", ".join(p.name for p in wrapper.parameters)
    name = wrapper.call.name
    after = created(wrapper) + ([AFTER[name]] if name in AFTER else [])
    lines = ["EXPORT int MPI_%s(%s)" % (wrapper.symbol, declared), "{"]
    lines += ["    " + FREED[name]] if name in FREED else []
    lines += [
        "    struct block *block = current;",
        "    if (unlikely(!block) && !(block = call_begin_slow(CALLER)))",
        "        return real.%s(%s);" % (wrapper.symbol, passed),
        "    current = NULL;",
    ]
    lines += ["    " + line for line in traced.before(wrapper)] if tracing else []
    lines += watching(wrapper) + timed_call(wrapper, passed, tracing)
    lines += ["    " + line for line in after + counting(wrapper)]
    if name in COMPLETES:
        lines += ["    if (unlikely(watched))", "        pending_done(block, %d, %s, %s);" % (wrapper.number, *COMPLETES[name][1:])]
    if "PART_STARTS" in part(wrapper.call) and wrapper.call.group in COLLECTIVE:
        lines.append("    sample_request(block, request);")
    lines += ["    " + line for line in traced.after(wrapper)] if tracing else []
    lines += ["    return MPI_SUCCESS;", "}"]
    lines.append('EXPORT __typeof__(MPI_%s) PMPI_%s __attribute__((alias("MPI_%s")));' % ((wrapper.symbol,) * 3))
    return "\n".join(lines) + "\n"


def real_header(declared: Dict[str, Tuple[Parameter, ...]], calls: Dict[str, Call]) -> str:
    """Pointers to every function that the header declares, so that hand-written code has them too."""
    pointers = "".join("    __typeof__(&MPI_%s) %s;\n" % (name, name) for name in sorted(declared))
    missing = "".join(
        "    int (*%s)();\n" % name for name in OPTIONAL
        if name not in declared)
    return ("#ifndef ADVISOR_REAL_H\n#define ADVISOR_REAL_H\n/* Made by generate.py. NULL: the library has no such function. */\n"
            "struct real {\n%s    __typeof__(&MPI_Pcontrol) Pcontrol;\n%s};\nextern struct real real __attribute__((visibility(\"hidden\")));\nextern const char *const real_names[];\n"
            "extern const unsigned real_count;\n%s%s#endif\n"
            % (pointers, missing, operation_numbers(calls), "#define HAS_SESSIONS 1\n" if "Session_init" in declared else ""))


def real_names(declared: Dict[str, Tuple[Parameter, ...]]) -> str:
    names = sorted(declared) + ["Pcontrol"] + [
        name for name in OPTIONAL if name not in declared]
    quoted = "".join('    "PMPI_%s",\n' % name for name in names)
    return "const char *const real_names[] = {\n%s};\nconst unsigned real_count = %d;\n" % (quoted, len(names))


OPTIONAL = ("Session_init", "Session_finalize", "Type_size_x", "Dist_graph_neighbors_count")
HAND_WRITTEN = ("Pcontrol", "Session_init", "Session_finalize")


def operation_numbers(calls: Dict[str, Call]) -> str:
    """Numbers that hand-written wrappers need."""
    numbers = {name: number for number, name in enumerate(sorted(calls), 1)}
    return "enum { %s };\n" % ", ".join("OPERATION_%s = %d" % (name.upper(), numbers[name]) for name in HAND_WRITTEN)


KINDS = {
    **dict.fromkeys(("collective", "sync", "nonblocking_collective"), "KIND_COLLECTIVE"), "p2p": "KIND_MESSAGES",
    **dict.fromkeys(("completion", "probe"), "KIND_COMPLETION"), **dict.fromkeys(("rma", "rma_sync"), "KIND_ONESIDED"), "io": "KIND_IO",
}
"""What a slice of time tells apart (core/phases.h)."""
FROM_ROOT = ("Bcast", "Scatter", "Scatterv")
TO_ROOT = ("Reduce", "Gather", "Gatherv")
PREFIX = ("Scan", "Exscan")
VARYING = ("Allgatherv", "Alltoallv", "Alltoallw", "Gatherv", "Scatterv", "Reduce_scatter")


def part(call: Call) -> str:
    """Who waits for whom in this operation (METRICS 3.3), for core/operations.h; of one that makes a persistent request, when it is started.

    Neighbours that are waited for elsewhere than in the call are not sampled: their samples are several, and a request has one."""
    name = call.name
    starts = call.group == "nonblocking_collective" or name == "Ibarrier"
    if starts:
        name = name[1].upper() + name[2:]
    if name == "Win_fence":
        return "PART_ALL"
    if call.group not in COLLECTIVE and not starts:
        return "PART_STARTS" if call.group == "p2p" and name.startswith(("I", "Start")) else "PART_NONE"
    if name.startswith("Neighbor_"):
        return "PART_NONE" if starts or name.endswith("_init") else "PART_NEIGHBOURS"
    if name.endswith("_init"):
        name, starts = name[:-len("_init")], True
    who = "FROM_ROOT" if name in FROM_ROOT else "TO_ROOT" if name in TO_ROOT else "PREFIX" if name in PREFIX else "ALL"
    return "PART_%s%s%s" % (who, " | PART_STARTS" if starts else "", " | PART_VARIES" if name in VARYING else "")


def operations(calls: Dict[str, Call], mark: str) -> str:
    ordered = [calls[name] for name in sorted(calls)]
    lines = ["/* Made by generate.py. */", '#include "operations.h"', '#include "phases.h"', "const char *const operation_names[] = {", '    "(folded)",']
    lines += ['    "%s",' % call.name for call in ordered]
    lines += ["};", "const char *const operation_groups[] = {", '    "management",']
    lines += ['    "%s",' % call.group for call in ordered]
    lines += ["};", "const unsigned char operation_kinds[] = {", "    KIND_OTHER,"]
    lines += ["    %s," % KINDS.get(call.group, "KIND_OTHER") for call in ordered]
    lines += ["};", "const unsigned char operation_parts[] = {", "    PART_NONE,"]
    lines += ["    %s," % part(call) for call in ordered]
    lines += ["};", "const unsigned operation_count = %d;" % (len(ordered) + 1), 'const char collector_build[] = "%s";' % mark]
    return "\n".join(lines) + "\n"


def main() -> int:
    calls = read_calls(Path(sys.argv[1]))
    header = Path(sys.argv[2]).read_text(encoding="utf-8", errors="replace")
    folder = Path(sys.argv[3])
    declared = declarations(header)
    wrappers = wrappers_of(calls, declared)
    if len(wrappers) < 200:
        sys.stderr.write("generate.py: only %d MPI functions were found in mpi.h\n" % len(wrappers))
        return 1
    body = "/* Made by generate.py. */\n#include \"calls.h\"\n#include \"requests.h\"\n#include \"windows.h\"\n#include \"epochs.h\"\n#include \"anybody.h\"\n#include \"blocks.h\"\n#include \"messages.h\"\n#include \"tracing.h\"\n\n"
    body += "\n".join(definition(wrapper, len(sys.argv) > 4) for wrapper in wrappers)
    mark = hashlib.sha256((body + real_names(declared)).encode("utf-8")).hexdigest()[:16]
    (folder / "real.h").write_text(real_header(declared, calls), encoding="utf-8")
    (folder / "wrappers.c").write_text(body, encoding="utf-8")
    (folder / "names.c").write_text('#include "library.h"\n' + real_names(declared), encoding="utf-8")
    (folder / "operations.c").write_text(operations(calls, mark), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
