#!/usr/bin/env python3
"""Write the wrappers for the MPI library at hand.

Usage: generate.py CALLS_TXT PREPROCESSED_MPI_H FOLDER [traced]

CALLS_TXT is standard/calls.txt: what each call means. PREPROCESSED_MPI_H is what `mpicc -E` makes
of `#include <mpi.h>`: which calls this library has, and with which C types. Written to FOLDER:
real.h (pointers to the library's own functions), wrappers.c, operations.c (names and kinds by
number). A fourth word: wrappers that trace as well (traced.py).
"""

from __future__ import annotations

import hashlib
import re
import sys
from pathlib import Path
from typing import Dict, List, Tuple

import traced
from declared import Call, Parameter, Wrapper, declarations, read_calls, wrappers_of
from expressions import bytes_statement, handled_operation
from operation_tables import COLLECTIVE, operations, part

OPTIONAL = ("Session_init", "Session_finalize", "Type_size_x", "Dist_graph_neighbors_count")
HAND_WRITTEN = ("Pcontrol", "Session_init", "Session_finalize")
IN_FORTRAN = ("Testall", "Testany", "Testsome", "Waitall", "Waitany", "Waitsome")
"""Counted in Fortran as well (fortran_empty.c)."""


def value_of(parameter: Parameter) -> str:
    return "*" + parameter.name if parameter.is_pointer() else parameter.name


FREED = {
    "Comm_free": "communicator_freed(*comm);",
    "Comm_disconnect": "communicator_freed(*comm);",
    "Type_free": "datatype_freed(*datatype);",
    "Op_free": "operator_freed(*op);",
    "Win_free": "window_freed(*win);",
    "File_close": "file_closed(*fh);",
    "Request_free": "persistent_freed(*request);",
}
AFTER = {
    "Comm_idup": "communicator_duplicated(comm, *newcomm);",
    "Comm_idup_with_info": "communicator_duplicated(comm, *newcomm);",
    "Comm_set_name": "communicator_named(comm, comm_name);",
    "Type_commit": "datatype_committed(*datatype);",
    "Type_dup": "datatype_committed(*newtype);",
    "Op_create": "operator_created(*op, commute);",
    "Win_create": "window_created(*win, comm, WINDOW_CREATE, (int64_t)size, block->begin);",
    "Win_allocate": "window_created(*win, comm, WINDOW_ALLOCATE, (int64_t)size, block->begin);",
    "Win_allocate_shared": (
        "window_created(*win, comm, WINDOW_SHARED, (int64_t)size, block->begin);"
    ),
    "Win_create_dynamic": "window_created(*win, comm, WINDOW_DYNAMIC, 0, block->begin);",
    "Win_free": "window_over(block->last);",
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
    **dict.fromkeys(
        ("Waitsome", "Testsome"), ("incount", "array_of_requests", "*outcount, array_of_indices")
    ),
}
# When a call that asks has found nothing: its time is neither waiting nor that of what it would
# have found, so it is counted apart.
IN_VAIN = {
    **dict.fromkeys(
        (
            "Test",
            "Testall",
            "Testany",
            "Iprobe",
            "Improbe",
            "Request_get_status",
            "Request_get_status_all",
            "Request_get_status_any",
            "Win_test",
            "Parrived",
        ),
        "!*flag",
    ),
    **dict.fromkeys(("Testsome", "Request_get_status_some"), "*outcount == 0"),
}
# Epochs of one-sided communication between groups (epochs.h). A test that ends one did not wait.
EPOCHS = {
    "Win_post": "epoch_opened(block, %d, window, EPOCH_EXPOSURE, group);",
    "Win_start": "epoch_opened(block, %d, window, EPOCH_ACCESS, group);",
    "Win_wait": "epoch_closed(block, %d, window, EPOCH_EXPOSURE);",
    "Win_complete": "epoch_closed(block, %d, window, EPOCH_ACCESS);",
}
# Locks of one target, or of all (locks.h).
LOCKS = {
    "Win_lock": "lock_taken(block, %d, window, rank, lock_type == MPI_LOCK_SHARED);",
    "Win_unlock": "lock_given_back(block, %d, window, rank);",
    "Win_lock_all": "locks_taken(block, %d, window);",
    "Win_unlock_all": "locks_given_back(block, %d, window);",
    **dict.fromkeys(("Win_flush", "Win_flush_local"), "lock_flushed(block, %d, window, rank);"),
    **dict.fromkeys(("Win_flush_all", "Win_flush_local_all"), "locks_flushed(block, %d, window);"),
}
# Calls that tell from whom a message came, also if the program does not want to know.
TELLING = ("Recv", "Mprobe", "Improbe")


