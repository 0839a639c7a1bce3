"""What a wrapper that traces says of its call (collectors/tracing/tracing.h), beside counting
it."""

from __future__ import annotations

import re
from typing import List

# (requests given, statement afterwards). A status that the program does not want is asked for all
# the same: who sent, and how much.
COMPLETED = {
    "Wait": ("1, request", "trace_completed(block, 0, status);"),
    "Test": ("1, request", "if (*flag) trace_completed(block, 0, status);"),
    "Waitany": ("count, array_of_requests", "trace_completed(block, *index, status);"),
    "Testany": ("count, array_of_requests", "if (*flag) trace_completed(block, *index, status);"),
    "Waitall": (
        "count, array_of_requests",
        "trace_completed_all(block, count, array_of_statuses);",
    ),
    "Testall": (
        "count, array_of_requests",
        "if (*flag) trace_completed_all(block, count, array_of_statuses);",
    ),
    "Waitsome": (
        "incount, array_of_requests",
        "trace_completed_some(block, *outcount, array_of_indices, array_of_statuses);",
    ),
    "Testsome": (
        "incount, array_of_requests",
        "trace_completed_some(block, *outcount, array_of_indices, array_of_statuses);",
    ),
}
SEND = ("Send", "Bsend", "Ssend", "Rsend")
OTHERS = {
    "Start": "trace_started(block, 1, request);",
    "Startall": "trace_started(block, count, array_of_requests);",
    "Mprobe": "if (source != MPI_PROC_NULL) trace_probed(communicator_of(comm), *message);",
    "Improbe": (
        "if (*flag && source != MPI_PROC_NULL) trace_probed(communicator_of(comm), *message);"
    ),
    "Mrecv": "trace_receive(block, probed, status);",
    "Imrecv": "trace_start_matched(block, probed, *request);",
    "Recv": "trace_receive(block, trace_communicator(communicator), status);",
    "Irecv": "trace_start_receive(block, communicator, source, *request);",
    **dict.fromkeys(
        ("Isendrecv", "Isendrecv_replace"),
        "trace_start_exchange(block, communicator, dest, sendtag, bytes, source, recvtag,"
        " *request);",
    ),
    "Recv_init": "trace_persistent_receive(communicator, source, *request);",
    "Comm_set_name": "trace_name(comm, comm_name);",
    "Win_fence": "trace_remote(block, EVENT_SYNCHRONISE, win, 0, 0, 0);",
    "Win_lock_all": "trace_all_targets(block, EVENT_LOCK_ALL, win, 0);",
    "Win_unlock_all": "trace_all_targets(block, EVENT_UNLOCK_ALL, win, 0);",
    "Win_flush": "trace_remote(block, EVENT_FLUSH, win, rank, 0, 0);",
    "Win_flush_local": "trace_remote(block, EVENT_FLUSH, win, rank, 0, 1);",
    "Win_flush_all": "trace_all_targets(block, EVENT_FLUSH, win, 0);",
    "Win_flush_local_all": "trace_all_targets(block, EVENT_FLUSH, win, 1);",
    "File_open": "trace_file(block, *fh, comm, filename, amode);",
    "File_close": "trace_file_closed(block, closed);",
    "Win_lock": "trace_remote(block, EVENT_LOCK, win, rank, 0, lock_type == MPI_LOCK_SHARED);",
    "Win_unlock": "trace_remote(block, EVENT_UNLOCK, win, rank, 0, 0);",
    "Win_free": "trace_window_freed(block, gone);",
    "Win_start": "trace_meet(block, win, group, 0);",
    "Win_post": "trace_meet(block, win, group, 1);",
    "Win_complete": "trace_met(block, win, 0);",
    "Win_wait": "trace_met(block, win, 1);",
    "Win_test": "if (*flag) trace_met(block, win, 1);",
    **dict.fromkeys(SEND, "trace_send(block, communicator, dest, tag, bytes);"),
    **{
        "I" + name.lower(): "trace_start_send(block, communicator, dest, tag, bytes, *request);"
        for name in SEND
    },
    **{
        name + "_init": "trace_persistent_send(communicator, dest, tag, bytes, *request);"
        for name in SEND
    },
    **dict.fromkeys(
        ("Win_create", "Win_allocate", "Win_allocate_shared", "Win_create_dynamic"),
        "trace_window(block, *win, comm);",
    ),
}
EXCHANGES = ("Sendrecv", "Sendrecv_replace")
REMOTE = {"Put": "PUT", "Rput": "PUT", "Get": "GET", "Rget": "GET"}
COLLECTIVE = ("collective", "sync", "nonblocking_collective")