COPIES = ("Comm_dup", "Comm_dup_with_info")
"""Calls whose new communicator has the members of the one that they are given."""


def created(wrapper: Wrapper) -> List[str]:
    """Communicators that the call returns."""
    if (
        wrapper.call.name in AFTER
        or wrapper.call.name in FREED
        or wrapper.call.name == "Comm_get_parent"
    ):
        return []
    if wrapper.call.name in COPIES:
        return ["communicator_copied(comm, *newcomm, %d, block->last);" % wrapper.number]
    return [
        "communicator_created(*%s, %d, block->last);" % (p.name, wrapper.number)
        for p in wrapper.parameters
        if re.fullmatch(r"MPI_Comm ?\*", p.type)
    ]


def scope(wrapper: Wrapper) -> Tuple[str, str, str]:
    """(kind, expression of the communicator or file, peer parameter) of the call's place; kind ""
    without one."""
    place = wrapper.call.place
    if not place:
        return "", "", ""
    name = place[-1]
    parameter = next((p for p in wrapper.parameters if p.name == name), None)
    if parameter is None or parameter.is_pointer():
        return "", "", ""
    kind = wrapper.call.kinds.get(name, "comm")
    found = {"comm": "communicator_of(%s)", "window": "window_of(%s)", "file": "file_class(%s)"}[
        kind
    ] % name
    return kind, found, place[1] if place[0] == "peer" else ""


def message(wrapper: Wrapper, peer: str, sends: bool) -> List[str]:
    """The statements that count a message, a receive or a probe, `communicator` and `bytes` being
    known.

    Messages of persistent requests are numbered when these are started. Those of Isendrecv are
    numbered, but not sampled: two share a request."""
    name, number = wrapper.call.name, wrapper.number
    operation = str(number) if name.endswith("_init") else "operation"
    common = "block, %s, CALLER, communicator" % operation
    numbered = wrapper.call.group == "p2p" and not name.endswith("_init")
    request = ["sample_request(block, request);"] if numbered and name.startswith("I") else []
    if name in traced.EXCHANGES:
        # The status stays where the caller has put it: kept in a register for the rare case it
        # would cost every call some instructions.
        said = "CALLER, communicator, dest, bytes, source, status"
        return [
            '__asm__("" : "+m"(status));',
            "if (unlikely(unlikely(datatypes_have_gaps)"
            " ? call_count_exchanged_slow(block, %s, %s)"
            " : call_count_exchanged(block, %d, %s)))"
            % (handled_operation(wrapper, False), said, number, said),
            "    sample_exchanged(block, %d, communicator, dest, sendtag, bytes,"
            " received_from(source, status), recvtag);" % number,
        ]
    if "sendrecv" in name:
        return ["call_count_exchanged_slow(%s, dest, bytes, source, MPI_STATUS_IGNORE);" % common]
    if name in ("Mprobe", "Improbe"):
        return matched_probe(wrapper, common)
    if not numbered:
        return [
            "%s;"
            % ("call_count_sent(%s, %s, bytes)" if sends else "call_count_probed(%s, %s)")
            % (common, peer)
        ]
    if name == "Recv":
        return [
            "if (unlikely(source == MPI_ANY_SOURCE)) {",
            "    call_count_probed(%s, source);" % common,
            "    sample_received_any(block, %d, communicator, status);" % number,
            "} else if (unlikely(call_count_received(%s, source))) {" % common,
            "    sample_received(block, %d, communicator, source, tag);" % number,
            "}",
        ]
    way, sent = ("sent", ", bytes") if sends else ("received", "")
    posts = [
        "else if (unlikely(__atomic_load_n(&pending_remembers, __ATOMIC_RELAXED)))",
        "    pending_posted(block, communicator, %s, tag, *request, %s);"
        % (peer, "POSTED_SEND" if sends else "0"),
    ]
    return [
        "if (unlikely(call_count_%s(%s, %s%s)))" % (way, common, peer, sent),
        "    sample_%s(block, %d, communicator, %s, tag%s);" % (way, number, peer, sent),
        *(posts if request else ()),
        *request,
    ]


def matched_probe(wrapper: Wrapper, common: str) -> List[str]:
    """It takes a message out of the order, as a receive does. One that does not wait is not
    sampled."""
    waits = wrapper.call.name == "Mprobe"
    return [
        "call_count_probed(%s, source);" % common,
        "if (source != MPI_PROC_NULL)",
        "    sample_matched(block, %d, communicator, source, status, %d);"
        % (wrapper.number, waits),
    ]


def counting(wrapper: Wrapper) -> List[str]:
    """The statements that count a successful call."""
    common, found = "block, %d, CALLER" % wrapper.number, IN_VAIN.get(wrapper.call.name)
    reported = counting_what_it_did(wrapper, common)
    return (
        [
            "event_asks(block);",
            "if (%s) {" % found,
            "    call_count_in_vain(%s);" % common,
            "} else {",
            *("    " + line for line in reported),
            "}",
        ]
        if found
        else reported
    )


def counting_what_it_did(wrapper: Wrapper, common: str) -> List[str]:
    """The same, but for calls that asked and found nothing."""
    call, name = wrapper.call, wrapper.call.name
    kind, found, peer = scope(wrapper)
    makes = name.endswith("_init")
    if name in ("Start", "Startall"):
        return [
            "call_count_start(%s, %s);"
            % (common, "1, request" if name == "Start" else "count, array_of_requests")
        ]
    if kind in ("comm", "window") and (peer or call.group in COLLECTIVE):
        lines = ["struct communicator *communicator = %s;" % found]
        lines += bytes_statement(
            call.rule, call.kinds, {p.name: p.type for p in wrapper.parameters}
        )
        counted = "-1" if makes else "bytes"
        # An exchange asks once, where it has to choose between two ways to count.
        if name not in traced.EXCHANGES:
            lines.append(
                "const uint64_t operation = %s;"
                % handled_operation(wrapper, call.group in COLLECTIVE)
            )
        if peer:
            sends = int(call.group == "rma" or call.rule != "-")
            if makes:
                partitioned = name in ("Psend_init", "Precv_init")
                what = "OTHER" if partitioned else "SEND" if sends else "RECEIVE"
                lines.append(
                    "persistent_message(*request, communicator, %s, tag, %s, PERSISTENT_%s, operation);"
                    % (peer, "bytes" if sends else "-1", what)
                )
            return lines + message(wrapper, peer, sends and not makes)
        root = "root" if any(p.name == "root" for p in wrapper.parameters) else "NO_ROOT"
        if makes:
            lines.append(
                "persistent_collective(*request, operation, communicator, bytes, %s);" % root
            )
        return lines + [
            "call_count_collective(block, %s, CALLER, communicator, %s, %s);"
            % (
                wrapper.number if makes else "operation",
                counted,
                "MADE" if makes else root,
            )
        ]
    meets = EPOCHS.get(name) or LOCKS.get(name)
    if meets:
        return [
            "struct communicator *window = %s;" % found,
            "call_count(%s, window->class);" % common,
            meets % wrapper.number,
        ]
    # all members of the window come, except that one that opens an epoch only need not wait for
    # them
    if name == "Win_fence":
        return [
            "call_count_collective(%s, %s, -1, assert & MPI_MODE_NOPRECEDE ? MAY_LEAVE : NO_ROOT);"
            % (common, found)
        ]
    if kind == "file":
        lines = bytes_statement(call.rule, call.kinds, {p.name: p.type for p in wrapper.parameters})
        return lines + ["call_count_data(%s, %s, bytes);" % (common, found)]
    return ["call_count(%s, %s);" % (common, found + "->class" if found else "CLASS_NONE")]


def watching(wrapper: Wrapper) -> List[str]:
    """Before a call that may complete requests, or that tells from whom a message came."""
    name = wrapper.call.name
    if name in COMPLETES:
        status = next(p.name for p in wrapper.parameters if "status" in p.name)
        return [
            "    int watched = 0;",
            "    if (unlikely(__atomic_load_n(&pending_requests, __ATOMIC_RELAXED)) && (watched ="
            " pending_watch(%s, %s)))" % COMPLETES[name][:2],
            "        %s = any_source_statuses(%s);" % (status, status),
        ]
    if name in TELLING:
        return [
            "    MPI_Status own;",
            "    if (unlikely(source == MPI_ANY_SOURCE) && status == MPI_STATUS_IGNORE)",
            "        status = &own;",
        ]
    return []