def before(wrapper) -> List[str]:
    """Statements before the call's first time stamp."""
    name = wrapper.call.name
    lines = []
    if name in COMPLETED:
        lines.append("trace_watch(%s);" % COMPLETED[name][0])
    for parameter in wrapper.parameters:
        if parameter.name in ("status", "array_of_statuses") and (
            name in COMPLETED or name in ("Recv", "Mrecv") + EXCHANGES or name.startswith("File_")
        ):
            count = COMPLETED[name][0].partition(",")[0] if parameter.name != "status" else "1"
            lines.append("%s = trace_statuses(%s, %s);" % (parameter.name, count, parameter.name))
    if name in ("Mrecv", "Imrecv"):
        lines.append("const unsigned probed = trace_message(*message);")
    if name == "File_close":
        lines.append("const unsigned closed = trace_file_gone(*fh);")
    if name == "Win_free":
        lines.append("const unsigned gone = trace_window_gone(*win);")
    return lines + (["trace_request_freed(*request);"] if name == "Request_free" else [])


def file_statement(name: str) -> str:
    """Of a call that reads or writes."""
    kind, collective = (
        "READ" if "read" in name else "WRITE",
        int("_all" in name or "_ordered" in name),
    )
    if name.endswith("_end"):
        return "trace_split_over(block, fh, status);"
    if name.endswith("_begin"):
        return "trace_split(block, EVENT_START_%s, fh, bytes);" % kind
    if name.startswith("File_i"):
        return "trace_start_moving(block, EVENT_START_%s, fh, bytes, %d, *request);" % (
            kind,
            collective,
        )
    return "trace_moved(block, EVENT_%s, fh, bytes, status, %d);" % (kind, collective)


def collective_statement(name: str, number: int, group: str, root: str) -> str:
    """Of a collective call: at once, started, or made to be started."""
    if "eighbor_" in name:
        said = "communicator, bytes"
        return (
            "trace_persistent_neighbours(%d, %s, *request);" % (number, said)
            if name.endswith("_init")
            else (
                "trace_start_neighbours(block, %d, %s, *request);" % (number, said)
                if name.startswith("I")
                else "trace_neighbours(block, %s);" % said
            )
        )
    said = "%d, communicator, bytes, %s" % (number, root)
    if name.endswith("_init"):
        return "trace_persistent_collective(%s, *request);" % said
    starts = group == "nonblocking_collective" or name == "Ibarrier"
    return (
        "trace_start_collective(block, %s, *request);" % said
        if starts
        else "trace_collective(block, %s);" % said
    )


def after(wrapper) -> List[str]:
    """Statements when the call has been counted; `communicator` and `bytes` are known where it has
    them. The call itself comes last."""
    name, lines = wrapper.call.name, []
    if name not in ("Comm_free", "Comm_disconnect", "Comm_get_parent"):
        lines = [
            "trace_new_communicator(*%s);" % p.name
            for p in wrapper.parameters
            if re.fullmatch(r"MPI_Comm ?\*", p.type)
        ]
    if name in COMPLETED:
        lines.append(COMPLETED[name][1])
    elif name in OTHERS:
        lines.append(OTHERS[name])
    elif name in EXCHANGES:
        lines += [
            "trace_send(block, communicator, dest, sendtag, bytes);",
            "trace_receive(block, trace_communicator(communicator), status);",
        ]
    elif wrapper.call.group == "rma" and wrapper.call.place[0] == "peer":
        kind = "EVENT_" + REMOTE.get(name, "ATOMIC")
        lines.append(
            "trace_start_remote(block, %s, win, target_rank, bytes, *request);" % kind
            if name.startswith("R")
            else "trace_remote(block, %s, win, target_rank, bytes, 0);" % kind
        )
    elif re.match("File_i?(read|write)", name):
        lines.append(file_statement(name))
    elif wrapper.call.group in COLLECTIVE and wrapper.call.place:
        root = "root" if any(p.name == "root" for p in wrapper.parameters) else "INT32_MIN"
        lines.append(collective_statement(name, wrapper.number, wrapper.call.group, root))
    return lines + ["trace_call(block, %d, CALLER);" % wrapper.number]