def timed_call(wrapper: Wrapper, passed: str, tracing: bool) -> List[str]:
    """The library's call between two readings of the clock; one that fails is counted and nothing
    else."""
    return [
        "    event_begin(block);",
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
        "    if (unlikely(!block)) {",
        "        if (!(block = call_begin_slow(CALLER)))",
        "            return real.%s(%s);" % (wrapper.symbol, passed),
        "    } else {",
        "        current = NULL;",
        "    }",
    ]
    lines += ["    " + line for line in traced.before(wrapper)] if tracing else []
    lines += watching(wrapper) + timed_call(wrapper, passed, tracing)
    lines += ["    " + line for line in after + counting(wrapper)]
    if name in COMPLETES:
        lines += [
            "    if (unlikely(watched))",
            "        pending_done(block, %d, %s, %s);" % (wrapper.number, *COMPLETES[name][1:]),
            "    else if (unlikely(event_is_long(block)))",
            "        __atomic_store_n(&pending_remembers, 1, __ATOMIC_RELAXED);",
        ]
    if "PART_STARTS" in part(wrapper.call) and wrapper.call.group in COLLECTIVE:
        lines.append("    sample_request(block, request);")
    lines += ["    " + line for line in traced.after(wrapper)] if tracing else []
    lines += ["    return MPI_SUCCESS;", "}"]
    lines.append(
        'EXPORT __typeof__(MPI_%s) PMPI_%s __attribute__((alias("MPI_%s")));'
        % ((wrapper.symbol,) * 3)
    )
    return "\n".join(lines) + "\n"


def real_header(declared: Dict[str, Tuple[Parameter, ...]], calls: Dict[str, Call]) -> str:
    """Pointers to every function that the header declares, so that hand-written code has them
    too."""
    pointers = "".join("    __typeof__(&MPI_%s) %s;\n" % (name, name) for name in sorted(declared))
    missing = "".join("    int (*%s)();\n" % name for name in OPTIONAL if name not in declared)
    return (
        "#ifndef ADVISOR_REAL_H\n#define ADVISOR_REAL_H\n/* Made by generate.py. NULL: the library"
        " has no such function. */\nstruct real {\n%s    __typeof__(&MPI_Pcontrol)"
        ' Pcontrol;\n%s};\nextern struct real real __attribute__((visibility("hidden")));\nextern'
        " const char real_names[];   /* one after the other */\nextern const unsigned"
        " real_count;\n%s%s#endif\n"
        % (
            pointers,
            missing,
            operation_numbers(calls),
            "#define HAS_SESSIONS 1\n" if "Session_init" in declared else "",
        )
    )


def real_names(declared: Dict[str, Tuple[Parameter, ...]]) -> str:
    names = sorted(declared) + ["Pcontrol"] + [name for name in OPTIONAL if name not in declared]
    quoted = "\n".join('    "PMPI_%s\\0"' % name for name in names)
    return (
        "const char real_names[] =   /* not pointers: the image is part of what each rank pays"
        " */\n%s;\nconst unsigned real_count = %d;\n" % (quoted, len(names))
    )


def operation_numbers(calls: Dict[str, Call]) -> str:
    """Numbers that hand-written wrappers need."""
    numbers = {name: number for number, name in enumerate(sorted(calls), 1)}
    return "enum { %s };\n" % ", ".join(
        "OPERATION_%s = %d" % (name.upper(), numbers[name]) for name in HAND_WRITTEN + IN_FORTRAN
    )


def main() -> int:
    calls = read_calls(Path(sys.argv[1]))
    header = Path(sys.argv[2]).read_text(encoding="utf-8", errors="replace")
    folder = Path(sys.argv[3])
    declared = declarations(header)
    wrappers = wrappers_of(calls, declared)
    if len(wrappers) < 200:
        sys.stderr.write("generate.py: only %d MPI functions were found in mpi.h\n" % len(wrappers))
        return 1
    body = (
        '/* Made by generate.py. */\n#include "calls.h"\n#include "persistent.h"\n#include'
        ' "windows.h"\n#include "epochs.h"\n#include "locks.h"\n#include "any_source.h"\n#include'
        ' "files.h"\n#include "blocks.h"\n#include "messages.h"\n#include "tracing.h"\n\n'
    )
    body += "\n".join(definition(wrapper, len(sys.argv) > 4) for wrapper in wrappers)
    mark = hashlib.sha256((body + real_names(declared)).encode("utf-8")).hexdigest()[:16]
    (folder / "real.h").write_text(real_header(declared, calls), encoding="utf-8")
    (folder / "wrappers.c").write_text(body, encoding="utf-8")
    (folder / "names.c").write_text(
        '#include "library.h"\n' + real_names(declared), encoding="utf-8"
    )
    (folder / "operations.c").write_text(operations(calls, mark), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
